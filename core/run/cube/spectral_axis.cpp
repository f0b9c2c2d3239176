// SPDX-License-Identifier: BSD-3-Clause
// Frequencies and velocities of planes.
#include "core/run/cube/spectral_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/spectral.hpp"

namespace reber {
namespace {

fits::CardTable cards_of(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  return fits::CardTable(std::move(text));
}

/// What the coordinates are, for HISTORY.
std::string convention_of(const SpectralAxis& spectral) {
  std::string words;
  if (spectral.of_velocity()) {
    const std::string& type = spectral.type();
    const char* const name = type == "VRAD" ? "radio" : type == "VOPT" || type == "ZOPT" ? "optical" : "relativistic";
    words = fmt::format("velocity of axis {} as it stands ({} convention)", type, name);
  } else if (spectral.rest_hz() > 0) {
    words = fmt::format("radio velocity c (1 - nu/nu0), nu0 = {:.10g} Hz", spectral.rest_hz());
  } else {
    words = "frequency, as there is no RESTFRQ";
  }
  return spectral.reading().empty() ? words : fmt::format("{}; {}", words, spectral.reading());
}

}  // namespace

int spectral_axis(const ImageHeader& header) {
  const int axis = SpectralAxis(cards_of(header)).axis();
  const bool own = axis < static_cast<int>(header.axes.size()) && axis != header.x_axis && axis != header.y_axis;
  return own ? axis : -1;
}

SpectralCoordinates spectral_coordinates(const ImageHeader& header, std::span<const std::int64_t> planes) {
  const SpectralAxis spectral(cards_of(header));
  const int axis = spectral_axis(header);
  const std::int64_t count = axis < 0 ? 0 : header.axes[static_cast<std::size_t>(axis)];
  if (count < 2)
    throw InputError(
        fmt::format("{}: moments need a spectral axis of two planes or more (CTYPE FREQ, VRAD, VOPT, ...), "
                    "and {}",
                    printable(header.path), axis < 0 ? "there is none" : "it has one"));
  if (!spectral.why_not().empty())
    throw InputError(
        fmt::format("{}: the spectral axis cannot be read: {}", printable(header.path), spectral.why_not()));
  const bool in_velocity = spectral.of_velocity() || spectral.rest_hz() > 0;
  SpectralCoordinates out;
  out.unit = in_velocity ? "km/s" : "Hz";
  out.convention = convention_of(spectral);
  for (const std::int64_t plane : planes) {
    const auto position = fits::plane_position(header.axes, header.x_axis, header.y_axis, plane);
    const auto coordinate = [&](double index) {
      std::vector<double> pixel(position.begin(), position.end());
      for (double& p : pixel) ++p;
      pixel[static_cast<std::size_t>(axis)] = index + 1;
      return in_velocity ? spectral.velocity(pixel) * 1e-3 : spectral.frequency_hz(pixel);
    };
    const auto at = static_cast<double>(position[static_cast<std::size_t>(axis)]);
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
