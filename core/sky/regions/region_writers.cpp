// SPDX-License-Identifier: BSD-3-Clause
// One line per region; digits follow its size.
#include "core/sky/regions/region_writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/decimals.hpp"

namespace reber {
namespace {

const char* ds9_system(const SkySystem& system) {
  using Frame = SkySystem::Frame;
  switch (system.frame) {
    case Frame::icrs:
      return "icrs";
    case Frame::fk5:
      return "fk5";
    case Frame::fk4:
      return "fk4";
    case Frame::galactic:
      return "galactic";
    case Frame::ecliptic:
      return "ecliptic";
  }
  return "";
}

const char* crtf_system(const SkySystem& system) {
  using Frame = SkySystem::Frame;
  switch (system.frame) {
    case Frame::icrs:
      return "ICRS";
    case Frame::fk5:
      return "J2000";
    case Frame::fk4:
      return "B1950";
    case Frame::galactic:
      return "GALACTIC";
    case Frame::ecliptic:
      return "ECLIPTIC";
  }
  return "";
}

/// The least size of a region, degrees: of a polygon, its shortest step. NaN for a point.
double least_size(const FileRegion& f) {
  if (f.half_x > 0 && f.half_y > 0) return std::min(f.half_x, f.half_y);
  double least = std::nan("");
  for (std::size_t i = 0; i + 3 < f.places.size(); i += 2)
    least = std::fmin(least, std::hypot(f.places[i + 2] - f.places[i], f.places[i + 3] - f.places[i + 1]));
  return least;
}

/// A position on the sky, or in pixels.
std::string degrees(double value, const FileRegion& f) {
  return fmt::format("{:.{}f}", value, f.on_sky ? decimals_for(least_size(f) / 100, 9) : 9);
}

std::string arcsec(double value_deg, const FileRegion& f) {
  return fmt::format("{:.{}f}", value_deg * 3600, decimals_for(least_size(f) * 36, 6));
}

std::string ds9_line(const FileRegion& f) {
  const double base = f.on_sky ? 0 : 1;
  const auto place = [&](double v) { return f.on_sky ? degrees(v, f) : fmt::format("{:.6f}", v + base); };
  const auto size = [&](double v) { return f.on_sky ? arcsec(v, f) + '"' : fmt::format("{:.6f}", v); };
  std::string places;
  for (std::size_t i = 0; i < f.places.size(); ++i) {
    if (i > 0) places += ',';
    places += place(f.places[i]);
  }
  const auto shape = [&](const char* name, double part) {
    const std::string outer = fmt::format("{},{}", size(part * f.half_x), size(part * f.half_y)),
                      inner = fmt::format("{},{}", size(part * f.inner_x), size(part * f.inner_y));
    if (f.to_deg > f.from_deg)
      return fmt::format("{}panda({},{:.6f},{:.6f},1,{},{},1,{:.6f})", name[0], places, f.from_deg, f.to_deg, inner,
                         outer, f.angle_deg);
    return fmt::format("{}({},{}{},{:.6f})", name, places, f.inner_x > 0 ? inner + ',' : "", outer, f.angle_deg);
  };
  switch (f.kind) {
    case Region::Kind::ellipse:
      return shape("ellipse", 1);
    case Region::Kind::box:
      return shape("box", 2);
    case Region::Kind::polygon:
      return fmt::format("polygon({})", places);
    case Region::Kind::line:
      return fmt::format("line({})", places);
    case Region::Kind::point:
      return fmt::format("point({})", places);
  }
  return {};
}

std::string crtf_line(const FileRegion& f) {
  const char* const unit = f.on_sky ? "deg" : "pix";
  const auto size = [&](double v) { return f.on_sky ? arcsec(v, f) + "arcsec" : fmt::format("{:.6f}pix", v); };
  std::string places;
  for (std::size_t i = 0; i + 1 < f.places.size(); i += 2) {
    places += fmt::format("{}[{}{}, {}{}]", i > 0 ? ", " : "", degrees(f.places[i], f), unit,
                          degrees(f.places[i + 1], f), unit);
  }
  switch (f.kind) {
    case Region::Kind::ellipse:
      if (f.inner_x > 0) return fmt::format("annulus[{}, [{}, {}]]", places, size(f.inner_x), size(f.half_x));
      // CASA's first axis is the one that the position angle speaks of.
      return fmt::format("ellipse[{}, [{}, {}], {:.6f}deg]", places, size(f.half_x), size(f.half_y),
                         std::fmod(f.angle_deg - 90 + 360, 360));
    case Region::Kind::box:
      return fmt::format("rotbox[{}, [{}, {}], {:.6f}deg]", places, size(2 * f.half_x), size(2 * f.half_y),
                         f.angle_deg);
    case Region::Kind::polygon:
      return fmt::format("poly[{}]", places);
    case Region::Kind::line:
      return fmt::format("line[{}]", places);
    case Region::Kind::point:
      return fmt::format("symbol[{}, .]", places);
  }
  return {};
}

/// A name that cannot end its own quotes or line.
std::string safe_name(const std::string& name) {
  std::string out = printable(name);
  for (char& c : out) {
    if (c == '{' || c == '}' || c == '\'' || c == '"') c = '_';
  }
  return out;
}

std::string ds9_text(const std::vector<FileRegion>& files, const SkySystem& system, bool sky) {
  std::string text = fmt::format("# Region file format: DS9 version 4.1\nglobal color=green\n{}\n",
                                 sky ? ds9_system(system) : "image");
  for (const FileRegion& f : files) {
    if (f.excluded) text += '-';
    text += ds9_line(f);
    if (!f.name.empty() || f.border == Border::casa) text += " #";
    if (!f.name.empty()) text += fmt::format(" text={{{}}}", safe_name(f.name));
    if (f.border == Border::casa) text += fmt::format(" tag={{{}}}", kCasaBorder);
    text += '\n';
  }
  return text;
}

/// A hole that CRTF has no word for: it is taken out by a line of its own.
bool needs_two_lines(const FileRegion& f) {
  const auto round = [](double x, double y) { return std::abs(x - y) <= 1e-6 * x; };
  return f.inner_x > 0 &&
         !(f.kind == Region::Kind::ellipse && round(f.inner_x, f.inner_y) && round(f.half_x, f.half_y));
}

std::string crtf_text(std::vector<FileRegion> files, const SkySystem& system) {
  // CASA takes lines one after another, so what is taken out of these is taken out of nothing else.
  std::stable_partition(files.begin(), files.end(), needs_two_lines);
  std::string text = "#CRTFv0\n";
  const auto add = [&](const FileRegion& f, bool excluded) {
    if (excluded) text += '-';
    text += crtf_line(f);
    if (f.on_sky) text += fmt::format(" coord={}", crtf_system(system));
    if (!f.name.empty()) text += fmt::format("{} label='{}'", f.on_sky ? "," : "", safe_name(f.name));
    text += '\n';
  };
  for (FileRegion f : files) {
    const std::string which = f.name.empty() ? "" : fmt::format(" '{}'", printable(f.name));
    if (f.to_deg > f.from_deg)
      throw InputError(fmt::format("CRTF has no sector, which region{} is: write a DS9 file", which));
    if (!needs_two_lines(f)) {
      add(f, f.excluded);
      continue;
    }
    if (f.excluded)
      throw InputError(fmt::format(
          "CRTF cannot exclude a shape with a hole that is not round, as region{} is: write a DS9 file", which));
    FileRegion hole = f;
    std::tie(hole.half_x, hole.half_y) = std::pair(f.inner_x, f.inner_y);
    f.inner_x = f.inner_y = hole.inner_x = hole.inner_y = 0;
    add(f, false);
    add(hole, true);
  }
  return text;
}

}  // namespace

std::string regions_text(const std::vector<Region>& regions, const Wcs& wcs, RegionFormat format,
                         const SkySystem& wanted, bool on_sky) {
  const SkySystem system = in_region_files(wanted);
  std::vector<FileRegion> files;
  for (const Region& region : regions) files.push_back(to_file_region(region, wcs, system, on_sky));
  if (format == RegionFormat::crtf) return crtf_text(std::move(files), system);
  return ds9_text(files, system, !files.empty() && files.front().on_sky);
}

}  // namespace reber
