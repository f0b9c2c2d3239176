// SPDX-License-Identifier: BSD-3-Clause
// Means with the peaks that stand out.
#include "core/show/display/peak_blend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace reber {
namespace {

float median_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
  while (end > at + 1 && levels::between(end - 1, size, cells).low != low) --end;
  while (end < most && levels::between(end, size, cells).low == low) ++end;
  return end;
}

/// Heights that are not finite are gone from `heights` afterwards.   returns whether any was left
bool measure_cell(std::vector<float>& heights, levels::Noise& cell) {
  std::erase_if(heights, [](float height) { return !std::isfinite(height); });
  if (heights.empty()) return false;
  cell.middle = median_of(heights);
  for (float& height : heights) height = std::abs(height - cell.middle);
  cell.width = 1.4826f * median_of(heights);
  return true;
}

}  // namespace

PeakBlend::PeakBlend(Shape shape, const Heights& heights, ThreadPool* pool)
    : ny_(cells_along(shape.ny)),
      nx_(cells_along(shape.nx)),
      shape_(shape),
      cells_(static_cast<std::size_t>(ny_ * nx_)) {
  std::vector<char> measured(cells_.size());
  const auto measure_row = [&](std::int64_t j) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < nx_; ++i) {
      const auto at = static_cast<std::size_t>(j * nx_ + i);
      values.clear();
      heights(j, i, values);
      measured[at] = measure_cell(values, cells_[at]) ? 1 : 0;
    }
  };
  if (pool != nullptr && ny_ > 1) {
    pool->for_each(ny_, measure_row);
  } else {
    for (std::int64_t j = 0; j < ny_; ++j) measure_row(j);
  }
  std::vector<float> middles, widths;
  for (std::size_t at = 0; at < cells_.size(); ++at)
    if (measured[at] != 0) {
      middles.push_back(cells_[at].middle);
      widths.push_back(cells_[at].width);
    }
  if (middles.empty() || middles.size() == cells_.size()) return;
  const levels::Noise typical{median_of(middles), median_of(widths)};
  for (std::size_t at = 0; at < cells_.size(); ++at)
    if (measured[at] == 0) cells_[at] = typical;
}

PeakBlend::PeakBlend(Shape shape, std::vector<levels::Noise> cells)
    : ny_(cells_along(shape.ny)), nx_(cells_along(shape.nx)), shape_(shape), cells_(std::move(cells)) {}

PeakBlend::PeakBlend(const Image& mean, const Image& peak)
    : PeakBlend(mean.shape(), [&](std::int64_t j, std::int64_t i, std::vector<float>& out) {
        const Samples s = samples(mean.shape(), j, i);
        for (std::int64_t y = s.y0; y < s.y1; y += s.dy)
          for (std::int64_t x = s.x0; x < s.x1; x += s.dx) out.push_back(peak.at(y, x) - mean.at(y, x));
      }) {}

void PeakBlend::row(std::int64_t y, std::int64_t x0, std::int64_t n, const float* mean, const float* peak,
                    float* out) const {
  const levels::Between v = levels::between(y, shape_.ny, ny_);
  const levels::Noise* const low = cells_.data() + v.low * nx_;
  const levels::Noise* const high = cells_.data() + v.high * nx_;
  for (std::int64_t k = 0; k < n;) {
    const levels::Between u = levels::between(x0 + k, shape_.nx, nx_);
    const std::int64_t end = end_of_cell(u.low, x0 + k, x0 + n, shape_.nx, nx_) - x0;
    stretch_of_row({low[u.low], low[u.high], high[u.low], high[u.high]}, v.part, u.low, {x0 + k, x0 + end}, mean + k,
                   peak + k, out + k);
    k = end;
  }
}

/// Pixels between the same four centres, four at a time: levels::blended() of each.
void PeakBlend::stretch_of_row(const std::array<levels::Noise, 4>& corners, float up, std::int64_t low, Range x,
                               const float* mean, const float* peak, float* out) const {
  using levels::kFrom, levels::kTo;
  // Names of their own: clang 14 lets no lambda take structured bindings.
  const levels::Noise &a = corners[0], &b = corners[1], &c = corners[2], &d = corners[3];
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

}  // namespace reber
