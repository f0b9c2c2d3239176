// SPDX-License-Identifier: BSD-3-Clause
// Rows of an ellipse by its equation, of a polygon by the edges that cross them.
#include "core/sky/regions/region_spans.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace reber {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A number that is a centre's but for rounding becomes it.
double snapped(double value) {
  const double whole = std::nearbyint(value);
  return std::abs(value - whole) < 1e-6 ? whole : value;
}

/// Pixels from first to last of a row; none where first > last.
using Run = std::pair<double, double>;
using Runs = std::vector<Run>;

/// Runs apart and from left to right.
void join(Runs& runs) {
  std::erase_if(runs, [](const Run& run) { return !(run.first <= run.second); });
  std::ranges::sort(runs);
  std::size_t kept = 0;
  for (const Run& run : runs) {
    if (kept > 0 && run.first <= runs[kept - 1].second + 1)
      runs[kept - 1].second = std::max(runs[kept - 1].second, run.second);
    else
      runs[kept++] = run;
  }
  runs.resize(kept);
}

/// The runs of an outline; rows are asked for upwards.
class Rows {
 public:
  virtual ~Rows() = default;
  /// First and last row.
  [[nodiscard]] virtual Run rows() const = 0;
  virtual void at(double y, Runs& runs) = 0;
};

/// With H the half height, the row dy above the centre is hx hy sqrt(H^2 - dy^2) / H^2 wide on both sides of its
/// middle, which lies at dy cos sin (hx^2 - hy^2) / H^2.
class EllipseRows final : public Rows {
 public:
  EllipseRows(const Region& region, double half_x, double half_y)
      : centre_(region.centre), closed_(region.border == Border::casa) {
    const double c = std::cos(region.angle_deg * kPi / 180), s = std::sin(region.angle_deg * kPi / 180);
    height_ = std::hypot(half_x * s, half_y * c);
    width_ = half_x * half_y / height_;
    slope_ = c * s * (half_x - half_y) * (half_x + half_y) / (height_ * height_);
  }
  [[nodiscard]] Run rows() const override {
    return {std::ceil(snapped(centre_.y - height_)), std::floor(snapped(centre_.y + height_))};
  }
  void at(double y, Runs& runs) override {
    const double dy = y - centre_.y, above = height_ - std::abs(dy);
    const bool tip = std::abs(above) < 1e-6;
    if (!tip && !(above > 0)) return;
    const double half = tip ? 0 : width_ * std::sqrt(above * (height_ + std::abs(dy))) / height_;
    const double left = snapped(centre_.x + dy * slope_ - half), right = snapped(centre_.x + dy * slope_ + half);
    if (closed_)
      runs.emplace_back(std::ceil(left), std::floor(right));
    else
      runs.emplace_back(std::floor(left) + 1, std::ceil(right) - 1);
  }

 private:
  PixelPosition centre_;
  bool closed_;
  double height_ = 0, width_ = 0, slope_ = 0;
};

class PolygonRows final : public Rows {
 public:
  PolygonRows(std::vector<PixelPosition> points, Border border) : closed_(border == Border::casa) {
    for (PixelPosition& p : points) p = {snapped(p.x), snapped(p.y)};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PixelPosition &a = points[i], &b = points[(i + 1) % points.size()];
      edges_.push_back(a.y < b.y || (a.y == b.y && a.x <= b.x) ? Edge{a, b} : Edge{b, a});
    }
    std::ranges::sort(edges_, {}, [](const Edge& edge) { return edge.low.y; });
  }
  [[nodiscard]] Run rows() const override {
    double high = edges_.front().high.y;
    for (const Edge& edge : edges_) high = std::max(high, edge.high.y);
    return {std::ceil(edges_.front().low.y), std::floor(high)};
  }
  void at(double y, Runs& runs) override {
    for (; next_ < edges_.size() && edges_[next_].low.y <= y; ++next_) active_.push_back(edges_[next_]);
    std::erase_if(active_, [&](const Edge& edge) { return edge.high.y < y; });
    below_.clear();
    above_.clear();
    for (const Edge& edge : active_) {
      if (edge.low.y == edge.high.y) {
        if (closed_) runs.emplace_back(std::ceil(edge.low.x), std::floor(edge.high.x));
        continue;
      }
      const double x = snapped(edge.low.x + (y - edge.low.y) * (edge.high.x - edge.low.x) / (edge.high.y - edge.low.y));
      if (edge.low.y < y) below_.push_back(x);
      if (edge.high.y > y) above_.push_back(x);
    }
    pair_up(below_, runs);
    if (closed_) pair_up(above_, runs);
  }

 private:
  struct Edge {
    PixelPosition low, high;
  };
  void pair_up(std::vector<double>& crossings, Runs& runs) const {
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      runs.emplace_back(closed_ ? std::ceil(crossings[i]) : std::floor(crossings[i]) + 1, std::floor(crossings[i + 1]));
  }

  std::vector<Edge> edges_, active_;
  std::size_t next_ = 0;
  std::vector<double> below_, above_;  ///< where edges cross just below the row, and just above it
  bool closed_;
};

std::unique_ptr<Rows> rows_of(const Region& region) {
  if (region.kind == Region::Kind::ellipse) return std::make_unique<EllipseRows>(region, region.half_x, region.half_y);
  return std::make_unique<PolygonRows>(outline_of(region), region.border);
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

}  // namespace

void for_each_span(const Region& region, Shape image, const std::function<void(const PixelSpan&)>& take) {
  if (!has_pixels(region)) return;
  const auto whole = rows_of(region);
  const std::optional<Region> inner = hole_of(region);
  const auto hole = inner && has_pixels(*inner) ? rows_of(*inner) : nullptr;
  const auto [low, high] = whole->rows();
  const double last_y = std::min(high, static_cast<double>(image.ny - 1)), last_x = static_cast<double>(image.nx - 1);
  Runs runs, holes;
  for (double y = std::max(low, 0.0); y <= last_y; ++y) {
    runs.clear();
    holes.clear();
    whole->at(y, runs);
    join(runs);
    if (hole) hole->at(y, holes);
    join(holes);
    for (const Run& run : runs) {
      double from = std::max(run.first, 0.0);
      const double to = std::min(run.second, last_x);
      const auto give = [&](double end) {
        if (from <= end)
          take({static_cast<std::int64_t>(y), static_cast<std::int64_t>(from), static_cast<std::int64_t>(end) + 1});
      };
      for (const Run& gap : holes) {
        give(std::min(gap.first - 1, to));
        from = std::max(from, gap.second + 1);
      }
      give(to);
    }
  }
}

}  // namespace reber
