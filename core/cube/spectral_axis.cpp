// SPDX-License-Identifier: BSD-3-Clause
// Frequencies and velocities of planes.
#include "core/cube/spectral_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/fits/pixel_sources.hpp"
#include "core/model/fits_cards.hpp"

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLightSpeed = 299792458.0;  // m/s

fits::CardTable cards_of(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  return fits::CardTable(std::move(text));
}

std::string kind_of(const fits::CardTable& cards, int axis) {
  std::string type = cards.string(fmt::format("CTYPE{}", axis + 1)).value_or("").substr(0, 4);
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::toupper(c); });
  return type;
}

/// A linear axis of cards.
struct Axis {
  double reference, step, value, scale;
  [[nodiscard]] double at(double index) const { return (value + (index + 1 - reference) * step) * scale; }
};

Axis linear_axis(const fits::CardTable& cards, int axis, const std::string& kind) {
  const int n = axis + 1;
  const auto number = [&](const std::string& key, double standard) { return cards.number(key).value_or(standard); };
  std::string unit = cards.string(fmt::format("CUNIT{}", n)).value_or("");
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  double scale = 1;
  if (kind == "FREQ") scale = unit == "ghz" ? 1e9 : unit == "mhz" ? 1e6 : unit == "khz" ? 1e3 : 1;
  if (kind == "WAVE") scale = unit == "mm" ? 1e-3 : unit == "cm" ? 1e-2 : 1;
  if (kind != "FREQ" && kind != "WAVE" && (unit == "km/s" || unit == "km s-1")) scale = 1e3;
  return {number(fmt::format("CRPIX{}", n), 0),
          number(fmt::format("CDELT{}", n), number(fmt::format("CD{0}_{0}", n), 1)),
          number(fmt::format("CRVAL{}", n), 0), scale};
}

}  // namespace

int spectral_axis(const ImageHeader& header) {
  const fits::CardTable cards = cards_of(header);
  constexpr std::array<const char*, 6> kKinds{"FREQ", "VRAD", "VELO", "VOPT", "FELO", "WAVE"};
  for (int axis = 0; axis < static_cast<int>(header.axes.size()); ++axis)
    if (axis != header.x_axis && axis != header.y_axis && std::ranges::count(kKinds, kind_of(cards, axis)) > 0)
      return axis;
  return -1;
}

SpectralCoordinates spectral_coordinates(const ImageHeader& header, std::span<const std::int64_t> planes) {
  const int axis = spectral_axis(header);
  const std::int64_t count = axis < 0 ? 0 : header.axes[static_cast<std::size_t>(axis)];
  if (count < 2)
    throw InputError(
        fmt::format("{}: moments need a spectral axis of two planes or more (CTYPE FREQ, VRAD, VOPT, ...), "
                    "and {}",
                    printable(header.path), axis < 0 ? "there is none" : "it has one"));
  const fits::CardTable cards = cards_of(header);
  const std::string kind = kind_of(cards, axis);
  const Axis linear = linear_axis(cards, axis, kind);
  const double rest = cards.number("RESTFRQ").value_or(cards.number("RESTFREQ").value_or(kNaN));
  const bool of_frequency = kind == "FREQ" || kind == "WAVE", rested = rest > 0;
  const auto coordinate = [&](double index) {
    const double value = linear.at(index);
    if (!of_frequency) return value * 1e-3;
    const double frequency = kind == "WAVE" ? kLightSpeed / value : value;
    return rested ? kLightSpeed * (1 - frequency / rest) * 1e-3 : frequency;
  };
  SpectralCoordinates out;
  out.unit = of_frequency && !rested ? "Hz" : "km/s";
  out.convention = !of_frequency ? fmt::format("velocity of axis {} as it stands ({} convention)", kind,
                                               kind == "VOPT" || kind == "FELO" ? "optical" : "radio")
                   : rested      ? fmt::format("radio velocity c (1 - nu/nu0), nu0 = {:.10g} Hz", rest)
                                 : std::string("frequency, as there is no RESTFRQ");
  for (const std::int64_t plane : planes) {
    const auto at = static_cast<double>(
        fits::plane_position(header.axes, header.x_axis, header.y_axis, plane)[static_cast<std::size_t>(axis)]);
    const double before = std::max(at - 1, 0.0), after = std::min(at + 1, static_cast<double>(count - 1));
    out.at.push_back(coordinate(at));
    out.width.push_back(std::abs(coordinate(after) - coordinate(before)) / (after - before));
    if (!std::isfinite(out.at.back()) || !(out.width.back() > 0) || !std::isfinite(out.width.back()))
      throw InputError(fmt::format("{}: plane {} has no usable coordinate on its spectral axis (CRVAL, CDELT)",
                                   printable(header.path), plane));
  }
  return out;
}

void check_one_spectrum(const ImageHeader& header, std::span<const std::int64_t> planes) {
  const int axis = spectral_axis(header);
  if (axis < 0 || planes.empty()) return;
  const auto elsewhere = [&](std::int64_t plane) {
    auto position = fits::plane_position(header.axes, header.x_axis, header.y_axis, plane);
    position[static_cast<std::size_t>(axis)] = 0;
    return position;
  };
  for (const std::int64_t plane : planes)
    if (elsewhere(plane) != elsewhere(planes.front()))
      throw InputError(
          fmt::format("{}: planes {} and {} differ along an axis that is not spectral (Stokes?); choose "
                      "those of one spectrum with --planes",
                      printable(header.path), planes.front(), plane));
}

}  // namespace reber
