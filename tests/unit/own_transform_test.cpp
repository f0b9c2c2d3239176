// SPDX-License-Identifier: BSD-3-Clause
// Transforms of tiles of any sides, against sums in double precision.
#include "kernels/cpu/convolve/own_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace reber::cpu {
namespace {

std::vector<float> noise(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return values;
}

/// sum over all pixels of x(j, i) exp(-2 pi i (j ky / ny + i kx / nx)).
std::complex<double> directly(const std::vector<float>& x, std::int64_t ny, std::int64_t nx, std::int64_t ky,
                              std::int64_t kx) {
  std::complex<double> sum = 0;
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      const double turn = static_cast<double>(j * ky % ny) / static_cast<double>(ny) +
                          static_cast<double>(i * kx % nx) / static_cast<double>(nx);
      sum += static_cast<double>(x[j * nx + i]) * std::polar(1.0, -2 * std::numbers::pi * turn);
    }
  return sum;
}

// Every radix takes part: 8, 16, 48 = 3 * 16, 40 = 5 * 8, 120 = 3 * 5 * 8.
TEST(OwnTransform, ForwardIsTheSumOverAllPixels) {
  for (const auto& [ny, nx] : {std::pair{8, 8}, {16, 48}, {40, 16}, {120, 8}, {24, 160}}) {
    const std::vector<float> x = noise(std::int64_t{ny} * nx);
    std::vector<float> spectrum(2 * static_cast<std::size_t>(ny) * (nx / 2 + 1));
    OwnTransform(ny, nx).forward(x.data(), spectrum.data());
    // Values of order one add up to sqrt(ny nx); rounding is 1e-7 of that for each of some ten steps.
    const double bound = 1e-6 * std::sqrt(static_cast<double>(ny) * nx);
    for (std::int64_t ky = 0; ky<ny; ky += ny> 16 ? 3 : 1)
      for (std::int64_t kx = 0; kx <= nx / 2; kx += nx > 16 ? 5 : 1) {
        const float* at = spectrum.data() + 2 * (ky * (nx / 2 + 1) + kx);
        const double error = std::abs(directly(x, ny, nx, ky, kx) - std::complex<double>(at[0], at[1]));
        ASSERT_TRUE(error <= bound) << nx << " x " << ny << " at " << kx << ", " << ky << ": " << error;
      }
  }
}

TEST(OwnTransform, ThereAndBackMultipliesByTheNumberOfPixels) {
  for (const auto& [ny, nx] : {std::pair{8, 8}, {192, 320}, {640, 96}, {256, 256}}) {
    const std::vector<float> x = noise(std::int64_t{ny} * nx);
    std::vector<float> spectrum(2 * static_cast<std::size_t>(ny) * (nx / 2 + 1)), back(x.size());
    const OwnTransform transform(ny, nx);
    transform.forward(x.data(), spectrum.data());
    transform.backward(spectrum.data(), back.data());
    const float scale = 1.0f / (static_cast<float>(ny) * static_cast<float>(nx));
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(std::abs(back[i] * scale - x[i]) <= 2e-6f) << nx << " x " << ny << " at " << i;
  }
}

}  // namespace
}  // namespace reber::cpu
