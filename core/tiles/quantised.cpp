// SPDX-License-Identifier: BSD-3-Clause
// The operations stand in CFITSIO's order: each rounds as there.
#include "core/tiles/quantised.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace reber::fits {
namespace {

constexpr std::size_t kRandoms = 10'000;
/// What stands for a pixel of exactly zero with the second way of dithering.
constexpr std::int32_t kZero = -2147483646;

/// The standard's random numbers (appendix I): Park and Miller's, in (0, 1).
std::array<float, kRandoms> make_randoms() {
  constexpr std::int64_t kFactor = 16807, kModulus = 2147483647;
  std::array<float, kRandoms> made;
  std::int64_t seed = 1;
  for (float& one : made) {
    seed = kFactor * seed % kModulus;
    one = static_cast<float>(static_cast<double>(seed) / static_cast<double>(kModulus));
  }
  return made;
}

const std::array<float, kRandoms>& randoms() {
  static const std::array<float, kRandoms> made = make_randoms();
  return made;
}

template <class Real>
Real kept(std::int32_t stored, Real value, bool blanks, std::int32_t blank) {
  return blanks && stored == blank ? std::numeric_limits<Real>::quiet_NaN() : value;
}

template <bool blanks, class Real>
void undithered(const std::int32_t* stored, std::int64_t count, const Quantisation& how, Real* out) {
  const std::int32_t blank = how.blank.value_or(0);
  const double scale = how.scale, zero = how.zero;
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = kept(stored[i], static_cast<Real>(stored[i] * scale + zero), blanks, blank);
}

template <bool blanks, bool zeros, class Real>
void dithered(const std::int32_t* stored, std::int64_t count, const Quantisation& how, Real* out) {
  constexpr double kMiddle = 0.5;
  constexpr float kStarts = 500;  // a tile's random numbers begin at one of so many places
  const auto& random = randoms();
  const std::int32_t blank = how.blank.value_or(0);
  const double scale = how.scale, zero = how.zero;
  auto from = static_cast<std::size_t>(how.first_random);
  for (std::int64_t i = 0; i < count;) {
    const auto start = static_cast<std::size_t>(random[from] * kStarts);
    const std::int64_t here = std::min<std::int64_t>(count - i, static_cast<std::int64_t>(kRandoms - start));
    const float* const noise = random.data() + start;
    const std::int32_t* const in = stored + i;
    Real* const to = out + i;
    for (std::int64_t k = 0; k < here; ++k) {
      auto value =
          static_cast<Real>((static_cast<double>(in[k]) - static_cast<double>(noise[k]) + kMiddle) * scale + zero);
      if (zeros) value = in[k] == kZero ? Real{0} : value;
      to[k] = kept(in[k], value, blanks, blank);
    }
    i += here;
    from = (from + 1) % kRandoms;
  }
}

template <class Real>
void convert(const std::int32_t* stored, std::int64_t count, const Quantisation& how, Real* out) {
  const bool blanks = how.blank.has_value();
  if (how.dither == Dither::none)
    return blanks ? undithered<true>(stored, count, how, out) : undithered<false>(stored, count, how, out);
  if (how.dither == Dither::subtractive_1)
    return blanks ? dithered<true, false>(stored, count, how, out) : dithered<false, false>(stored, count, how, out);
  return blanks ? dithered<true, true>(stored, count, how, out) : dithered<false, true>(stored, count, how, out);
}

}  // namespace

void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, float* out) {
  convert(stored, count, how, out);
}
void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, double* out) {
  convert(stored, count, how, out);
}

}  // namespace reber::fits
