// SPDX-License-Identifier: BSD-3-Clause
// A PixelSource that can also read a few columns without the rest of their rows, or rows of several planes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/shape.hpp"

namespace reber {

class RectangleSource {
 public:
  virtual ~RectangleSource() = default;
  /// Fills `out` with a rectangle inside the plane, its rows without gaps, in stored byte order. May be called from
  /// several threads at once.   throws as PixelSource::read_rows
  virtual void read_rectangle(const Rect& where, std::byte* out) const = 0;
  /// Rows [y0, y0 + ny) of this plane and of others, each into its own out, as PixelSource::read_rows has them. Planes
  /// of one file whose pixels lie among each other's are read once in this way. False, and nothing is read, where plane
  /// by plane is as quick.   planes: this among them   throws as PixelSource::read_rows
  [[nodiscard]] virtual bool read_planes(std::span<const RectangleSource* const> /*planes*/, std::int64_t /*y0*/,
                                         std::int64_t /*ny*/, std::span<std::byte* const> /*out*/) const {
    return false;
  }
};

/// Whether a rectangle leaves so much of each row out that it is better read by itself.
[[nodiscard]] constexpr bool is_narrow(const Rect& where, Shape image) { return where.nx <= image.nx / 4; }

}  // namespace reber
