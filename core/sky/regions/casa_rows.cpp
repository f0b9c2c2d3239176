// SPDX-License-Identifier: BSD-3-Clause
// Ellipses by their equation, polygons by crossings; every number that is rounded is a float because casacore's is.
#include "core/sky/regions/casa_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reber {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNear = 1e-5;

/// least: how far from 0 a number is near it
bool near_to(float a, float b, double least) {
  if (a == 0 || b == 0) return std::abs(double{a} - b) <= least;
  return (a > 0) == (b > 0) && std::abs(double{a} - b) <= kNear * std::max(std::abs(double{a}), std::abs(double{b}));
}
bool is_near(float a, float b) { return near_to(a, b, kNear); }

/// The first and last pixel of a run that begins or ends at v.
double first_from(float v) {
  const auto whole = static_cast<float>(std::floor(v + 0.1));
  return std::max(std::trunc(is_near(whole, v) ? v + 0.1 : double{v + 1.0f}), 0.0);
}
double last_to(float v) {
  const auto whole = static_cast<float>(std::floor(v + 0.1));
  return std::trunc(is_near(whole, v) ? v + 0.1 : double{v});
}

class PolygonRows final : public OutlineRows {
 public:
  explicit PolygonRows(const std::vector<PixelPosition>& points) {
    std::vector<float> x, y;
    for (const PixelPosition& p : points) {
      x.push_back(static_cast<float>(p.x));
      y.push_back(static_cast<float>(p.y));
    }
    if (!is_near(x.back(), x.front()) || !is_near(y.back(), y.front())) {
      x.push_back(x.front());
      y.push_back(y.front());
    }
    x.back() = x.front();
    y.back() = y.front();
    left_ = static_cast<float>(first_from(std::ranges::min(x)));
    right_ = last_to(std::ranges::max(x));
    rows_ = {first_from(std::ranges::min(y)), last_to(std::ranges::max(y))};
    add_edges(x, y);
  }
  [[nodiscard]] PixelRun rows() const override { return rows_; }
  void at(double row, PixelRuns& runs) override {
    for (; next_ < edges_.size() && edges_[next_].from <= row; ++next_) active_.push_back(edges_[next_]);
    std::erase_if(active_, [&](const Edge& edge) { return edge.to < row; });
    const auto y = static_cast<float>(row);
    crossings_.clear();
    for (const Edge& edge : active_) {
      if (edge.level) {
        if (std::trunc(edge.y0) == y && is_near(y, edge.y0)) add_run(edge.a - left_, edge.b - left_, runs);
        continue;
      }
      const bool starts = is_near(y, edge.y0);
      const bool between = (y > edge.y0 && y < edge.y1) || (y < edge.y0 && y > edge.y1);
      // A corner at the row is its first edge's, and its second edge's as well where the outline turns back there.
      if ((between || starts || is_near(y, edge.y1)) && (!starts || edge.turns))
        crossings_.push_back(edge.a * y + edge.b - left_);
    }
    std::ranges::sort(crossings_);
    for (std::size_t i = 0; i + 1 < crossings_.size(); i += 2) add_run(crossings_[i], crossings_[i + 1], runs);
  }

 private:
  /// x = a y + b from y0 to y1; of a level edge a and b are its ends.
  struct Edge {
    float a, b, y0, y1;
    bool level, turns;
    double from, to;  ///< rows that may meet it
  };
  void add_edges(const std::vector<float>& x, const std::vector<float>& y) {
    const std::size_t count = x.size() - 1;
    const auto level = [&](std::size_t i) { return is_near(y[i], y[i + 1]); };
    const auto rises = [&](std::size_t i) { return y[i] < y[i + 1]; };
    std::size_t before = count;
    for (std::size_t i = count; i-- > 0 && before == count;)
      if (!level(i)) before = i;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [low, high] = std::minmax({y[i], y[i + 1]});
      Edge edge{0, 0, y[i], y[i + 1], level(i), false, low - margin(low), high + margin(high)};
      if (edge.level) {
        edge.a = std::min(x[i], x[i + 1]);
        edge.b = std::max(x[i], x[i + 1]);
      } else {
        edge.a = (x[i] - x[i + 1]) / (y[i] - y[i + 1]);
        edge.b = x[i] - edge.a * y[i];
        edge.turns = rises(i) != rises(before);
        before = i;
      }
      edges_.push_back(edge);
    }
    std::ranges::sort(edges_, {}, &Edge::from);
  }
  static double margin(float y) { return 2 * kNear * std::max(1.0, std::abs(double{y})); }
  void add_run(float from, float to, PixelRuns& runs) const {
    runs.emplace_back(first_from(from) + left_, std::min(last_to(to) + left_, right_));
  }

  std::vector<Edge> edges_, active_;
  std::size_t next_ = 0;
  std::vector<float> crossings_;
  float left_ = 0;    ///< first column of the bounding box
  double right_ = 0;  ///< its last
  PixelRun rows_;
};

/// What casacore makes of a range of pixels around a centre.
struct Range {
  float centre = 0, reach = 0;
  float tolerance = 0;
  double first = 0, last = -1;
  bool centre_in_image = false;

  Range(double at, double half, std::int64_t length)
      : centre(static_cast<float>(at)), reach(std::max(static_cast<float>(half), std::numeric_limits<float>::min())) {
    tolerance = std::pow(10.0f, static_cast<float>(static_cast<int>(std::log10(2 * reach)) - 5));
    const auto end = static_cast<double>(length - 1);
    centre_in_image = centre >= 0 && centre <= end;
    if (centre + reach < 0 || centre - reach > end) return;
    first = std::max(std::trunc(double{centre - reach + 1 - tolerance}), 0.0);
    last = std::min(std::trunc(double{centre + reach + tolerance}), end);
  }
};

