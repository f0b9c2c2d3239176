// SPDX-License-Identifier: BSD-3-Clause
// The rows. A range that names no upper end has that of all numbers, kMostNumber.
#include "core/run/request/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace reber {
namespace {

constexpr double kMostBytes = 9e18;
constexpr Range kPositive{.low = 0, .above = true}, kFromZero{.low = 0};

constexpr Bound kBounds[] = {
    {"call.threads", "--threads", {.low = 0, .high = kMostThreads}, true},
    {"call.device", "--device", {.low = 0, .high = 255}, true},
    {"call.hdu", "--hdu", {.low = 0, .high = 1e6}, true},
    {"call.plane", "--plane", kFromZero, true},
    {"call.device_memory", "--device-memory", {.low = 0, .high = kMostBytes}, true, "bytes"},
    {"call.host_memory", "--host-memory", {.low = 0, .high = kMostBytes}, true, "bytes"},
    {"collapse.snr", "--snr", kFromZero, false, "sigma"},
    {"complete.number", "--number", {.low = 1, .high = 1e7}, true},
    {"complete.bins", "--bins", {.low = 1, .high = 1000}, true},
    {"complete.snr", "--snr", kPositive, false, "sigma"},
    {"complete.flux", "--flux", kPositive, false, "uJy/beam"},
    {"complete.size", "--size", {.low = 0, .high = 648000}, false, "arcsec"},
    {"complete.separation", "--separation", {.low = 0, .high = 1000, .above = true}, false, "FWHM"},
    {"mask.boxsize", "--boxsize", {.low = 1, .high = 1e5}, true, "px"},
    {"mask.dilate", "--dilate", {.low = 0, .high = 1e5}, false, "px"},
    {"mask.erode", "--erode", {.low = 0, .high = 1e5}, true},
    {"mask.minimum_size", "--minimum-size", kFromZero, true, "px"},
    {"mask.moc_order", "--moc-order", {.low = -1, .high = 29}, true},
    {"mask.sum_peak", "--sum-peak", kPositive},
    {"mask.threshold", "--threshold", kPositive, false, "sigma"},
    {"match.radius", "--radius", {.low = 0, .high = 648000}, false, "arcsec"},
    {"measure.limit", "--limit", kPositive, false, "sigma"},
    {"mosaic.cutoff", "--cutoff", {.low = 0, .high = 1}},
    {"regrid.pixel", "--pixel", {.low = 0, .high = 360000, .above = true}, false, "arcsec"},
    {"regrid.rotate", "--rotate", {.low = -360, .high = 360}, false, "deg"},
    {"run.jobs", "--jobs", {.low = 0, .high = kMostThreads}, true},
    {"run.workers", "--workers", {.low = 0, .high = 256}, true},
    {"simulate.size", "--size", {.low = 1, .high = 1e6}, true, "px"},
    {"simulate.pixel", "--pixel", {.low = 0, .high = 36000, .above = true}, false, "arcsec"},
    {"simulate.frequency", "--frequency", kPositive, false, "MHz"},
    {"simulate.ra", "--ra", {.low = -360, .high = 360}, false, "deg"},
    {"simulate.dec", "--dec", {.low = -90, .high = 90}, false, "deg"},
    {"simulate.rms", "--rms", kFromZero, false, "uJy/beam"},
    {"simulate.rms_rise", "--rms-rise", {.low = 0, .high = 1e6}},
    {"simulate.background", "--background", {}, false, "uJy/beam"},
    {"simulate.sources", "--sources", {.low = 0, .high = 1e8}, true},
    {"simulate.brightest", "--brightest", kFromZero, false, "Jy"},
    {"simulate.extended", "--extended", {.low = 0, .high = 1e7}, true},
    {"simulate.rings", "--rings", {.low = 0, .high = 1e6}, true},
    {"simulate.grid_step", "--grid-step", {.low = 1, .high = 1e6}, true, "px"},
    {"smooth.max_beam", "--max-beam", {.low = 0, .high = 648000, .above = true}, false, "arcsec"},
    {"spectrum.bins", "--bins", {.low = 0, .high = 10000}, true},
};

}  // namespace

std::span<const Bound> bounds() { return kBounds; }

const Bound& bound(std::string_view name) {
  const auto* const row = std::ranges::find(kBounds, name, &Bound::name);
  if (row == std::end(kBounds)) throw InternalError(fmt::format("no number is called '{}'", name));
  return *row;
}

std::string why_not(const Bound& bound, double value) {
  if (bound.whole && std::isfinite(value) && value != std::floor(value)) return "a whole number was expected";
  if (bound.range.holds(value)) return {};
  return fmt::format("{}{}{} was expected", bound.range.expected(value), bound.unit.empty() ? "" : " ", bound.unit);
}

void hold(const Bound& bound, double value) {
  if (const std::string why = why_not(bound, value); !why.empty())
    throw InputError(fmt::format("{} {:.10g}: {}", bound.option, value, why));
}

double held_number(const Bound& bound, std::string_view text) {
  double value = 0;
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || stop != digits.data() + digits.size())
    throw InputError(fmt::format("{}: '{}' is not a {}number", bound.option, text, bound.whole ? "whole " : ""));
  hold(bound, value);
  return value;
}

std::string why_no_beam(const Beam& beam) {
  constexpr double kMostDegrees = 180, kMostAngle = 360;
  if (!(beam.minor_deg > 0 && beam.major_deg >= beam.minor_deg && beam.major_deg <= kMostDegrees))
    return "MAJ >= MIN > 0 was expected (FWHM in arcsec, at most 648000)";
  if (!(std::abs(beam.pa_deg) <= kMostAngle)) return "PA from -360 to 360 was expected (degrees north through east)";
  return {};
}

}  // namespace reber
