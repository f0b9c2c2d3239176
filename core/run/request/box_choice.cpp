// SPDX-License-Identifier: BSD-3-Clause
// What the user asked for, else what the beam and the image's size ask for.
#include "core/run/request/box_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace reber {
namespace {

/// Large enough that sources do not fill a cell; small enough to follow the noise (bench/notes/background.md has the
/// figures).
constexpr double kBoxBeams = 12;
constexpr std::int64_t kLeastBox = 64;

}  // namespace

std::int64_t whole_beams(double beams, double beam_px) { return static_cast<std::int64_t>(std::ceil(beams * beam_px)); }

std::optional<double> beam_pixels(const ImageHeader& header, const std::optional<Beam>& beam) {
  const auto geometry = header.centre_geometry();
  if (!beam || !geometry) return std::nullopt;
  return std::sqrt(beam->major_deg * beam->minor_deg / std::abs(geometry->determinant()));
}

BoxChoice choose_boxes(const BackgroundRequest& request, Shape image, std::optional<double> beam_px) {
  const bool sliding = request.method == BackgroundRequest::Method::grid;
  BoxChoice choice;
  if (request.box > 0) {
    choice = {request.box, request.box, fmt::format("{} px as asked", request.box)};
  } else {
    const std::int64_t wanted = beam_px ? std::max(kLeastBox, whole_beams(kBoxBeams, *beam_px)) : kLeastBox;
    const std::int64_t least = beam_px ? whole_beams(kLeastBoxBeams, *beam_px) : 1;
    const std::int64_t cell = std::min(wanted, std::max({std::min(image.ny, image.nx) / 4, least, std::int64_t{1}}));
    choice.box = sliding ? 2 * cell : cell;
    const std::string why = cell < wanted      ? "of a quarter of the image's shorter side, or 10 beams"
                            : cell > kLeastBox ? fmt::format("of {:g} beams of {:.3g} px", kBoxBeams, *beam_px)
                            : beam_px          ? fmt::format("of at least 64 px (the beam is {:.3g} px)", *beam_px)
                                               : "of 64 px, no beam known";
    choice.reason = fmt::format("{} px: {} {}", choice.box, sliding ? "two cells" : "cells", why);
  }
  choice.step = choice.box;
  if (sliding) {
    choice.step = request.step > 0 ? request.step : std::max<std::int64_t>(choice.box / 2, 1);
    if (choice.step > choice.box)
      throw InputError(fmt::format("sliding boxes of {} px cannot step by {}: pixels between them would be left out",
                                   choice.box, choice.step));
    choice.reason += fmt::format("; they step by {} px", choice.step);
  }
  return choice;
}

}  // namespace reber
