// SPDX-License-Identifier: BSD-3-Clause
// Rows of an ellipse by its equation, of a polygon by the edges that cross them.
#include "core/sky/regions/region_spans.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/sky/regions/casa_rows.hpp"
#include "core/sky/regions/region_rows.hpp"

namespace reber {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A number that is a centre's but for rounding becomes it.
double snapped(double value) {
  const double whole = std::nearbyint(value);
  return std::abs(value - whole) < 1e-6 ? whole : value;
}

/// Runs apart and from left to right.
void join(PixelRuns& runs) {
  std::erase_if(runs, [](const PixelRun& run) { return !(run.first <= run.second); });
  std::ranges::sort(runs);
  std::size_t kept = 0;
  for (const PixelRun& run : runs) {
    if (kept > 0 && run.first <= runs[kept - 1].second + 1)
      runs[kept - 1].second = std::max(runs[kept - 1].second, run.second);
    else
      runs[kept++] = run;
  }
  runs.resize(kept);
}

/// With H the half height, the row dy above the centre is hx hy sqrt(H^2 - dy^2) / H^2 wide on both sides of its
/// middle, which lies at dy cos sin (hx^2 - hy^2) / H^2.
class EllipseRows final : public OutlineRows {
 public:
  explicit EllipseRows(const Region& region) : centre_(region.centre) {
    const double half_x = region.half_x, half_y = region.half_y;
    const double c = std::cos(region.angle_deg * kPi / 180), s = std::sin(region.angle_deg * kPi / 180);
    height_ = std::hypot(half_x * s, half_y * c);
    width_ = half_x * half_y / height_;
    slope_ = c * s * (half_x - half_y) * (half_x + half_y) / (height_ * height_);
  }
  [[nodiscard]] PixelRun rows() const override {
    return {std::ceil(snapped(centre_.y - height_)), std::floor(snapped(centre_.y + height_))};
  }
  void at(double y, PixelRuns& runs) override {
    const double dy = y - centre_.y, above = height_ - std::abs(dy);
    if (!(above > 1e-6)) return;
    const double half = width_ * std::sqrt(above * (height_ + std::abs(dy))) / height_;
    const double left = snapped(centre_.x + dy * slope_ - half), right = snapped(centre_.x + dy * slope_ + half);
    runs.emplace_back(std::floor(left) + 1, std::ceil(right) - 1);
  }

 private:
  PixelPosition centre_;
  double height_ = 0, width_ = 0, slope_ = 0;
};

/// Edges as funtools walks along them: from their lower end in pixels counted from 1, by the slope from row to row. A
/// crossing that falls on a centre is on the side where these sums round it, as in `funcnts`.
class PolygonRows final : public OutlineRows {
 public:
  /// computed: corners that are not the file's own round in their own way, so crossings are snapped to centres
  PolygonRows(std::vector<PixelPosition> points, bool computed) : snap_(computed) {
    for (PixelPosition& p : points) p = {snapped(p.x) + 1, snapped(p.y) + 1};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PixelPosition &a = points[i], &b = points[(i + 1) % points.size()];
      const PixelPosition &low = a.y < b.y ? a : b, &high = a.y < b.y ? b : a;
      top_ = std::max(top_, high.y);
      if (low.y < high.y) edges_.push_back({low, high.y, (low.x - high.x) / (low.y - high.y)});
    }
    std::ranges::sort(edges_, {}, [](const Edge& edge) { return edge.at.y; });
  }
  [[nodiscard]] PixelRun rows() const override {
    return edges_.empty() ? PixelRun{0, -1} : PixelRun{std::ceil(edges_.front().at.y) - 1, std::floor(top_) - 1};
  }
  void at(double row, PixelRuns& runs) override {
    const double y = row + 1;
    for (Edge& edge : active_) edge.at.x += edge.slope;
    for (; next_ < edges_.size() && edges_[next_].at.y < y; ++next_) {
      active_.push_back(edges_[next_]);
      active_.back().at.x += (y - active_.back().at.y) * active_.back().slope;
    }
    std::erase_if(active_, [&](const Edge& edge) { return edge.top < y; });
    starts_.clear();
    for (const Edge& edge : active_) starts_.push_back(std::floor((snap_ ? snapped(edge.at.x) : edge.at.x) + 1) - 1);
    std::ranges::sort(starts_);
    for (std::size_t i = 0; i + 1 < starts_.size(); i += 2) runs.emplace_back(starts_[i], starts_[i + 1] - 1);
  }

