// SPDX-License-Identifier: BSD-3-Clause
// Regions between pixels and files, and writing both formats.
#include "core/sky/regions/region_io.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/decimals.hpp"

namespace reber {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// d(east, north)/d(x, y) at a pixel, east and north of `system`.
std::optional<Matrix2> local_matrix(const SkyView& sky, const Wcs& wcs, PixelPosition p) {
  const auto own = wcs.sky_per_pixel(p.x, p.y);
  const auto here = sky.to_sky(p.x, p.y);
  if (!own || !here || !(std::abs(own->determinant()) > 0)) return std::nullopt;
  if (sky.shown() == system_of(wcs)) return own;
  // Another frame turns east and north by an angle: that of its north seen in the image's own axes.
  const double step = std::sqrt(std::abs(own->determinant()));
  const double up = here->lat_deg + step < 90 ? step : -step;
  const auto there = sky.to_pixel({here->lon_deg, here->lat_deg + up});
  if (!there) return std::nullopt;
  const double dx = (there->x - p.x) * (up > 0 ? 1 : -1), dy = (there->y - p.y) * (up > 0 ? 1 : -1);
  const double east = own->a * dx + own->b * dy, north = own->c * dx + own->d * dy, length = std::hypot(east, north);
  const double s = east / length, c = north / length;
  return Matrix2{c * own->a - s * own->c, c * own->b - s * own->d, s * own->a + c * own->c, s * own->b + c * own->d};
}

struct Vector2 {
  double x, y;
  [[nodiscard]] double length() const { return std::hypot(x, y); }
};

bool at_right_angles(Vector2 a, Vector2 b) { return std::abs(a.x * b.x + a.y * b.y) <= 1e-6 * a.length() * b.length(); }

Vector2 inverse_times(const Matrix2& m, Vector2 v) {
  const double det = m.determinant();
  return {(m.d * v.x - m.b * v.y) / det, (-m.c * v.x + m.a * v.y) / det};
}
Vector2 times(const Matrix2& m, Vector2 v) { return {m.a * v.x + m.b * v.y, m.c * v.x + m.d * v.y}; }

/// Half sizes and angle in pixels of axes that are given as vectors of pixels.
void set_axes(Region& region, Vector2 first, Vector2 second) {
  region.half_x = first.length();
  region.half_y = second.length();
  region.angle_deg = std::atan2(first.y, first.x) * 180 / kPi;
  if (region.kind != Region::Kind::ellipse || at_right_angles(first, second)) return;
  const Ellipse e = ellipse_of({first.x * first.x + second.x * second.x, first.x * first.y + second.x * second.y,
                                first.y * first.y + second.y * second.y});
  region.half_x = e.major;
  region.half_y = e.minor;
  // ellipse_of counts from the second axis towards the first.
  region.angle_deg = 90 - e.pa_deg;
}

/// axis: of a length and an angle of the file, degrees, to a vector of pixels
template <class Axis>
void set_axes(Region& region, const FileRegion& file, const Axis& axis) {
  const auto set = [&](double half_x, double half_y) {
    set_axes(region, axis(half_x, file.angle_deg), axis(half_y, file.angle_deg + 90));
  };
  if (file.inner_x > 0 && file.inner_y > 0) {
    set(file.inner_x, file.inner_y);
    region.inner_x = region.half_x;
    region.inner_y = region.half_y;
  }
  set(file.half_x, file.half_y);
}

void set_file_axes(FileRegion& file, const Region& region, const Matrix2& m) {
  const double a = region.angle_deg * kPi / 180;
  const Vector2 first = times(m, {region.half_x * std::cos(a), region.half_x * std::sin(a)}),
                second = times(m, {-region.half_y * std::sin(a), region.half_y * std::cos(a)});
  file.half_x = first.length();
  file.half_y = second.length();
  file.inner_x = region.inner_x * file.half_x / region.half_x;
  file.inner_y = region.inner_y * file.half_y / region.half_y;
  double pa = std::atan2(first.x, first.y) * 180 / kPi;
  if (region.kind == Region::Kind::ellipse && !at_right_angles(first, second)) {
    const Ellipse e = ellipse_of({first.x * first.x + second.x * second.x, first.x * first.y + second.x * second.y,
                                  first.y * first.y + second.y * second.y});
    file.half_x = e.major;
    file.half_y = e.minor;
    pa = e.pa_deg;
  }
  file.angle_deg = std::fmod(pa + 90 + 720, 360);
}

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
  const auto sizes = [&](double part) {
    const std::string outer = fmt::format("{},{}", size(part * f.half_x), size(part * f.half_y));
    if (!(f.inner_x > 0)) return outer;
    return fmt::format("{},{},{}", size(part * f.inner_x), size(part * f.inner_y), outer);
  };
  switch (f.kind) {
    case Region::Kind::ellipse:
      return fmt::format("ellipse({},{},{:.6f})", places, sizes(1), f.angle_deg);
    case Region::Kind::box:
      return fmt::format("box({},{},{:.6f})", places, sizes(2), f.angle_deg);
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
      // A ring is round in CASA; of another its axes' means.
      if (f.inner_x > 0)
        return fmt::format("annulus[{}, [{}, {}]]", places, size(std::sqrt(f.inner_x * f.inner_y)),
                           size(std::sqrt(f.half_x * f.half_y)));
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

}  // namespace

RegionFormat region_format(const std::string& name, const std::string& text) {
  if (text.rfind("#CRTF", 0) == 0) return RegionFormat::crtf;
  if (text.rfind("# Region file format: DS9", 0) == 0) return RegionFormat::ds9;
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && name.substr(dot) == ".crtf" ? RegionFormat::crtf : RegionFormat::ds9;
}

Region to_region(const FileRegion& file, const Wcs& wcs) {
  Region region;
  region.kind = file.kind;
  region.name = file.name;
  region.excluded = file.excluded;
  region.border = file.border;
  const SkyView sky(wcs, file.system ? *file.system : system_of(wcs).value_or(SkySystem{}));
  if (file.on_sky && (!sky.celestial() || (file.system && sky.shown() != *file.system))) {
    throw InputError(fmt::format("{} positions cannot be placed on this image: its own coordinates are {}",
                                 file.system ? name_of(*file.system) : "sky",
                                 wcs.celestial() ? wcs.frame_name() : "not celestial"));
  }
  std::vector<PixelPosition> points;
  for (std::size_t i = 0; i + 1 < file.places.size(); i += 2) {
    PixelPosition p{file.places[i], file.places[i + 1]};
    if (file.on_sky) {
      const auto found = sky.to_pixel({p.x, p.y});
      if (!found) throw InputError(fmt::format("{:.6f}, {:.6f} deg is not on this image's projection", p.x, p.y));
      p = *found;
    } else if (file.physical) {
      const PhysicalPixels& from = wcs.physical();
      const Vector2 at = times(from.scale, {p.x, p.y});
      p = {at.x + from.shift.x - 1, at.y + from.shift.y - 1};
    }
    points.push_back(p);
  }
  if (points.empty()) throw InputError("the region has no position");
  if (region.kind == Region::Kind::polygon || region.kind == Region::Kind::line) {
    region.points = std::move(points);
    return region;
  }
  region.centre = points.front();
  if (region.kind == Region::Kind::point) return region;
  const auto along = [](double length, double angle_deg) {
    return Vector2{length * std::cos(angle_deg * kPi / 180), length * std::sin(angle_deg * kPi / 180)};
  };
  if (file.physical) {
    set_axes(region, file, [&](double l, double angle) { return times(wcs.physical().scale, along(l, angle)); });
    return region;
  }
  if (!file.on_sky || file.sizes_in_pixels) {
    region.half_x = file.half_x;
    region.half_y = file.half_y;
    region.inner_x = file.inner_x;
    region.inner_y = file.inner_y;
    region.angle_deg = file.angle_deg;
    return region;
  }
  const auto m = local_matrix(sky, wcs, region.centre);
  if (!m) throw InputError("the scale of the sky is not known where the region lies");
  // West is where the file's angles begin.
  set_axes(region, file, [&](double l, double angle) {
    const Vector2 v = along(l, angle);
    return inverse_times(*m, {-v.x, v.y});
  });
  return region;
}

FileRegion to_file_region(const Region& region, const Wcs& wcs, const SkySystem& system, bool on_sky) {
  FileRegion file;
  file.kind = region.kind;
  file.name = region.name;
  file.excluded = region.excluded;
  file.system = system;
  const SkyView sky(wcs, system);
  file.on_sky = on_sky && sky.celestial() && sky.shown() == system;
  const std::vector<PixelPosition> points = region.points.empty() ? std::vector{region.centre} : region.points;
  for (const PixelPosition& p : points) {
    if (!file.on_sky) {
      file.places.insert(file.places.end(), {p.x, p.y});
      continue;
    }
    const auto found = sky.to_sky(p.x, p.y);
    if (!found)
      throw InputError(fmt::format("pixel {:.2f}, {:.2f} is not on the sky: write the regions in pixels", p.x, p.y));
    file.places.insert(file.places.end(), {found->lon_deg, found->lat_deg});
  }
  if (region.kind != Region::Kind::ellipse && region.kind != Region::Kind::box) return file;
  file.half_x = region.half_x;
  file.half_y = region.half_y;
  file.inner_x = region.inner_x;
  file.inner_y = region.inner_y;
  file.angle_deg = std::fmod(std::fmod(region.angle_deg, 360) + 360, 360);
  if (file.angle_deg > 360 - 5e-7) file.angle_deg = 0;  // not "360.000000": what is read back must be what was written
  if (!file.on_sky) return file;
  const auto m = local_matrix(sky, wcs, region.centre);
  if (!m) throw InputError("the scale of the sky is not known where a region lies: write the regions in pixels");
  set_file_axes(file, region, *m);
  return file;
}

std::string regions_text(const std::vector<Region>& regions, const Wcs& wcs, RegionFormat format,
                         const SkySystem& wanted, bool on_sky) {
  const SkySystem system = in_region_files(wanted);
  std::vector<FileRegion> files;
  for (const Region& region : regions) files.push_back(to_file_region(region, wcs, system, on_sky));
  const bool sky = !files.empty() && files.front().on_sky;
  std::string text;
  if (format == RegionFormat::ds9) {
    text = fmt::format("# Region file format: DS9 version 4.1\nglobal color=green\n{}\n",
                       sky ? ds9_system(system) : "image");
    for (const FileRegion& f : files) {
      if (f.excluded) text += '-';
      text += ds9_line(f);
      if (!f.name.empty()) text += fmt::format(" # text={{{}}}", safe_name(f.name));
      text += '\n';
    }
    return text;
  }
  text = "#CRTFv0\n";
  for (const FileRegion& f : files) {
    if (f.excluded) text += '-';
    text += crtf_line(f);
    if (f.on_sky) text += fmt::format(" coord={}", crtf_system(system));
    if (!f.name.empty()) text += fmt::format("{} label='{}'", f.on_sky ? "," : "", safe_name(f.name));
    text += '\n';
  }
  return text;
}

}  // namespace reber
