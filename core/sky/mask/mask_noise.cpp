// SPDX-License-Identifier: BSD-3-Clause
// Least values along rows, then along columns, by windows that double.
#include "core/sky/mask/mask_noise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();

/// x where half of all samples of this size have their least value below -x.
double median_depth(double samples) {
  const double part = 1 - std::pow(0.5, 1 / samples);  // of the distribution below -x
  double low = -10, high = 10;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > part ? low : high) = middle;
  }
  return std::abs(0.5 * (low + high));
}

/// Mirrored about the border: 1 0 | 0 1 2 .. n-1 | n-1 n-2.
std::int64_t mirrored(std::int64_t at, std::int64_t n) {
  at = (at % (2 * n) + 2 * n) % (2 * n);
  return at < n ? at : 2 * n - 1 - at;
}

/// Least values of windows [i - box/2, i - box/2 + box) of a line.
class Minima {
 public:
  Minima(std::int64_t length, std::int64_t box)
      : length_(length), box_(box), padded_(static_cast<std::size_t>(length + box)) {}

  void operator()(float* line, std::int64_t stride) {
    const std::int64_t count = length_ + box_ - 1;
    for (std::int64_t i = 0; i < count; ++i)
      padded_[static_cast<std::size_t>(i)] = line[mirrored(i - box_ / 2, length_) * stride];
    const auto widest = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(box_)));
    for (std::int64_t width = 1; width < widest; width *= 2)
      for (std::int64_t i = 0; i + width < count; ++i)
        padded_[static_cast<std::size_t>(i)] =
            std::min(padded_[static_cast<std::size_t>(i)], padded_[static_cast<std::size_t>(i + width)]);
    for (std::int64_t i = 0; i < length_; ++i)
      line[i * stride] =
          std::min(padded_[static_cast<std::size_t>(i)], padded_[static_cast<std::size_t>(i + box_ - widest)]);
  }

 private:
  std::int64_t length_, box_;
  std::vector<float> padded_;
};

float median_of(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return 0.5f * (*middle + *std::max_element(values.begin(), middle));
}

}  // namespace

std::vector<float> noise_of_minima(std::span<const float> image, Shape shape, std::int64_t box) {
  std::vector<float> noise(image.begin(), image.end());
  for (float& value : noise)
    if (!std::isfinite(value)) value = kFar;
  ThreadPool pool(shape.count() > (1 << 20) ? 0 : 1);
  pool.for_each(shape.ny, [&](std::int64_t y) { Minima(shape.nx, box)(noise.data() + y * shape.nx, 1); });
  pool.for_each(shape.nx, [&](std::int64_t x) { Minima(shape.ny, box)(noise.data() + x, shape.nx); });
  const auto depth = static_cast<float>(median_depth(static_cast<double>(box) * static_cast<double>(box)));
  std::vector<float> known;
  known.reserve(noise.size());
  for (float& value : noise) {
    if (value == kFar) continue;
    value = -value / depth;
    if (value < 0) value = 1e-10f;
    known.push_back(value);
  }
  const float median = median_of(std::move(known));
  for (float& value : noise)
    if (value == kFar || value < median) value = median;
  return noise;
}

}  // namespace reber