 private:
  struct Edge {
    PixelPosition at;  ///< lower end, then its crossing of the row
    double top, slope;
  };
  std::vector<Edge> edges_, active_;
  std::size_t next_ = 0;
  std::vector<double> starts_;  ///< first pixels right of the crossings
  double top_ = -1e300;
  bool snap_;
};

/// What both have, of runs that are apart and from left to right.
PixelRuns common(const PixelRuns& a, const PixelRuns& b) {
  PixelRuns out;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const PixelRun both{std::max(i->first, j->first), std::min(i->second, j->second)};
    if (both.first <= both.second) out.push_back(both);
    ++(i->second < j->second ? i : j);
  }
  return out;
}

/// Rows of the sector that a region is cut to, a polygon that reaches beyond it; null where it is whole.
std::unique_ptr<OutlineRows> sector_of(const Region& region) {
  if (!region.is_sector()) return nullptr;
  std::vector<PixelPosition> points{region.centre};
  // Corners an eighth of a turn apart, so that no chord comes nearer than the region's farthest corner.
  const double reach = 1.1 * std::hypot(region.half_x, region.half_y);
  const int steps = static_cast<int>(std::ceil((region.to_deg - region.from_deg) / 45));
  for (int i = 0; i <= steps; ++i) {
    const double turned =
        (region.angle_deg + region.from_deg + i * (region.to_deg - region.from_deg) / steps) * kPi / 180;
    points.push_back({region.centre.x + reach * std::cos(turned), region.centre.y + reach * std::sin(turned)});
  }
  return std::make_unique<PolygonRows>(std::move(points), true);
}

std::unique_ptr<OutlineRows> rows_of(const Region& region, Shape image) {
  if (region.border == Border::casa) return casa_rows(region, image);
  if (region.kind == Region::Kind::ellipse) return std::make_unique<EllipseRows>(region);
  return std::make_unique<PolygonRows>(outline_of(region), region.kind == Region::Kind::box);
}

bool has_pixels(const Region& region) {
  if (region.kind == Region::Kind::polygon) {
    return region.points.size() >= 3 && std::ranges::all_of(region.points, [](const PixelPosition& p) {
             return std::abs(p.x) < 1e15 && std::abs(p.y) < 1e15;
           });
  }
  return region.has_area() && region.half_x > 0 && region.half_y > 0 && std::isfinite(region.angle_deg) &&
         std::abs(region.centre.x) < 1e15 && std::abs(region.centre.y) < 1e15 && region.half_x < 1e15 &&
         region.half_y < 1e15;
}

/// What is in a and not in b, as in common().
PixelRuns without(const PixelRuns& a, const PixelRuns& b) {
  PixelRuns out;
  auto hole = b.begin();
  for (PixelRun run : a) {
    while (hole != b.end() && hole->second < run.first) ++hole;
    for (auto next = hole; next != b.end() && next->first <= run.second; ++next) {
      if (run.first < next->first) out.emplace_back(run.first, next->first - 1);
      run.first = next->second + 1;
    }
    if (run.first <= run.second) out.push_back(run);
  }
  return out;
}

