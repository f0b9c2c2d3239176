// SPDX-License-Identifier: BSD-3-Clause
// Plain decoding of stored pixels on the host.
#include "core/sky/model/pixel_source.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace reber {
namespace {

template <typename Stored>
double decode_one(const std::byte* bytes, const PixelFormat& format) {
  std::array<std::byte, sizeof(Stored)> raw;
  std::memcpy(raw.data(), bytes, sizeof(Stored));
  if (format.big_endian) std::ranges::reverse(raw);
  const auto stored = std::bit_cast<Stored>(raw);
  if constexpr (std::is_integral_v<Stored>) {
    if (format.blank && *format.blank == static_cast<std::int64_t>(stored))
      return std::numeric_limits<double>::quiet_NaN();
  }
  const double value = format.zero + format.scale * static_cast<double>(stored);
  return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

double decode_one(const std::byte* bytes, const PixelFormat& format) {
  switch (format.type) {
    case PixelType::u8:
      return decode_one<std::uint8_t>(bytes, format);
    case PixelType::i16:
      return decode_one<std::int16_t>(bytes, format);
    case PixelType::i32:
      return decode_one<std::int32_t>(bytes, format);
    case PixelType::i64:
      return decode_one<std::int64_t>(bytes, format);
    case PixelType::f32:
      return decode_one<float>(bytes, format);
    case PixelType::f64:
      return decode_one<double>(bytes, format);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void decode_floats(const std::byte* raw, std::int64_t count, const PixelFormat& format, float* out) {
  if (format.type == PixelType::f32 && format.scale == 1 && format.zero == 0) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, raw + 4 * i, 4);
      if (format.big_endian) bits = __builtin_bswap32(bits);
      const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
      out[i] = finite ? std::bit_cast<float>(bits) : std::numeric_limits<float>::quiet_NaN();
    }
    return;
  }
  const std::int64_t size = bytes_of(format.type);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(decode_one(raw + i * size, format));
    out[i] = std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
  }
}

std::vector<double> decode_doubles(const PixelSource& source) {
  const Shape shape = source.shape();
  const PixelFormat format = source.format();
  const std::int64_t size = bytes_of(format.type);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.count() * size));
  source.read_rows(0, shape.ny, raw.data());
  std::vector<double> values(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = decode_one(raw.data() + static_cast<std::int64_t>(i) * size, format);
  return values;
}

}  // namespace reber
