// SPDX-License-Identifier: BSD-3-Clause
// Regions between pixels and files.
#include "core/sky/regions/region_io.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"

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

double angle_of(Vector2 v) { return std::atan2(v.y, v.x) * 180 / kPi; }

/// The sector of one as that of the other.   ray: of an angle from the first axis of `from`, in the coordinates of `to`
template <class Shape1, class Shape2, class Ray>
void set_sector(Shape1& to, const Shape2& from, const Ray& ray) {
  if (!(from.to_deg > from.from_deg)) return;
  const Vector2 first = ray(0), second = ray(90);
  const bool mirrored = first.x * second.y - first.y * second.x < 0;
  const double start = angle_of(ray(mirrored ? from.to_deg : from.from_deg)) - to.angle_deg,
               end = angle_of(ray(mirrored ? from.from_deg : from.to_deg)) - to.angle_deg;
  const auto turned = [](double angle) { return angle - 360 * std::floor(angle / 360); };
  to.from_deg = turned(start);
  to.to_deg = to.from_deg + turned(end - start);
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
  set_sector(region, file, [&](double angle_deg) { return axis(1, file.angle_deg + angle_deg); });
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
  set_sector(file, region, [&](double angle_deg) {
    const double along = (region.angle_deg + angle_deg) * kPi / 180;
    const Vector2 v = times(m, {std::cos(along), std::sin(along)});
    return Vector2{-v.x, v.y};
  });
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
    region.from_deg = file.from_deg;
    region.to_deg = file.to_deg;
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
  file.border = region.border;
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
  file.from_deg = region.from_deg;
  file.to_deg = region.to_deg;
  if (!file.on_sky) return file;
  const auto m = local_matrix(sky, wcs, region.centre);
  if (!m) throw InputError("the scale of the sky is not known where a region lies: write the regions in pixels");
  set_file_axes(file, region, *m);
  return file;
}

}  // namespace reber
