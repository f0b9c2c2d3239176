// SPDX-License-Identifier: BSD-3-Clause
// A PixelSource that can also read a few columns without the rest of their rows.
#pragma once

#include <cstddef>

#include "core/base/shape.hpp"

namespace reber {

class RectangleSource {
 public:
  virtual ~RectangleSource() = default;
  /// Fills `out` with a rectangle inside the plane, its rows without gaps, in stored byte order. May be called from
  /// several threads at once.   throws as PixelSource::read_rows
  virtual void read_rectangle(const Rect& where, std::byte* out) const = 0;
};

/// Whether a rectangle leaves so much of each row out that it is better read by itself.
[[nodiscard]] constexpr bool is_narrow(const Rect& where, Shape image) { return where.nx <= image.nx / 4; }

}  // namespace reber
