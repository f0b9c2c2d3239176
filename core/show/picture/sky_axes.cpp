// SPDX-License-Identifier: BSD-3-Clause
// Round ticks in degrees, hours and plain numbers.
#include "core/show/picture/sky_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace reber {
namespace {

constexpr int kSamples = 400;

/// Round steps in seconds of time or of arc.
double round_seconds(double wanted, bool hours) {
  static constexpr std::array kBelowMinute = {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0};
  static constexpr std::array kHours = {1.0, 2.0, 3.0, 6.0};
  static constexpr std::array kDegrees = {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 45.0};
  if (wanted < 1) {
    const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double m : {1.0, 2.0, 5.0, 10.0}) {
      if (m * decade >= wanted * 0.999) return m * decade;
    }
  }
  for (const double unit : {1.0, 60.0}) {
    for (const double m : kBelowMinute) {
      if (m * unit >= wanted) return m * unit;
    }
  }
  if (hours) {
    for (const double m : kHours) {
      if (m * 3600 >= wanted) return m * 3600;
    }
    return 6 * 3600.0;
  }
  for (const double m : kDegrees) {
    if (m * 3600 >= wanted) return m * 3600;
  }
  return 45 * 3600.0;
}

/// Fields of a sexagesimal number: whole units, minutes, seconds, rounded to the digits that the step needs.
struct Fields {
  bool negative = false;
  long long units = 0, minutes = 0;
  double seconds = 0;
  int digits = 0;
};

Fields fields_of(double units, double step_seconds) {
  Fields f;
  f.digits = step_seconds >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step_seconds) - 1e-9));
  f.negative = units < 0;
  const double scale = std::pow(10.0, f.digits);
  const auto ticks = std::llround(std::abs(units) * 3600 * scale);
  const auto minute = static_cast<long long>(std::llround(60 * scale));
  f.seconds = static_cast<double>(ticks % minute) / scale;
  f.minutes = ticks / minute % 60;
  f.units = ticks / minute / 60;
  if (ticks == 0) f.negative = false;
  return f;
}

std::string seconds_text(const Fields& f) {
  return f.digits == 0 ? fmt::format("{:02.0f}", f.seconds)
                       : fmt::format("{:0{}.{}f}", f.seconds, f.digits + 3, f.digits);
}

/// The coordinate along the edge, unwrapped; empty off the sky.
std::vector<std::optional<double>> along_edge(const Wcs& wcs, Shape shape, SkyAxis axis, bool bottom,
                                              std::vector<double>& places) {
  std::vector<std::optional<double>> values;
  const double length = static_cast<double>(bottom ? shape.nx : shape.ny);
  double last = 0;
  bool started = false;
  for (int i = 0; i <= kSamples; ++i) {
    const double at = -0.5 + length * i / kSamples;
    places.push_back(at);
    const auto sky = bottom ? wcs.to_sky(at, -0.5) : wcs.to_sky(-0.5, at);
    if (!sky) {
      values.emplace_back();
      continue;
    }
    double value = axis == SkyAxis::longitude ? sky->lon_deg : sky->lat_deg;
    if (axis == SkyAxis::longitude && started) value = last + std::remainder(value - last, 360.0);
    last = value;
    started = true;
    values.emplace_back(value);
  }
  return values;
}

double round_step(double wanted) {
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double m : {1.0, 2.0, 5.0, 10.0}) {
    if (m * decade >= wanted * 0.999) return m * decade;
  }
  return 10 * decade;
}

}  // namespace

double round_sky_step(double wanted, bool hours) {
  const double unit = hours ? 15.0 / 3600 : 1.0 / 3600;
  return round_seconds(wanted / unit, hours) * unit;
}

std::string hours_text(double degrees, double step_degrees) {
  double wrapped = std::fmod(degrees, 360.0);
  if (wrapped < 0) wrapped += 360.0;
  const double step = step_degrees / 15 * 3600;
  Fields f = fields_of(wrapped / 15, step);
  f.units %= 24;
  std::string out = fmt::format("{:02}^h", f.units);
  if (step < 3599) out += fmt::format("{:02}^m", f.minutes);
  if (step < 59.9) out += seconds_text(f) + "^s";
  return out;
}

std::string degrees_text(double degrees, double step_degrees, bool with_sign) {
  const double step = step_degrees * 3600;
  const Fields f = fields_of(degrees, step);
  std::string out = fmt::format("{}{:02}\xC2\xB0", f.negative ? "-" : with_sign ? "+" : "", f.units);
  if (step < 3599) out += fmt::format("{:02}'", f.minutes);
  if (step < 59.9) out += seconds_text(f) + "\"";
  return out;
}

