// SPDX-License-Identifier: BSD-3-Clause
// Cuts read from the lowest level of the pyramid.
#include "gui/model/image/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reber::gui {
namespace {

/// Pixels of an image in its file that a cut across its rows reads; a longer one passes pixels over.
constexpr std::int64_t kMostReads = 4096;
constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

float bilinear(const Pyramid& pixels, PixelPosition p) {
  const double x0 = std::floor(p.x), y0 = std::floor(p.y), fx = p.x - x0, fy = p.y - y0;
  const auto value = [&](double x, double y) {
    return pixels.value(static_cast<std::int64_t>(y), static_cast<std::int64_t>(x));
  };
  if (!std::isfinite(value(std::round(p.x), std::round(p.y)))) return kBlank;
  double sum = 0, weights = 0;
  for (int dy = 0; dy < 2; ++dy) {
    for (int dx = 0; dx < 2; ++dx) {
      const double weight = (dx == 1 ? fx : 1 - fx) * (dy == 1 ? fy : 1 - fy);
      const float v = weight > 0 ? value(x0 + dx, y0 + dy) : kBlank;
      if (!std::isfinite(v)) continue;
      sum += weight * v;
      weights += weight;
    }
  }
  return weights > 0 ? static_cast<float>(sum / weights) : kBlank;
}

}  // namespace

Profile row_profile(const Pyramid& pixels, std::int64_t y, std::int64_t x0, std::int64_t x1) {
  x0 = std::max<std::int64_t>(0, x0);
  x1 = std::min(pixels.shape().nx - 1, x1);
  Profile out{static_cast<double>(x0), 1, {}};
  if (!pixels.at_hand() || pixels.first_level() != 0 || x1 < x0 || y < 0 || y >= pixels.shape().ny) return out;
  out.values.resize(static_cast<std::size_t>(x1 - x0 + 1));
  pixels.read(0, Reduction::mean, {y, x0, 1, x1 - x0 + 1}, out.values.data());
  return out;
}

Profile column_profile(const Pyramid& pixels, std::int64_t x, std::int64_t y0, std::int64_t y1) {
  y0 = std::max<std::int64_t>(0, y0);
  y1 = std::min(pixels.shape().ny - 1, y1);
  Profile out{static_cast<double>(y0), 1, {}};
  if (!pixels.at_hand() || pixels.first_level() != 0 || y1 < y0 || x < 0 || x >= pixels.shape().nx) return out;
  const std::int64_t step = pixels.in_file() ? (y1 - y0) / kMostReads + 1 : 1;
  out.step = static_cast<double>(step);
  out.values.resize(static_cast<std::size_t>((y1 - y0) / step + 1));
  if (step == 1) pixels.read(0, Reduction::mean, {y0, x, y1 - y0 + 1, 1}, out.values.data());
  for (std::size_t i = 0; step > 1 && i < out.values.size(); ++i)
    out.values[i] = pixels.value(y0 + static_cast<std::int64_t>(i) * step, x);
  return out;
}

Profile line_profile(const Pyramid& pixels, PixelPosition from, PixelPosition to) {
  Profile out;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!pixels.at_hand() || pixels.first_level() != 0 || !std::isfinite(length) || !(length < 1e6)) return out;
  const auto most = static_cast<double>(pixels.in_file() ? kMostReads : 1'000'000);
  const int steps = std::max(1, static_cast<int>(std::ceil(std::min(length, most))));
  out.step = length / steps;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    out.values.push_back(bilinear(pixels, {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)}));
  }
  return out;
}

ProfileSpread spread_of(const Profile& profile, int steps) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ProfileSpread made{0, kNone, kNone, kNone, kNone, kNone, {}};
  std::vector<double> values;
  for (const float v : profile.values)
    if (std::isfinite(v)) values.push_back(static_cast<double>(v));
  if (values.empty() || steps < 1) return made;
  std::ranges::sort(values);
  const std::size_t n = values.size();
  const auto count = static_cast<double>(n);
  made.values = static_cast<std::int64_t>(n);
  made.low = values.front();
  made.high = values.back();
  made.median = 0.5 * (values[(n - 1) / 2] + values[n / 2]);
  made.mean = 0;
  for (const double v : values) made.mean += v / count;
  double square = 0;
  for (const double v : values) square += (v - made.mean) * (v - made.mean);
  made.sigma = std::sqrt(square / count);
  const double range = made.high - made.low;
  made.counts.assign(range > 0 ? static_cast<std::size_t>(steps) : 1, 0);
  for (const double v : values) {
    const double at = range > 0 ? (v - made.low) / range * steps : 0;
    ++made.counts[std::min(static_cast<std::size_t>(at), made.counts.size() - 1)];
  }
  return made;
}

std::vector<ProfileColumn> decimate(const Profile& profile, int columns) {
  std::vector<ProfileColumn> out(static_cast<std::size_t>(std::max(0, columns)), {kBlank, kBlank});
  const std::size_t n = profile.values.size();
  if (out.empty()) return out;
  for (std::size_t i = 0; i < n; ++i) {
    const float v = profile.values[i];
    if (!std::isfinite(v)) continue;
    ProfileColumn& column = out[i * out.size() / n];
    if (!(column.low <= v)) column.low = v;
    if (!(column.high >= v)) column.high = v;
  }
  return out;
}

}  // namespace reber::gui
