// SPDX-License-Identifier: BSD-3-Clause
// Loops over tiles, one for each way, so that they are vectorised.
#include "core/files/tiles/quantised.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/files/tiles/quantised_rule.hpp"

namespace reber::fits {
namespace {

using Randoms = std::array<float, kDitherRandoms>;

/// The standard's random numbers (appendix I): Park and Miller's.
Randoms make_randoms() {
  constexpr std::int64_t kFactor = 16807, kModulus = 2147483647;
  Randoms made;
  std::int64_t seed = 1;
  for (float& one : made) {
    seed = kFactor * seed % kModulus;
    one = static_cast<float>(static_cast<double>(seed) / static_cast<double>(kModulus));
  }
  return made;
}

template <bool blanks, class Real>
void convert_plain(const std::int32_t* stored, std::int64_t count, const TileScale& how, Real* out) {
  const TileScale own = how;
  for (std::int64_t i = 0; i < count; ++i) out[i] = undithered<Real>(stored[i], own, blanks);
}

template <bool blanks, bool zeros, class Real>
void convert_dithered(const std::int32_t* stored, std::int64_t count, const TileScale& how, std::int64_t first_random,
                      Real* out) {
  const std::span<const float> random = dither_randoms();
  const TileScale own = how;
  auto from = static_cast<std::size_t>(first_random);
  for (std::int64_t i = 0; i < count;) {
    const std::int32_t start = dither_start(random[from]);
    const std::int64_t here = std::min<std::int64_t>(count - i, kDitherRandoms - start);
    const float* const noise = random.data() + start;
    const std::int32_t* const in = stored + i;
    Real* const to = out + i;
    for (std::int64_t k = 0; k < here; ++k) to[k] = dithered<Real>(in[k], noise[k], own, blanks, zeros);
    i += here;
    from = (from + 1) % kDitherRandoms;
  }
}

template <class Real>
void convert(const std::int32_t* stored, std::int64_t count, const Quantisation& how, Real* out) {
  const bool blanks = how.blank.has_value();
  const TileScale scale{how.scale, how.zero, how.blank.value_or(0)};
  const std::int64_t first = how.first_random;
  if (how.dither == Dither::none)
    return blanks ? convert_plain<true>(stored, count, scale, out) : convert_plain<false>(stored, count, scale, out);
  if (how.dither == Dither::subtractive_1)
    return blanks ? convert_dithered<true, false>(stored, count, scale, first, out)
                  : convert_dithered<false, false>(stored, count, scale, first, out);
  return blanks ? convert_dithered<true, true>(stored, count, scale, first, out)
                : convert_dithered<false, true>(stored, count, scale, first, out);
}

}  // namespace

std::span<const float> dither_randoms() {
  static const Randoms made = make_randoms();
  return made;
}

void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, float* out) {
  convert(stored, count, how, out);
}
void from_quantised(const std::int32_t* stored, std::int64_t count, const Quantisation& how, double* out) {
  convert(stored, count, how, out);
}

}  // namespace reber::fits
