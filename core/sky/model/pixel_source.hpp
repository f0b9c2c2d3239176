// SPDX-License-Identifier: BSD-3-Clause
// Where pixels come from, as stored: a backend fetches raw rows and decodes them where it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/shape.hpp"

namespace reber {

enum class PixelType { u8, i16, i32, i64, f32, f64 };

[[nodiscard]] constexpr std::int64_t bytes_of(PixelType type) {
  switch (type) {
    case PixelType::u8:
      return 1;
    case PixelType::i16:
      return 2;
    case PixelType::i32:
    case PixelType::f32:
      return 4;
    case PixelType::i64:
    case PixelType::f64:
      return 8;
  }
  return 0;
}

/// How stored values become numbers: value = zero + scale x stored, in double, then rounded to float.
/// blank is compared with the stored integer, before scaling, and becomes NaN; so do NaN and infinities.
struct PixelFormat {
  PixelType type = PixelType::f32;
  bool big_endian = false;
  double scale = 1;
  double zero = 0;
  std::optional<std::int64_t> blank;
};

class RectangleSource;
struct LentPixels;
namespace fits {
class CodedTiles;
}

/// One image plane as stored. read_rows may be called from several threads at once.
class PixelSource {
 public:
  virtual ~PixelSource() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual PixelFormat format() const = 0;
  /// Fills `out` with rows [y0, y0 + ny), ny * nx * bytes_of(type) bytes, in stored byte order.
  ///   throws DataError where the file ends early or cannot be read
  virtual void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const = 0;
  /// Tells that rows [y0, y0 + ny) will be read soon; they may be fetched meanwhile.
  virtual void will_need(std::int64_t /*y0*/, std::int64_t /*ny*/) const {}

  // What a source can do in addition; null where it cannot.
  /// Reads a few columns without the rest of their rows (core/sky/model/rectangle_source.hpp).
  [[nodiscard]] virtual const RectangleSource* rectangle_source() const { return nullptr; }
  /// Hands out compressed tiles as they are stored (core/files/tiles/coded_tiles.hpp).
  [[nodiscard]] virtual const fits::CodedTiles* coded_tiles() const { return nullptr; }
  /// Where pixels of a card lie, which no host can read (core/seam/compute/lent_pixels.hpp).
  [[nodiscard]] virtual const LentPixels* lent_pixels() const { return nullptr; }
};

/// `count` stored pixels as float, blanks and infinities as NaN: what a backend's load gives.
void decode_floats(const std::byte* raw, std::int64_t count, const PixelFormat& format, float* out);

/// All pixels in double, blanks and infinities as NaN. For small images such as kernels, and for tests.
[[nodiscard]] std::vector<double> decode_doubles(const PixelSource& source);

}  // namespace reber
