// SPDX-License-Identifier: BSD-3-Clause
// From stored bytes to float pixels.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/sky/model/pixel_source.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/host_device.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {

/// A PixelFormat as a kernel takes it.
struct DecodeRule {
  PixelType type = PixelType::f32;
  bool big_endian = false;
  bool has_blank = false;
  std::int64_t blank = 0;
  double scale = 1, zero = 0;
};

[[nodiscard]] inline DecodeRule decode_rule(const PixelFormat& format) {
  return {format.type,  format.big_endian, format.blank.has_value(), format.blank.value_or(0),
          format.scale, format.zero};
}

struct Decoded {
  float value;
  bool infinite;  ///< infinite as stored
};

/// Bytes are read one by one: the host's copy is then right for any alignment, and the device's loads of neighbouring
/// threads fall together.
template <class Bits>
REBER_HD Bits stored_bits(const unsigned char* bytes, bool big_endian) {
  Bits bits = 0;
  for (unsigned i = 0; i < sizeof(Bits); ++i) {
    const unsigned at = big_endian ? i : static_cast<unsigned>(sizeof(Bits)) - 1 - i;
    bits = static_cast<Bits>((sizeof(Bits) > 1 ? bits << 8 : 0) | bytes[at]);
  }
  return bits;
}

REBER_HD float float_of(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}
REBER_HD double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

REBER_HD Decoded decode_integer(std::int64_t stored, const DecodeRule& rule) {
  if (rule.has_blank && stored == rule.blank) return {rules::blank_value(), false};
  return {rules::decode(static_cast<double>(stored), rule.scale, rule.zero), false};
}

/// One pixel from the bytes where it starts.
REBER_HD Decoded decode_pixel(const unsigned char* bytes, const DecodeRule& rule) {
  switch (rule.type) {
    case PixelType::u8:
      return decode_integer(bytes[0], rule);
    case PixelType::i16:
      return decode_integer(static_cast<std::int16_t>(stored_bits<std::uint16_t>(bytes, rule.big_endian)), rule);
    case PixelType::i32:
      return decode_integer(static_cast<std::int32_t>(stored_bits<std::uint32_t>(bytes, rule.big_endian)), rule);
    case PixelType::i64:
      return decode_integer(static_cast<std::int64_t>(stored_bits<std::uint64_t>(bytes, rule.big_endian)), rule);
    case PixelType::f32: {
      const double stored = float_of(stored_bits<std::uint32_t>(bytes, rule.big_endian));
      return {rules::decode(stored, rule.scale, rule.zero), std::isinf(stored)};
    }
    case PixelType::f64: {
      const double stored = double_of(stored_bits<std::uint64_t>(bytes, rule.big_endian));
      return {rules::decode(stored, rule.scale, rule.zero), std::isinf(stored)};
    }
  }
  return {rules::blank_value(), false};
}

/// Stored pixels on the device: (y, x) begins at first + y * row_bytes + x * pixel_bytes. Words of 4 bytes are aligned.
struct StoredRows {
  const std::byte* first = nullptr;
  std::int64_t row_bytes = 0, pixel_bytes = 0;
};

/// Decodes rows into rows `pitch` floats apart; adds to counts[0] the blank pixels, to counts[1] the infinite ones, and
/// raises counts[2] to the bits of the largest absolute value.
void decode_rows(cudaStream_t stream, const StoredRows& stored, const DecodeRule& rule, std::int64_t rows,
                 std::int64_t nx, float* out, std::int64_t pitch, unsigned long long* counts);

/// Adds the number of blank pixels of ny rows to `count`.
void count_blank(cudaStream_t stream, const float* rows, std::int64_t ny, std::int64_t nx, std::int64_t pitch,
                 unsigned long long* count);

/// Sets nx floats.
void fill_row(cudaStream_t stream, float* row, std::int64_t nx, float value);

/// A whole plane. A resident one is decoded on the device, a streamed one by the host's threads: it would otherwise
/// cross the bus twice for nothing. Lent pixels (core/seam/compute/lent_pixels.hpp) are decoded where they lie.
///   throws InputError where these are of another card or of none
[[nodiscard]] std::unique_ptr<CudaPlane> load_plane(const std::shared_ptr<Context>& context, const PixelSource& source,
                                                    const TilingPlan& tiling, const Job& job);
/// A plane whose pixels stay in the source, which it keeps.
[[nodiscard]] std::unique_ptr<CudaPlane> stream_plane(const std::shared_ptr<Context>& context,
                                                      std::shared_ptr<const PixelSource> source,
                                                      const TilingPlan& tiling, const Job& job);

}  // namespace reber::cuda
