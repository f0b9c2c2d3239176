// SPDX-License-Identifier: BSD-3-Clause
// Walks over image, noise and S/N.
#include "core/studies/quality/field.hpp"

#include <algorithm>
#include <cmath>

#include "core/studies/quality/quantiles.hpp"

namespace reber {
namespace {

/// The part of a normal distribution that lies below -1 sigma.
constexpr double kBelowOneSigma = 0.15865525393145707;

struct Corner {
  double x, y;
};

double turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Area of the convex hull.   Andrew (1979), Inf. Proc. Lett. 9, 216
double hull_area(std::vector<Corner> corners) {
  std::ranges::sort(corners, [](const Corner& a, const Corner& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Corner> hull;
  for (const bool upper : {false, true}) {
    const std::size_t first = hull.size();
    for (const Corner& corner : corners) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), corner) <= 0) hull.pop_back();
      hull.push_back(corner);
    }
    if (!hull.empty()) hull.pop_back();  // it begins the other half
    if (!upper) std::ranges::reverse(corners);
  }
  double twice = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Corner &a = hull[i], &b = hull[(i + 1) % hull.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2;
}

class Walker {
 public:
  Walker(const Result& result, const Job& job) : result_(result), job_(job), shape_(result.plane()->shape()) {
    constexpr std::int64_t kBandPixels = std::int64_t{1} << 22;
    rows_ = std::clamp<std::int64_t>(kBandPixels / std::max<std::int64_t>(1, shape_.nx), 1, shape_.ny);
  }

  /// Calls take(y, row) for the rows [y0, y1).
  template <class Take>
  void walk(MapKind kind, std::int64_t y0, std::int64_t y1, Take take) {
    for (std::int64_t y = y0; y < y1; y += rows_) {
      const std::int64_t ny = std::min(rows_, y1 - y);
      band_.resize(static_cast<std::size_t>(ny * shape_.nx));
      result_.backend->render_rows(kind, *result_.plane(), kind == MapKind::image ? nullptr : result_.background(), y,
                                   ny, band_.data(), job_);
      for (std::int64_t k = 0; k < ny; ++k)
        take(y + k, std::span<const float>(band_).subspan(static_cast<std::size_t>(k * shape_.nx),
                                                          static_cast<std::size_t>(shape_.nx)));
    }
  }

  void coverage(FieldNumbers& out);
  void noise(FieldNumbers& out);
  void snr(FieldNumbers& out);

 private:
  const Result& result_;
  const Job& job_;
  Shape shape_;
  std::int64_t rows_;
  std::vector<float> band_;
};

void Walker::coverage(FieldNumbers& out) {
  std::vector<Corner> corners;
  double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
  walk(MapKind::image, 0, shape_.ny, [&](std::int64_t y, std::span<const float> row) {
    const auto shown = [](float value) { return std::isfinite(value) && value != 0; };
    const auto first = std::ranges::find_if(row, shown);
    out.blank += std::ranges::count_if(row, [&](float value) { return !shown(value); });
    if (first == row.end()) return;
    const auto last = std::find_if(row.rbegin(), row.rend(), shown);
    const auto from = static_cast<double>(first - row.begin()), to = static_cast<double>(row.rend() - last);
    const auto low = static_cast<double>(y), high = low + 1;
    for (const double x : {from, to})
      for (const double edge : {low, high}) corners.push_back({x, edge});
    left = std::min(left, from), right = std::max(right, to);
    bottom = std::min(bottom, low), top = high;
  });
  out.pixels = shape_.count();
  if (corners.empty()) return;
  out.corners = std::llround(std::max(0.0, (right - left) * (top - bottom) - hull_area(std::move(corners))));
}

void Walker::noise(FieldNumbers& out) {
  const double unit = result_.header().unit.factor;
  std::vector<double> parts{0.05, 0.5, 0.95};
  for (std::size_t k = 0; k < FieldNumbers::kNoiseSteps; ++k)
    parts.push_back((static_cast<double>(k) + 0.5) / FieldNumbers::kNoiseSteps);
  const auto quantiles = [&](std::int64_t y0, std::int64_t y1, std::size_t x0, std::size_t nx,
                             std::span<const double> of) {
    std::vector<float> kept;
    std::vector<double> found = exact_quantiles(
        [&](const auto& take) {
          walk(MapKind::rms, y0, y1, [&](std::int64_t, std::span<const float> row) {
            kept.clear();
            for (const float value : row.subspan(x0, nx))
              if (value > 0) kept.push_back(value);
            take(kept);
          });
        },
        of);
    for (double& value : found) value *= unit;
    return found;
  };
  const auto nx = static_cast<std::size_t>(shape_.nx), half = (nx + 1) / 2;
  const std::int64_t middle = (shape_.ny + 1) / 2;
  const std::vector<double> all = quantiles(0, shape_.ny, 0, nx, parts);
  out.rms_low = all[0], out.rms_median = all[1], out.rms_high = all[2];
  out.noise.assign(all.begin() + 3, all.end());
  const double median = 0.5;
  for (const std::size_t q : {0U, 1U, 2U, 3U}) {
    const std::size_t x0 = q % 2 == 0 ? 0 : half, count = q % 2 == 0 ? half : nx - half;
    const std::int64_t y0 = q < 2 ? 0 : middle, y1 = q < 2 ? middle : shape_.ny;
    if (count > 0 && y1 > y0) out.quadrants[q] = quantiles(y0, y1, x0, count, {&median, 1}).front();
  }
}

void Walker::snr(FieldNumbers& out) {
  const auto each_row = [&](auto take) {
    walk(MapKind::snr, 0, shape_.ny, [&](std::int64_t, std::span<const float> row) { take(row); });
  };
  SnrHistogram& histogram = out.histogram;
  each_row([&](std::span<const float> row) {
    for (const float value : row) {
      if (!std::isfinite(value)) continue;
      ++out.known;
      const double bin = std::floor((value - SnrHistogram::kLow) / SnrHistogram::kWidth);
      if (bin < 0)
        ++histogram.below;
      else if (bin >= static_cast<double>(SnrHistogram::kBins))
        ++histogram.above;
      else
        ++histogram.counts[static_cast<std::size_t>(bin)];
    }
  });
  const std::array parts{0.5, kBelowOneSigma};
  const std::vector<double> found = exact_quantiles([&](const auto& take) { each_row(take); }, parts);
  out.snr_median = found[0], out.snr_low = found[1];
}

}  // namespace

FieldNumbers measure_field(const Result& result, const Job& job) {
  FieldNumbers out;
  Walker walker(result, job);
  walker.coverage(out);
  if (result.background() == nullptr) return out;
  walker.noise(out);
  walker.snr(out);
  return out;
}

}  // namespace reber
