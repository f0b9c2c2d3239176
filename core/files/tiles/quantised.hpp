// SPDX-License-Identifier: BSD-3-Clause
// Floats that were stored as integers, with and without dither (FITS standard 4.0, section 10.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace reber::fits {

enum class Dither {
  none,
  subtractive_1,
  subtractive_2,  ///< as 1, and zeros are kept as zeros
};

/// How the integers of one tile become floats, to CFITSIO's last bit.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank;  ///< the integer that stands for NaN
  Dither dither = Dither::none;
  std::int64_t first_random = 0;  ///< of the standard's 10000 random numbers: (ZDITHER0 - 1 + tile) mod 10000
};

/// The standard's random numbers (appendix I), kDitherRandoms of them.
[[nodiscard]] std::span<const float> dither_randoms();

/// `count` integers to floats, or to doubles; blanks as NaN.
void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, float* out);
void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, double* out);

}  // namespace reber::fits
