// SPDX-License-Identifier: BSD-3-Clause
// Means with the peaks that stand out.
#include "gui/model/peak_blend.hpp"

#include <algorithm>
#include <cmath>

namespace reber::gui {
namespace {

constexpr std::int64_t kCells = 32;     ///< along a side, at most
constexpr std::int64_t kLeast = 8;      ///< pixels along a side of a cell, at least
constexpr std::int64_t kSamples = 12;   ///< along a side of a cell, at most
constexpr float kFrom = 3, kTo = 4.5f;  ///< widths between which a peak comes in

float median_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Cell of which half of an axis: index of the lower centre and the part of the way to the next.
struct Between {
  std::int64_t low, high;
  float part;
};

Between between(std::int64_t at, std::int64_t size, std::int64_t cells) {
  const float place = (static_cast<float>(at) + 0.5f) * static_cast<float>(cells) / static_cast<float>(size) - 0.5f;
  const float held = std::clamp(place, 0.0f, static_cast<float>(cells - 1));
  const auto low = static_cast<std::int64_t>(held);
  return {low, std::min(low + 1, cells - 1), held - static_cast<float>(low)};
}

}  // namespace

PeakBlend::PeakBlend(const Image& mean, const Image& peak)
    : ny_(std::clamp<std::int64_t>(mean.shape().ny / kLeast, 1, kCells)),
      nx_(std::clamp<std::int64_t>(mean.shape().nx / kLeast, 1, kCells)),
      shape_(mean.shape()),
      cells_(static_cast<std::size_t>(ny_ * nx_)) {
  std::vector<float> heights, middles, widths;
  std::vector<std::size_t> empty;
  for (std::int64_t j = 0; j < ny_; ++j)
    for (std::int64_t i = 0; i < nx_; ++i) {
      const std::int64_t y0 = j * shape_.ny / ny_, y1 = (j + 1) * shape_.ny / ny_;
      const std::int64_t x0 = i * shape_.nx / nx_, x1 = (i + 1) * shape_.nx / nx_;
      const std::int64_t dy = std::max<std::int64_t>(1, (y1 - y0) / kSamples);
      const std::int64_t dx = std::max<std::int64_t>(1, (x1 - x0) / kSamples);
      heights.clear();
      for (std::int64_t y = y0; y < y1; y += dy)
        for (std::int64_t x = x0; x < x1; x += dx)
          if (const float height = peak.at(y, x) - mean.at(y, x); std::isfinite(height)) heights.push_back(height);
      const auto at = static_cast<std::size_t>(j * nx_ + i);
      if (heights.empty()) {
        empty.push_back(at);
        continue;
      }
      cells_[at].middle = median_of(heights);
      for (float& height : heights) height = std::abs(height - cells_[at].middle);
      cells_[at].width = 1.4826f * median_of(heights);
      middles.push_back(cells_[at].middle);
      widths.push_back(cells_[at].width);
    }
  if (middles.empty()) return;
  const Noise typical{median_of(middles), median_of(widths)};
  for (const std::size_t at : empty) cells_[at] = typical;
}

void PeakBlend::row(std::int64_t y, std::int64_t x0, std::int64_t n, const float* mean, const float* peak,
                    float* out) const {
  const Between v = between(y, shape_.ny, ny_);
  for (std::int64_t k = 0; k < n; ++k) {
    const Between u = between(x0 + k, shape_.nx, nx_);
    const auto mix = [&](float Noise::*what) {
      const float low = cell(v.low, u.low).*what + u.part * (cell(v.low, u.high).*what - cell(v.low, u.low).*what);
      const float high = cell(v.high, u.low).*what + u.part * (cell(v.high, u.high).*what - cell(v.high, u.low).*what);
      return low + v.part * (high - low);
    };
    const float height = peak[k] - mean[k], above = height - mix(&Noise::middle), width = mix(&Noise::width);
    // Without noise every height above the usual one stands out.
    const float t = width > 0   ? std::clamp((above / width - kFrom) / (kTo - kFrom), 0.0f, 1.0f)
                    : above > 0 ? 1.0f
                                : 0.0f;
    const float w = t * t * (3 - 2 * t);
    out[k] = w >= 1 ? peak[k] : mean[k] + w * height;
  }
}

}  // namespace reber::gui
