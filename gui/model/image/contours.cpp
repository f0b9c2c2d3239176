// SPDX-License-Identifier: BSD-3-Clause
// Marching squares: a crossing per edge, a link between the crossings of a cell, then walks along the links.
#include "gui/model/image/contours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

/// Edges of the mesh by number: those to the right of a node first, then those above a node.
class Tracer {
 public:
  Tracer(const float* values, int ny, int nx, double level)
      : values_(values), ny_(ny), nx_(nx), level_(level), links_(2 * static_cast<std::size_t>(ny) * nx, {-1, -1}) {}

  void link_cells() {
    for (int y = 0; y + 1 < ny_; ++y) {
      for (int x = 0; x + 1 < nx_; ++x) link_cell(y, x);
    }
  }

  std::vector<Polyline> walk(const RefineCrossing& refine) {
    std::vector<Polyline> lines;
    // Open lines first, from their ends; what is left is closed.
    for (const bool open : {true, false}) {
      for (std::size_t edge = 0; edge < links_.size(); ++edge) {
        const auto& link = links_[edge];
        const bool start = open ? (link[0] >= 0) != (link[1] >= 0) : link[0] >= 0;
        if (start) lines.push_back(follow(static_cast<std::int32_t>(edge), !open, refine));
      }
    }
    return lines;
  }

 private:
  [[nodiscard]] float at(int y, int x) const { return values_[static_cast<std::size_t>(y) * nx_ + x]; }
  [[nodiscard]] std::int32_t right_of(int y, int x) const { return y * nx_ + x; }
  [[nodiscard]] std::int32_t above(int y, int x) const { return (ny_ + y) * nx_ + x; }

  void link(std::int32_t a, std::int32_t b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      auto& l = links_[static_cast<std::size_t>(from)];
      l[l[0] >= 0 ? 1 : 0] = to;
    }
  }

  void link_cell(int y, int x) {
    const float v[4] = {at(y, x), at(y, x + 1), at(y + 1, x + 1), at(y + 1, x)};
    int inside = 0;
    for (int i = 0; i < 4; ++i) {
      if (!std::isfinite(v[i])) return;
      inside |= (v[i] >= level_ ? 1 : 0) << i;
    }
    if (inside == 0 || inside == 15) return;
    // Edge i lies between corner i and corner i + 1.
    const std::array<std::int32_t, 4> edges = {right_of(y, x), above(y, x + 1), right_of(y + 1, x), above(y, x)};
    std::array<std::int32_t, 4> crossed{};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
      if ((inside >> i & 1) != (inside >> ((i + 1) % 4) & 1)) crossed[count++] = edges[i];
    }
    if (count == 2) {
      link(crossed[0], crossed[1]);
      return;
    }
    // A saddle: corners like the middle are joined, the others are cut off.
    const bool middle = 0.25 * (double{v[0]} + v[1] + v[2] + v[3]) >= level_;
    const bool first = (inside & 1) != 0;
    if (first == middle) {
      link(edges[0], edges[1]);
      link(edges[2], edges[3]);
    } else {
      link(edges[3], edges[0]);
      link(edges[1], edges[2]);
    }
  }

  [[nodiscard]] PixelPosition crossing(std::int32_t edge, const RefineCrossing& refine) const {
    const bool up = edge >= ny_ * nx_;
    const int node = up ? edge - ny_ * nx_ : edge;
    const int y = node / nx_, x = node % nx_, dx = up ? 0 : 1, dy = up ? 1 : 0;
    const double a = at(y, x), b = at(y + dy, x + dx);
    double t = std::clamp((level_ - a) / (b - a), 0.0, 1.0);
    if (refine) t = std::clamp(refine(x, y, x + dx, y + dy, t), 0.0, 1.0);
    return {x + dx * t, y + dy * t};
  }

  Polyline follow(std::int32_t edge, bool closed, const RefineCrossing& refine) {
    Polyline line;
    line.closed = closed;
    while (edge >= 0) {
      line.points.push_back(crossing(edge, refine));
      auto& here = links_[static_cast<std::size_t>(edge)];
      const std::int32_t next = here[0] >= 0 ? here[0] : here[1];
      if (next >= 0) {
        for (auto& l : links_[static_cast<std::size_t>(next)]) {
          if (l == edge) {
            l = -1;
            break;
          }
        }
      }
      here[here[0] >= 0 ? 0 : 1] = -1;
      // A closed line comes back to its first edge, whose links are used up by then.
      const bool ends =
          next >= 0 && links_[static_cast<std::size_t>(next)][0] < 0 && links_[static_cast<std::size_t>(next)][1] < 0;
      if (ends && !closed) line.points.push_back(crossing(next, refine));
      edge = ends ? -1 : next;
    }
    return line;
  }

  const float* values_;
  int ny_, nx_;
  double level_;
  std::vector<std::array<std::int32_t, 2>> links_;
};

}  // namespace

std::vector<Polyline> trace_level(const float* values, int ny, int nx, double level, const RefineCrossing& refine) {
  if (ny < 2 || nx < 2) return {};
  Tracer tracer(values, ny, nx, level);
  tracer.link_cells();
  return tracer.walk(refine);
}