std::vector<Tick> sky_ticks(const Wcs& wcs, Shape shape, SkyAxis axis, bool bottom, int wanted) {
  std::vector<double> places;
  const auto values = along_edge(wcs, shape, axis, bottom, places);
  double low = 1e30, high = -1e30;
  for (const auto& v : values) {
    if (!v) continue;
    low = std::min(low, *v);
    high = std::max(high, *v);
  }
  if (!(high - low > 1e-12)) return {};
  const bool equatorial =
      wcs.frame() == Wcs::Frame::icrs || wcs.frame() == Wcs::Frame::fk5 || wcs.frame() == Wcs::Frame::fk4;
  const bool hours = axis == SkyAxis::longitude && equatorial;
  const double step = round_sky_step((high - low) / std::max(1, wanted), hours);
  std::vector<Tick> ticks;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!values[i - 1] || !values[i]) continue;
    const double a = *values[i - 1], b = *values[i];
    const auto first = static_cast<long long>(std::ceil(std::min(a, b) / step));
    const auto last = static_cast<long long>(std::floor(std::max(a, b) / step));
    for (long long k = first; k <= last && ticks.size() < 100; ++k) {
      const double value = static_cast<double>(k) * step;
      const double part = b != a ? (value - a) / (b - a) : 0;
      if (part >= 1 && i + 1 < values.size()) continue;
      Tick tick{places[i - 1] + part * (places[i] - places[i - 1]), value, {}};
      const double shown = axis == SkyAxis::longitude ? std::fmod(std::fmod(value, 360.0) + 360.0, 360.0) : value;
      tick.label = hours ? hours_text(value, step) : degrees_text(shown, step, axis == SkyAxis::latitude);
      ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<std::vector<PixelPosition>> sky_line(const Wcs& wcs, Shape shape, SkyAxis axis, double value) {
  // The range of the other coordinate over the image, from a coarse mesh of pixels.
  double low = 1e30, high = -1e30, last = 0;
  bool started = false;
  for (int j = 0; j <= 16; ++j) {
    for (int k = 0; k <= 16; ++k) {
      // Back and forth, so that neighbours follow each other and longitudes can be unwrapped.
      const int i = j % 2 == 0 ? k : 16 - k;
      const auto sky =
          wcs.to_sky(-0.5 + static_cast<double>(shape.nx) * i / 16, -0.5 + static_cast<double>(shape.ny) * j / 16);
      if (!sky) continue;
      double other = axis == SkyAxis::longitude ? sky->lat_deg : sky->lon_deg;
      if (axis == SkyAxis::latitude && started) other = last + std::remainder(other - last, 360.0);
      last = other;
      started = true;
      low = std::min(low, other);
      high = std::max(high, other);
    }
  }
  std::vector<std::vector<PixelPosition>> pieces(1);
  if (!started) return pieces;
  if (axis == SkyAxis::latitude) high = std::min(high, low + 360);
  for (int i = 0; i <= kSamples / 2; ++i) {
    const double other = low + (high - low) * i / (kSamples / 2);
    const auto pixel = wcs.to_pixel(axis == SkyAxis::longitude ? SkyPosition{value, other} : SkyPosition{other, value});
    const double jump = 0.2 * static_cast<double>(std::max(shape.nx, shape.ny));
    const bool near = pixel && (pieces.back().empty() || std::hypot(pixel->x - pieces.back().back().x,
                                                                    pixel->y - pieces.back().back().y) < jump);
    if (!near && !pieces.back().empty()) pieces.emplace_back();
    if (pixel) pieces.back().push_back(*pixel);
  }
  return pieces;
}

std::vector<Tick> round_ticks(double low, double high, int wanted) {
  std::vector<Tick> ticks;
  if (!(high > low)) return ticks;
  const double step = round_step((high - low) / std::max(1, wanted));
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  for (auto k = static_cast<long long>(std::ceil(low / step - 1e-9));
       static_cast<double>(k) * step <= high + 1e-9 * step; ++k) {
    const double value = static_cast<double>(k) * step;
    const bool plain = std::abs(high) < 1e6 && digits <= 4;
    ticks.push_back({value, value, plain ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:g}", value)});
  }
  return ticks;
}

std::vector<Tick> decade_ticks(double low, double high) {
  std::vector<Tick> ticks;
  if (!(low > 0) || !(high > low)) return ticks;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
            last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int stride = std::max(1, (last - first) / 8 + ((last - first) % 8 != 0 && last - first > 8 ? 1 : 0));
  for (int k = first; k <= last; k += stride) {
    const double value = std::pow(10.0, k);
    const std::string label = k >= -2 && k <= 3 ? fmt::format("{:g}", value) : fmt::format("10^{{{}}}", k);
    ticks.push_back({value, value, label});
  }
  return ticks;
}

}  // namespace reber
