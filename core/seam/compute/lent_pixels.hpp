// SPDX-License-Identifier: BSD-3-Clause
// Pixels that another library lends where they lie, in the memory of a card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/error.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {

/// Where they lie. Pixel (y, x) begins at first + y * row_bytes + x * pixel_bytes; both steps may be negative, and all
/// are multiples of a pixel's bytes.
struct LentPixels {
  const std::byte* first = nullptr;
  std::int64_t row_bytes = 0, pixel_bytes = 0;
  std::optional<int> card;  ///< where the lender says which
  /// The stream on which the pixels may still be written; CUDA's handle, of which 1 is the legacy default stream. 2,
  /// the default stream of a thread, stands for all of the card's work. Empty: nothing is under way.
  std::optional<std::uintptr_t> stream;
};

/// An image on a card. The cuda backend loads it from there, without the bus, and has done so when load() returns: the
/// lender may write again. No other backend can read it.
class LentSource final : public PixelSource {
 public:
  /// format.type is of the pixels' size.
  LentSource(const LentPixels& pixels, Shape shape, const PixelFormat& format)
      : pixels_(pixels), shape_(shape), format_(format) {}
  [[nodiscard]] const LentPixels* lent_pixels() const override { return &pixels_; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  /// throws InternalError: rows are not handed to the host
  void read_rows(std::int64_t, std::int64_t, std::byte*) const override {
    throw InternalError("pixels on a card were asked for by a backend that computes on the host");
  }

 private:
  LentPixels pixels_;
  Shape shape_;
  PixelFormat format_;
};

}  // namespace reber
