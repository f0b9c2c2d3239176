// SPDX-License-Identifier: BSD-3-Clause
// Directions, lengths and ellipses through the local geometry of the image.
#include "gui/model/sky/compass.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace reber::gui {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Length {
  double degrees;
  const char* text;
};

}  // namespace

std::optional<Compass> compass_at(const SkyView& sky, const CanvasTransform& canvas, PixelPosition at) {
  const auto here = sky.to_sky(at.x, at.y), beside = sky.to_sky(at.x + 1, at.y);
  if (!here || !beside) return std::nullopt;
  const double step = separation_deg(*here, *beside), cosine = std::cos(here->lat_deg * kPi / 180);
  if (!(step > 0) || !(std::abs(here->lat_deg) + step < 90) || !(cosine > 0)) return std::nullopt;
  const auto direction = [&](double east, double north) -> std::optional<ScreenPoint> {
    const auto ahead = sky.to_pixel({here->lon_deg + east / cosine, here->lat_deg + north}),
               behind = sky.to_pixel({here->lon_deg - east / cosine, here->lat_deg - north});
    if (!ahead || !behind) return std::nullopt;
    const ScreenPoint d = canvas.direction(ahead->x - behind->x, ahead->y - behind->y);
    const double length = std::hypot(d.x, d.y);
    if (!(length > 0)) return std::nullopt;
    return ScreenPoint{d.x / length, d.y / length};
  };
  const auto north = direction(0, step), east = direction(step, 0);
  if (!north || !east) return std::nullopt;
  return Compass{*north, *east};
}

std::optional<ScaleBar> scale_bar_at(const Wcs& wcs, const CanvasTransform& canvas, PixelPosition at, double most) {
  // Measured along the screen's x axis: pixels need not be square.
  const ScreenPoint p = canvas.to_screen(at);
  const double half = 5;
  const PixelPosition a = canvas.to_image({p.x - half, p.y}), b = canvas.to_image({p.x + half, p.y});
  const auto left = wcs.to_sky(a.x, a.y), right = wcs.to_sky(b.x, b.y);
  if (!left || !right) return std::nullopt;
  const double scale = separation_deg(*left, *right) / (2 * half);
  if (!(scale > 0)) return std::nullopt;
  std::optional<ScaleBar> best;
  for (const auto& [unit, text] : {Length{1 / 3.6e9,
                                          " \xC2\xB5"
                                          "as"},
                                   {1 / 3.6e6, " mas"},
                                   {1 / 3600.0, "\""},
                                   {1 / 60.0, "'"},
                                   {1.0, "\xC2\xB0"}}) {
    for (const double times : {1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0, 500.0}) {
      const bool small = unit < 0.9 / 3600;
      if (!small && times > (unit < 0.5 ? 30.0 : 60.0)) continue;
      if (!(times * unit / scale <= most)) continue;
      best = ScaleBar{times * unit / scale, times * unit, fmt::format("{:g}{}", times, text)};
    }
  }
  return best;
}

std::vector<PixelPosition> sky_ellipse(const Wcs& wcs, PixelPosition at, double major, double minor, double pa,
                                       int count) {
  std::vector<PixelPosition> points;
  const auto m = wcs.sky_per_pixel(at.x, at.y);
  if (!m || !(std::abs(m->determinant()) > 0) || !(major > 0) || !(minor > 0) || !std::isfinite(pa)) return points;
  const double s = std::sin(pa * kPi / 180), c = std::cos(pa * kPi / 180), det = m->determinant();
  for (int i = 0; i < count; ++i) {
    const double t = 2 * kPi * i / count;
    const double along = 0.5 * major * std::cos(t), across = 0.5 * minor * std::sin(t);
    const double east = along * s + across * c, north = along * c - across * s;
    points.push_back({(m->d * east - m->b * north) / det, (-m->c * east + m->a * north) / det});
  }
  return points;
}

}  // namespace reber::gui