std::vector<double> ContourLevels::values() const {
  std::vector<double> out;
  if (rule == Rule::percentile) {
    out = at_percents;
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  if (!(sigma > 0) || !std::isfinite(sigma) || !std::isfinite(middle) || !(first > 0) || !(factor > 1)) return out;
  if (negative) out.push_back(middle - first * sigma);
  double times = first;
  for (int i = 0; i < count; ++i, times *= factor) out.push_back(middle + times * sigma);
  return out;
}

std::vector<double> parse_percents(const std::string& text) {
  std::vector<double> percents;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::istringstream number(word);
    double percent = -1;
    std::string rest;
    if (!(number >> percent) || (number >> rest) || !(percent > 0 && percent < 100))
      throw InputError(fmt::format("'{}' is no percentage between 0 and 100; write a list such as 90, 99, 99.9", word));
    percents.push_back(percent);
  }
  if (percents.empty()) throw InputError("no percentages: write a list such as 90, 99, 99.9");
  std::ranges::sort(percents);
  return percents;
}

void smooth_field(float* values, int ny, int nx, double fwhm) {
  constexpr double kLeast = 0.3;  // pixels: less does not reach the neighbours
  if (!(fwhm > kLeast)) return;
  const double sigma = fwhm / std::sqrt(8 * std::log(2.0));
  const int reach = std::max(1, static_cast<int>(std::ceil(3 * sigma)));
  std::vector<double> weights;
  for (int d = 0; d <= reach; ++d) weights.push_back(std::exp(-0.5 * d * d / (sigma * sigma)));
  // Weighted sums along one axis, then the other; what is blank has no weight and stays blank.
  const auto count = static_cast<std::size_t>(ny) * static_cast<std::size_t>(nx);
  std::vector<double> sum(count), weight(count), line_sum, line_weight;
  for (std::size_t i = 0; i < count; ++i) {
    weight[i] = std::isfinite(values[i]) ? 1 : 0;
    sum[i] = weight[i] > 0 ? static_cast<double>(values[i]) : 0;
  }
  const auto along = [&](std::size_t first, std::size_t step, int n) {
    line_sum.assign(static_cast<std::size_t>(n), 0);
    line_weight.assign(static_cast<std::size_t>(n), 0);
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j) {
        const double w = weights[static_cast<std::size_t>(std::abs(i - j))];
        line_sum[static_cast<std::size_t>(i)] += w * sum[first + step * static_cast<std::size_t>(j)];
        line_weight[static_cast<std::size_t>(i)] += w * weight[first + step * static_cast<std::size_t>(j)];
      }
    for (int i = 0; i < n; ++i) {
      sum[first + step * static_cast<std::size_t>(i)] = line_sum[static_cast<std::size_t>(i)];
      weight[first + step * static_cast<std::size_t>(i)] = line_weight[static_cast<std::size_t>(i)];
    }
  };
  for (int y = 0; y < ny; ++y) along(static_cast<std::size_t>(y) * static_cast<std::size_t>(nx), 1, nx);
  for (int x = 0; x < nx; ++x) along(static_cast<std::size_t>(x), static_cast<std::size_t>(nx), ny);
  for (std::size_t i = 0; i < count; ++i)
    if (std::isfinite(values[i])) values[i] = static_cast<float>(sum[i] / weight[i]);
}

std::vector<Contour> contours_of(const Pyramid& pixels, const Rect& area, const ContourLevels& levels,
                                 std::int64_t most_side, const Progress& progress) {
  std::vector<Contour> out;
  if (area.nx < 2 || area.ny < 2) return out;
  int level = pixels.first_level();
  while (level + 1 < pixels.levels() && (std::max(area.nx, area.ny) >> level) > most_side) ++level;
  const Shape shape = pixels.level_shape(level);
  const std::int64_t size = std::int64_t{1} << level;
  // One node more on each side, so that lines reach the border.
  Rect rect{std::max<std::int64_t>(0, area.y0 / size - 1), std::max<std::int64_t>(0, area.x0 / size - 1), 0, 0};
  rect.ny = std::min(shape.ny, (area.y0 + area.ny) / size + 2) - rect.y0;
  rect.nx = std::min(shape.nx, (area.x0 + area.nx) / size + 2) - rect.x0;
  if (rect.ny < 2 || rect.nx < 2) return out;
  std::vector<float> values(static_cast<std::size_t>(rect.ny * rect.nx));
  pixels.read(level, Reduction::mean, rect, values.data());
  const auto step = static_cast<double>(size);
  smooth_field(values.data(), static_cast<int>(rect.ny), static_cast<int>(rect.nx), levels.smooth_px / step);
  const std::vector<double> wanted = levels.values();
  for (const double value : wanted) {
    progress.report("contours", static_cast<double>(out.size()) / static_cast<double>(wanted.size()));
    Contour contour{value, value < levels.middle,
                    trace_level(values.data(), static_cast<int>(rect.ny), static_cast<int>(rect.nx), value)};
    for (Polyline& line : contour.lines) {
      for (PixelPosition& p : line.points) {
        p.x = (p.x + static_cast<double>(rect.x0) + 0.5) * step - 0.5;
        p.y = (p.y + static_cast<double>(rect.y0) + 0.5) * step - 0.5;
      }
    }
    out.push_back(std::move(contour));
  }
  return out;
}

}  // namespace reber::gui