/// Axes along those of the image. A row's distance is carried on from the row before, as casacore does.
class StraightRows final : public OutlineRows {
 public:
  StraightRows(PixelPosition centre, double half_x, double half_y, Shape image)
      : x_(centre.x, half_x, image.nx), y_(centre.y, half_y, image.ny) {
    inside_ = x_.centre_in_image && y_.centre_in_image;
    across_ = x_.centre - static_cast<float>(x_.first);
    up_ = y_.centre - static_cast<float>(y_.first);
    const float start = (inside_ ? std::max(0.0f, up_) : up_) / y_.reach;
    part_ = start * start;
    sum_ = part_;
  }
  [[nodiscard]] PixelRun rows() const override {
    return x_.first <= x_.last ? PixelRun{y_.first, y_.last} : PixelRun{0, -1};
  }
  void at(double row, PixelRuns& runs) override {
    if (row < y_.first || row > y_.last) return;
    if (row > y_.first) {
      sum_ -= part_;
      const float away = (up_ - static_cast<float>(row - y_.first)) / y_.reach;
      part_ = away * away;
      sum_ += part_;
    }
    const float left_over = 1 - sum_;
    if (!(left_over >= 0)) return;
    float half = x_.reach * std::sqrt(left_over), tolerance = x_.tolerance;
    if (inside_) {
      half = std::sqrt(left_over * (x_.reach * x_.reach)) + x_.tolerance;
      tolerance = y_.tolerance;
    }
    runs.emplace_back(std::max(std::trunc(double{across_ - half + 1 - tolerance}), 0.0) + x_.first,
                      std::min(std::trunc(double{across_ + half + tolerance}) + x_.first, x_.last));
  }

 private:
  Range x_, y_;
  bool inside_ = false;
  float across_ = 0, up_ = 0;  ///< of the centre in the bounding box
  float part_ = 0, sum_ = 0;
};

/// Turned axes: pixel by pixel, from where the exact outline is.
class TurnedRows final : public OutlineRows {
 public:
  TurnedRows(PixelPosition centre, double half_x, double half_y, float angle, Shape image)
      : x_(centre.x, std::max(half_x, half_y), image.nx),
        y_(centre.y, std::max(half_x, half_y), image.ny),
        half_x_(static_cast<float>(half_x)),
        half_y_(static_cast<float>(half_y)),
        c_(std::cos(-angle)),
        s_(std::sin(-angle)) {}
  [[nodiscard]] PixelRun rows() const override {
    return x_.first <= x_.last ? PixelRun{y_.first, y_.last} : PixelRun{0, -1};
  }
  void at(double row, PixelRuns& runs) override {
    if (row < y_.first || row > y_.last) return;
    const auto up = static_cast<float>(row - y_.first) - (y_.centre - static_cast<float>(y_.first));
    // With p = x c - up s and q = x s + up c: p^2/a^2 + q^2/b^2 = A x^2 - 2 B x + C <= 1.
    const double aa = double{half_x_} * half_x_, bb = double{half_y_} * half_y_, c = c_, s = s_;
    const double quad = c * c / aa + s * s / bb, slope = c * s * (1 / aa - 1 / bb) * up;
    const double rest = (s * s / aa + c * c / bb) * up * up - 1, root = slope * slope - quad * rest;
    const double middle = x_.centre + slope / quad, half = root > 0 ? std::sqrt(root) / quad : 0;
    double left = std::round(std::clamp(middle - half, x_.first, x_.last)),
           right = std::round(std::clamp(middle + half, x_.first, x_.last));
    while (left > x_.first && holds(left - 1, up)) --left;
    while (right < x_.last && holds(right + 1, up)) ++right;
    while (left <= right && !holds(left, up)) ++left;
    while (left <= right && !holds(right, up)) --right;
    runs.emplace_back(left, right);
  }

 private:
  [[nodiscard]] bool holds(double x, float up) const {
    const auto across = static_cast<float>(x - x_.first) - (x_.centre - static_cast<float>(x_.first));
    const float p = across * c_ - up * s_, q = across * s_ + up * c_;
    return p * p / (half_x_ * half_x_) + q * q / (half_y_ * half_y_) <= 1;
  }

  Range x_, y_;
  float half_x_, half_y_, c_, s_;
};

std::unique_ptr<OutlineRows> ellipse_rows(const Region& region, Shape image) {
  const double turn = region.half_x < region.half_y ? 90 : 0;
  const double major = std::max(region.half_x, region.half_y), minor = std::min(region.half_x, region.half_y);
  auto angle = static_cast<float>(std::fmod((region.angle_deg + turn) * kPi / 180, kPi));
  if (angle < 0) angle = static_cast<float>(angle + kPi);
  const float quarter = static_cast<float>(kPi / 2);
  if (static_cast<float>(major) == static_cast<float>(minor) || near_to(angle, 0, std::numeric_limits<float>::min()))
    return std::make_unique<StraightRows>(region.centre, major, minor, image);
  if (is_near(angle, quarter)) return std::make_unique<StraightRows>(region.centre, minor, major, image);
  return std::make_unique<TurnedRows>(region.centre, major, minor, angle, image);
}

}  // namespace

std::unique_ptr<OutlineRows> casa_rows(const Region& region, Shape image) {
  if (region.kind == Region::Kind::ellipse) return ellipse_rows(region, image);
  return std::make_unique<PolygonRows>(outline_of(region));
}

}  // namespace reber
