// SPDX-License-Identifier: BSD-3-Clause
// Walks along an edge and finds where a coordinate crosses its round values.
#include "gui/model/sky/view_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace reber::gui {
namespace {

constexpr int kSamples = 256;

bool in_hours(const Wcs& wcs, SkyAxis axis) {
  const auto frame = wcs.frame();
  return axis == SkyAxis::longitude &&
         (frame == Wcs::Frame::icrs || frame == Wcs::Frame::fk5 || frame == Wcs::Frame::fk4);
}

/// Round steps in arcseconds, or in seconds of time.
double round_step(double degrees_wanted, bool hours) {
  constexpr std::array<double, 25> kSteps = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05,  0.1,  0.2, 0.5,
                                             1,     2,     5,     10,   15,   30,    60,   120, 300,
                                             600,   900,   1800,  3600, 7200, 14400, 21600};
  const double unit = hours ? 15.0 / 3600 : 1.0 / 3600;
  for (const double step : kSteps)
    if (step * unit >= degrees_wanted) return step * unit;
  for (const double degrees : {5.0, 10.0, 15.0, 30.0, 45.0})
    if (degrees >= degrees_wanted) return degrees;
  return 90;
}

ScreenPoint edge_point(const ScreenRect& r, FrameEdge edge, double part) {
  switch (edge) {
    case FrameEdge::bottom:
      return {r.x + part * r.width, r.y + r.height};
    case FrameEdge::top:
      return {r.x + part * r.width, r.y};
    case FrameEdge::left:
      return {r.x, r.y + part * r.height};
    case FrameEdge::right:
      return {r.x + r.width, r.y + part * r.height};
  }
  return {};
}

/// A coordinate along an edge; longitudes run on past 0 and 360.
class EdgeWalk {
 public:
  EdgeWalk(const Wcs& wcs, const CanvasTransform& canvas, FrameEdge edge, SkyAxis axis)
      : wcs_(wcs), canvas_(canvas), edge_(edge), axis_(axis) {
    for (int i = 0; i <= kSamples; ++i) {
      auto value = at(static_cast<double>(i) / kSamples, values_.empty() ? std::nullopt : values_.back());
      values_.push_back(value);
    }
  }

  /// near: the longitude beside it, for the turn it belongs to.
  [[nodiscard]] std::optional<double> at(double part, std::optional<double> near) const {
    const PixelPosition pixel = canvas_.to_image(edge_point(canvas_.canvas(), edge_, part));
    const auto sky = wcs_.to_sky(pixel.x, pixel.y);
    if (!sky) return std::nullopt;
    if (axis_ == SkyAxis::latitude) return sky->lat_deg;
    return near ? sky->lon_deg - 360 * std::round((sky->lon_deg - *near) / 360) : sky->lon_deg;
  }
  [[nodiscard]] const std::vector<std::optional<double>>& values() const { return values_; }
  [[nodiscard]] double range() const {
    double low = INFINITY, high = -INFINITY;
    for (const auto& value : values_) {
      if (!value) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
    return low <= high ? high - low : 0;
  }

 private:
  const Wcs& wcs_;
  const CanvasTransform& canvas_;
  FrameEdge edge_;
  SkyAxis axis_;
  std::vector<std::optional<double>> values_;
};

/// Part of the edge at which the coordinate has the value, between two samples around it.
double refine(const EdgeWalk& walk, double from, double to, double from_value, double wanted) {
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (from + to);
    const auto value = walk.at(middle, from_value);
    if (!value) break;
    if ((*value < wanted) == (from_value < wanted)) {
      from = middle;
      from_value = *value;
    } else {
      to = middle;
    }
  }
  return 0.5 * (from + to);
}

}  // namespace

std::vector<EdgeTick> edge_ticks(const Wcs& wcs, const CanvasTransform& canvas, FrameEdge edge, SkyAxis axis,
                                 int wanted) {
  std::vector<EdgeTick> ticks;
  if (!wcs.celestial()) return ticks;
  const EdgeWalk walk(wcs, canvas, edge, axis);
  if (!(walk.range() > 0)) return ticks;
  const bool hours = in_hours(wcs, axis);
  const double step = round_step(walk.range() / std::max(1, wanted), hours);
  for (int i = 0; i < kSamples; ++i) {
    const auto a = walk.values()[static_cast<std::size_t>(i)], b = walk.values()[static_cast<std::size_t>(i) + 1];
    if (!a || !b || std::abs(*b - *a) > 90) continue;
    const double low = std::min(*a, *b), high = std::max(*a, *b);
    for (double k = std::ceil(low / step); k * step < high && ticks.size() < 100; ++k) {
      const double value = k * step;
      const double part = refine(walk, static_cast<double>(i) / kSamples, (i + 1.0) / kSamples, *a, value);
      const double turned = axis == SkyAxis::longitude ? value - 360 * std::floor(value / 360 + 1e-12) : value;
      ticks.push_back({edge_point(canvas.canvas(), edge, part), turned,
                       hours ? hours_text(turned, step) : degrees_text(turned, step, axis == SkyAxis::latitude)});
    }
  }
  return ticks;
}

SkyAxis bottom_axis(const Wcs& wcs, const CanvasTransform& canvas) {
  const double lon = EdgeWalk(wcs, canvas, FrameEdge::bottom, SkyAxis::longitude).range();
  const double lat = EdgeWalk(wcs, canvas, FrameEdge::bottom, SkyAxis::latitude).range();
  const ScreenRect& r = canvas.canvas();
  const PixelPosition middle = canvas.to_image({r.x + 0.5 * r.width, r.y + 0.5 * r.height});
  const auto sky = wcs.to_sky(middle.x, middle.y);
  const double shrink = sky ? std::cos(sky->lat_deg * 3.14159265358979323846 / 180) : 1;
  return lon * shrink >= lat ? SkyAxis::longitude : SkyAxis::latitude;
}

std::string axis_title(const Wcs& wcs, SkyAxis axis) {
  const bool lon = axis == SkyAxis::longitude;
  switch (wcs.frame()) {
    case Wcs::Frame::galactic:
      return lon ? "Galactic longitude" : "Galactic latitude";
    case Wcs::Frame::ecliptic:
      return lon ? "Ecliptic longitude" : "Ecliptic latitude";
    default:
      return fmt::format("{} ({})", lon ? "Right ascension" : "Declination", wcs.frame_name());
  }
}

}  // namespace reber::gui
