// SPDX-License-Identifier: BSD-3-Clause
// Texts of regions, and lines on the sky.
#include "gui/model/region_copies.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_writers.hpp"

namespace reber::gui {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// From a to b, degrees from 0 to 360.
double bearing_deg(const SkyPosition& a, const SkyPosition& b) {
  const double dl = kDegree * (b.lon_deg - a.lon_deg), la = kDegree * a.lat_deg, lb = kDegree * b.lat_deg;
  const double east = std::sin(dl) * std::cos(lb);
  const double north = std::cos(la) * std::sin(lb) - std::sin(la) * std::cos(lb) * std::cos(dl);
  const double angle = std::atan2(east, north) / kDegree;
  return angle < 0 ? angle + 360 : angle;
}

}  // namespace

std::string copied_regions(const Document& document, const SkySystem& system) {
  const DocumentInspect& d = document.inspect;
  std::vector<Region> regions = d.regions;
  if (d.selected >= 0 && d.selected < static_cast<int>(d.regions.size()))
    regions = {d.regions[static_cast<std::size_t>(d.selected)]};
  const Wcs& wcs = document.header->wcs;
  return regions_text(regions, wcs, RegionFormat::ds9, system, wcs.celestial());
}

ParsedRegions paste_regions(Document& document, const std::string& text) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  if (text.size() > kMost) throw InputError("too long a text for regions");
  return add_regions(document, region_format("", text) == RegionFormat::crtf ? parse_crtf(text) : parse_ds9(text));
}

ParsedRegions add_regions(Document& document, ParsedRegions parsed) {
  std::vector<Region> regions;
  for (const FileRegion& each : parsed.regions) regions.push_back(to_region(each, document.header->wcs));
  DocumentInspect& d = document.inspect;
  d.regions.insert(d.regions.end(), regions.begin(), regions.end());
  if (!regions.empty()) ++d.version;
  return parsed;
}

void read_regions(ViewerState& state, Document& document, const std::string& path) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  const std::string text = fits::read_text(path, kMostBytes);
  const bool casa = region_format(path, text) == RegionFormat::crtf;
  const ParsedRegions parsed = add_regions(document, casa ? parse_crtf(text) : parse_ds9(text));
  state.overlay_on["regions"] = true;
  state.say(fmt::format("{} region{} read{}", parsed.regions.size(), parsed.regions.size() == 1 ? "" : "s",
                        parsed.skipped.empty() ? "" : "; left out: " + parsed.skipped.front()));
}

std::optional<LineMeasure> line_measure(const Region& region, const Wcs& wcs) {
  if (region.kind != Region::Kind::line || region.points.size() < 2) return std::nullopt;
  LineMeasure measure;
  std::optional<SkyPosition> before;
  for (const PixelPosition& point : region.points) {
    const auto here = wcs.to_sky(point.x, point.y);
    if (!here) return std::nullopt;
    if (before) measure.length_deg += separation_deg(*before, *here);
    before = here;
  }
  const PixelPosition &first = region.points[0], &second = region.points[1];
  measure.pa_deg = bearing_deg(*wcs.to_sky(first.x, first.y), *wcs.to_sky(second.x, second.y));
  return measure;
}

std::string to_text(const LineMeasure& measure) {
  const double length = measure.length_deg;
  const std::string text = length >= 1        ? fmt::format("{:.4g} deg", length)
                           : length * 60 >= 1 ? fmt::format("{:.4g} arcmin", 60 * length)
                                              : fmt::format("{:.4g} arcsec", 3600 * length);
  return fmt::format("{}, {:.1f} deg", text, measure.pa_deg);
}

}  // namespace reber::gui
