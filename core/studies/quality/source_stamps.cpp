// SPDX-License-Identifier: BSD-3-Clause
// Cut-outs of the image against the model of all sources.
#include "core/studies/quality/source_stamps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/measure/sources/source_columns.hpp"
#include "core/show/picture/sky_pixels.hpp"

namespace reber {
namespace {

/// From 3 rms on the other side of the mean to the brightest pixel, 10 rms at the least.
DisplayLimits limits_of(const Source& one, double mean, double rms, double unit) {
  constexpr double kOther = 3, kLeast = 10;
  const double peak = std::max(kLeast * rms, std::abs(one.peak_pixel) / unit);
  return one.negative ? DisplayLimits{mean - peak, mean + kOther * rms}
                      : DisplayLimits{mean - kOther * rms, mean + peak};
}

}  // namespace

double width_px(const Source& one) {
  const double area = one.model.fwhm2.xx * one.model.fwhm2.yy - one.model.fwhm2.xy * one.model.fwhm2.xy;
  return area > 0 ? std::sqrt(std::sqrt(area)) : 5;
}

std::optional<SourceStamps> stamps_of(const Result& result, const ModelMap& model, const Source& one,
                                      const Progress& progress) {
  constexpr double kLeast = 10, kMost = 70, kWidths = 2.5;
  const double width = width_px(one);
  const auto half = static_cast<std::int64_t>(std::clamp(kWidths * width, kLeast, kMost));
  const Shape shape = result.header().shape, side{2 * half + 1, 2 * half + 1};
  SourceStamps made{Image(side), Image(side), Image(side), std::llround(one.y) - half, std::llround(one.x) - half, {}};
  const std::int64_t y0 = std::max<std::int64_t>(0, made.y0), y1 = std::min(shape.ny, made.y0 + side.ny),
                     x0 = std::max<std::int64_t>(0, made.x0), x1 = std::min(shape.nx, made.x0 + side.nx);
  if (y1 <= y0 || x1 <= x0) return std::nullopt;
  std::vector<float> part(static_cast<std::size_t>((y1 - y0) * (x1 - x0)));
  result.backend->render(MapKind::image, *result.plane(), nullptr, {y0, x0, y1 - y0, x1 - x0}, part.data(), progress);
  model.rectangle({made.y0, made.x0, side.ny, side.nx}, made.model.data());
  const double unit = result.header().unit.factor, rms = one.rms / unit, mean = one.mean / unit;
  for (std::int64_t y = 0; y < side.ny; ++y)
    for (std::int64_t x = 0; x < side.nx; ++x) {
      const std::int64_t py = made.y0 + y, px = made.x0 + x;
      const bool inside = py >= y0 && py < y1 && px >= x0 && px < x1;
      const float value = inside ? part[static_cast<std::size_t>((py - y0) * (x1 - x0) + px - x0)] : NAN;
      made.data.at(y, x) = value;
      made.rest.at(y, x) = value - made.model.at(y, x);
      made.model.at(y, x) += static_cast<float>(mean);
      if (std::hypot(static_cast<double>(px) - one.x, static_cast<double>(py) - one.y) > width) continue;
      const double left = std::abs(static_cast<double>(made.rest.at(y, x)) - mean) / rms;
      if (left > made.largest_rest) made.largest_rest = left;
    }
  made.limits = limits_of(one, mean, rms, unit);
  return made;
}

RgbView painted(const Image& stamp, const DisplayLimits& limits, ThreadPool& pool, std::vector<Rgb>& room) {
  const auto [ny, nx] = stamp.shape();
  Image upright(stamp.shape());
  for (std::int64_t y = 0; y < ny; ++y) std::copy_n(stamp.data() + (ny - 1 - y) * nx, nx, upright.data() + y * nx);
  room.resize(static_cast<std::size_t>(stamp.shape().count()));
  const RgbView view{room.data(), static_cast<int>(nx), static_cast<int>(ny), nx};
  paint_sky(upright.view(), limits, pool, view);
  return view;
}

SourceWords words_of(const ImageHeader& header, const Source& one) {
  constexpr double kArcsec = 3600;
  const Unit& unit = header.unit;
  SourceWords words;
  const auto flux = [&](double value, double error, const std::string& name) {
    const auto [factor, prefix] = std::abs(value) >= 1      ? std::pair(1.0, "")
                                  : std::abs(value) >= 1e-3 ? std::pair(1e3, "m")
                                                            : std::pair(1e6, "u");
    const int digits = std::clamp(static_cast<int>(std::ceil(1 - std::log10(std::max(1e-9, error * factor)))), 0, 6);
    return fmt::format("{:.{}f} +- {:.{}f} {}{}", value * factor, digits, error * factor, digits, prefix, name);
  };
  words.title = std::isfinite(one.ra) ? fmt::format("{:.5f}, {:+.5f} deg", one.ra, one.dec)
                                      : fmt::format("x {:.1f}, y {:.1f}", one.x, one.y);
  words.lines.push_back(fmt::format("S/N {:.1f}: peak {}", one.snr, flux(one.peak, one.e_peak, unit.name())));
  words.lines.push_back("total " + flux(one.total, one.e_total, unit.total_name()));
  if (std::isfinite(one.major_deg))
    words.lines.push_back(fmt::format("{:.3g}\" x {:.3g}\" at {:.0f} deg, {}", one.major_deg * kArcsec,
                                      one.minor_deg * kArcsec, one.pa_deg,
                                      one.resolved == 1 ? "resolved" : "not resolved"));
  if (std::isfinite(one.reliability)) words.lines.push_back(fmt::format("reliability {:.3f}", one.reliability));
  return words;
}

}  // namespace reber