/// Rows of a region with its hole and its sector, cut to the image.
class RegionRows {
 public:
  RegionRows(const Region& region, Shape image) : last_x_(static_cast<double>(image.nx - 1)) {
    if (!has_pixels(region)) return;
    Region outer = region;
    outer.from_deg = outer.to_deg = 0;
    outer_ = rows_of(outer, image);
    sector_ = sector_of(region);
    const std::optional<Region> inner = hole_of(region);
    if (inner && has_pixels(*inner)) hole_ = rows_of(*inner, image);
    const auto [low, high] = outer_->rows();
    rows_ = {std::max(low, 0.0), std::min(high, static_cast<double>(image.ny - 1))};
  }
  /// First and last row; none where first > last.
  [[nodiscard]] PixelRun rows() const { return rows_; }
  /// The runs of row y, apart and from left to right. Rows are asked for one after another, from the first.
  const PixelRuns& at(double y) {
    fill(runs_, *outer_, y);
    if (sector_) runs_ = common(runs_, fill(other_, *sector_, y));
    if (hole_) runs_ = without(runs_, fill(other_, *hole_, y));
    for (PixelRun& run : runs_) run = {std::max(run.first, 0.0), std::min(run.second, last_x_)};
    std::erase_if(runs_, [](const PixelRun& run) { return run.first > run.second; });
    return runs_;
  }

 private:
  static const PixelRuns& fill(PixelRuns& runs, OutlineRows& rows, double y) {
    runs.clear();
    rows.at(y, runs);
    join(runs);
    return runs;
  }

  std::unique_ptr<OutlineRows> outer_, sector_, hole_;
  PixelRun rows_{0, -1};
  PixelRuns runs_, other_;
  double last_x_;
};

/// Whether each region is taken after those before it, as CASA does, and not those that are excluded last.
bool one_after_another(const std::vector<Region>& regions) {
  return std::ranges::all_of(regions, [](const Region& region) { return region.border == Border::casa; });
}

}  // namespace

void for_each_span(const Region& region, Shape image, const std::function<void(const RegionSpan&)>& take,
                   const Progress& progress) {
  RegionRows rows(region, image);
  for (double y = rows.rows().first; y <= rows.rows().second; ++y) {
    progress.check();
    for (const auto& [first, last] : rows.at(y))
      take({static_cast<std::int64_t>(y), static_cast<std::int64_t>(first), static_cast<std::int64_t>(last) + 1});
  }
}

std::vector<bool> for_each_row(const std::vector<Region>& regions, Shape image,
                               const std::function<void(std::int64_t, const PixelRuns&)>& take,
                               const Progress& progress) {
  const auto count = regions.size();
  std::vector<std::size_t> order(count), waiting(count), active;
  std::iota(order.begin(), order.end(), 0);
  if (!one_after_another(regions))
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return !regions[i].excluded; });
  std::vector<RegionRows> rows;
  for (const std::size_t i : order) {
    progress.check();
    rows.emplace_back(regions[i], image);
  }
  std::iota(waiting.begin(), waiting.end(), 0);
  std::ranges::stable_sort(waiting, std::greater(), [&](std::size_t k) { return rows[k].rows().first; });
  const bool all_but = std::ranges::all_of(regions, &Region::excluded);
  std::vector<bool> held(count, false);
  for (std::int64_t row = 0; row < image.ny; ++row) {
    const auto y = static_cast<double>(row);
    const std::size_t before = active.size();
    for (; !waiting.empty() && rows[waiting.back()].rows().first <= y; waiting.pop_back())
      active.push_back(waiting.back());
    if (active.size() > before) std::ranges::sort(active);
    std::erase_if(active, [&](std::size_t k) { return rows[k].rows().second < y; });
    PixelRuns inside, group;
    if (all_but) inside.emplace_back(0, static_cast<double>(image.nx - 1));
    for (std::size_t i = 0; i < active.size(); ++i) {
      progress.check();
      const bool excluded = regions[order[active[i]]].excluded;
      const PixelRuns& runs = rows[active[i]].at(y);
      if (!runs.empty()) held[order[active[i]]] = true;
      group.insert(group.end(), runs.begin(), runs.end());
      if (i + 1 < active.size() && regions[order[active[i + 1]]].excluded == excluded) continue;
      if (!excluded) group.insert(group.end(), inside.begin(), inside.end());
      join(group);
      inside = excluded ? without(inside, group) : group;
      group.clear();
    }
    progress.check();
    take(row, inside);
  }
  return held;
}

}  // namespace reber
