// SPDX-License-Identifier: BSD-3-Clause
// Means with the peaks that stand out.
#include "gui/model/peak_blend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

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

constexpr std::int64_t kLanes = 4;
using Floats __attribute__((vector_size(kLanes * sizeof(float)))) = float;

Floats all(float v) { return Floats{v, v, v, v}; }
/// A NaN in `a` stays.
Floats least(const Floats& a, float b) { return b < a ? all(b) : a; }
Floats most(const Floats& a, float b) { return a < b ? all(b) : a; }

/// First pixel after `at`, at most `most`, that lies beyond the next centre after `low`.
std::int64_t end_of_cell(std::int64_t low, std::int64_t at, std::int64_t most, std::int64_t size, std::int64_t cells) {
  const double next = (static_cast<double>(low) + 1.5) * static_cast<double>(size) / static_cast<double>(cells) - 0.5;
  std::int64_t end = low == cells - 1 ? most : std::clamp(static_cast<std::int64_t>(std::ceil(next)), at + 1, most);
  // The floats of between() decide.
  while (end > at + 1 && between(end - 1, size, cells).low != low) --end;
  while (end < most && between(end, size, cells).low == low) ++end;
  return end;
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
  for (std::int64_t k = 0; k < n;) {
    const Between u = between(x0 + k, shape_.nx, nx_);
    const std::int64_t end = end_of_cell(u.low, x0 + k, x0 + n, shape_.nx, nx_) - x0;
    stretch_of_row({cell(v.low, u.low), cell(v.low, u.high), cell(v.high, u.low), cell(v.high, u.high)}, v.part, u.low,
                   {x0 + k, x0 + end}, mean + k, peak + k, out + k);
    k = end;
  }
}

/// Pixels between the same four centres, four at a time.
void PeakBlend::stretch_of_row(const std::array<Noise, 4>& corners, float up, std::int64_t low, Range x,
                               const float* mean, const float* peak, float* out) const {
  const auto [a, b, c, d] = corners;
  const float cells = static_cast<float>(nx_), size = static_cast<float>(shape_.nx);
  const float first = static_cast<float>(low), last = static_cast<float>(nx_ - 1);
  const auto blended = [&](const Floats& at, const Floats& middle, const Floats& top) {
    const Floats place = (at + 0.5f) * cells / size - 0.5f;
    const Floats right = least(most(place, 0.0f), last) - first;
    const auto mix = [&right, up](float p, float q, float r, float s) {
      const Floats below = p + right * (q - p), above = r + right * (s - r);
      return below + up * (above - below);
    };
    const Floats height = top - middle, above = height - mix(a.middle, b.middle, c.middle, d.middle);
    const Floats width = mix(a.width, b.width, c.width, d.width);
    // Without noise every height above the usual one stands out.
    const Floats widths = (above / width - kFrom) / (kTo - kFrom);
    const Floats t = width > 0 ? least(most(widths, 0.0f), 1.0f) : above > 0 ? all(1) : all(0);
    const Floats w = t * t * (3 - 2 * t);
    return w >= 1 ? top : middle + w * height;
  };
  const std::int64_t n = x.end - x.begin;
  Floats at = static_cast<float>(x.begin) + Floats{0, 1, 2, 3};
  const auto store = [&](std::int64_t k, std::size_t bytes) {
    Floats middle{}, top{};
    std::memcpy(&middle, mean + k, bytes);
    std::memcpy(&top, peak + k, bytes);
    const Floats made = blended(at, middle, top);
    std::memcpy(out + k, &made, bytes);
    at += static_cast<float>(kLanes);
  };
  std::int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) store(k, sizeof(Floats));
  if (k < n) store(k, static_cast<std::size_t>(n - k) * sizeof(float));
}

}  // namespace reber::gui
