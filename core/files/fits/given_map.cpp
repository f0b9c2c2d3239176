// SPDX-License-Identifier: BSD-3-Clause
// Size, sky, unit and object of a map are compared with the image's before its pixels are read.
#include "core/files/fits/given_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/error.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

/// Maps that stand for arrays of Python carry this card: they have no sky by their nature.
constexpr std::string_view kArrayCard = "ORIGIN  = 'reber array'";

/// The longer of the two steps of a pixel on the sky, so that it is no zero at a pole.
double pixel_size_deg(const Matrix2& m) { return std::max(std::hypot(m.a, m.c), std::hypot(m.b, m.d)); }

ImagePlane open_map(const std::string& path, const ImageHeader& image, const Progress& progress) {
  OpenOptions options;
  if (image.planes > 1) {
    const auto planes = open_image_file(path, {}, Planes::many, progress)->planes();
    if (planes != 1 && planes != image.planes)
      throw InputError(fmt::format("{}: a map of {} planes for an image of {}; one plane, or as many, are expected",
                                   path, planes, image.planes));
    if (planes > 1) options.plane = image.plane;
  }
  return ImagePlane::open(path, options, progress);
}

/// Where a pixel of the image lies among the nodes, by the even spacing that the header of a mesh has.
struct NodeLine {
  double first = 0, step = 1;
  [[nodiscard]] double node(double pixel) const { return (pixel - first) / step; }
};

NodeLine line_of(const std::vector<double>& nodes, std::int64_t size) {
  if (nodes.size() < 2) return {nodes.front(), static_cast<double>(size)};
  return {nodes.front(), (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1)};
}

void check_sky(const ImageHeader& map, const ImageHeader& image, const char* what, GivenMap& given) {
  constexpr double kMostPixels = 0.5;
  if (!image.wcs.celestial()) return;
  if (!map.wcs.celestial()) {
    if (std::ranges::none_of(map.cards, [](const std::string& card) { return card.starts_with(kArrayCard); }))
      given.warnings.push_back(
          fmt::format("{}: the {} map has no sky coordinates; it is taken as one of this image", map.path, what));
    return;
  }
  const double apart = pixels_apart(map, given.nodes ? &*given.nodes : nullptr, image);
  if (std::isnan(apart))
    given.warnings.push_back(
        fmt::format("{}: the {} map is in {} coordinates, the image in {}; whether they agree is not known", map.path,
                    what, map.wcs.frame_name(), image.wcs.frame_name()));
  else if (std::isinf(apart))
    throw InputError(fmt::format("{}: the {} map is of another part of the sky than the image", map.path, what));
  else if (apart > kMostPixels)
    throw InputError(
        fmt::format("{}: the sky of the {} map is up to {:.4g} pixels from the image's; it must be within {:g}",
                    map.path, what, apart, kMostPixels));
}

void convert_unit(const ImageHeader& map, const ImageHeader& image, const char* what, GivenMap& given) {
  const auto factor = unit_factor(map.unit, image.unit);
  if (!factor)
    throw InputError(
        fmt::format("{}: the {} map is in '{}', the image in '{}'", map.path, what, map.unit.text, image.unit.text));
  given.factor = *factor;
  if (given.factor == 1) return;
  given.notes.push_back(fmt::format("{} map in {}, times {:g}", what, map.unit.text, given.factor));
  if (!given.nodes) return;
  for (float& value : given.nodes->values) value = static_cast<float>(given.factor * value);
}

}  // namespace

std::optional<double> unit_factor(const Unit& map, const Unit& image) {
  if (map.text == image.text || map.text.empty() || image.text.empty()) return 1;
  if (!map.alike(image)) return std::nullopt;
  return map.factor / image.factor;
}

double pixels_apart(const ImageHeader& map, const MeshMap* nodes, const ImageHeader& image) {
  double most = std::numeric_limits<double>::quiet_NaN();
  const auto own = system_of(image.wcs), other = system_of(map.wcs);
  if (own.has_value() != other.has_value() || (!own && map.wcs.frame_name() != image.wcs.frame_name())) return most;
  const SkyConverter convert = own ? SkyConverter(*own, *other) : SkyConverter();
  const NodeLine along_x = nodes ? line_of(nodes->x, image.shape.nx) : NodeLine();
  const NodeLine along_y = nodes ? line_of(nodes->y, image.shape.ny) : NodeLine();
  const double right = static_cast<double>(image.shape.nx - 1), top = static_cast<double>(image.shape.ny - 1);
  for (const PixelPosition at : {PixelPosition{0, 0}, {right, 0}, {0, top}, {right, top}, {right / 2, top / 2}}) {
    const auto sky = image.wcs.to_sky(at.x, at.y);
    const auto scale = image.wcs.sky_per_pixel(at.x, at.y);
    if (!sky || !scale) continue;
    const auto theirs = map.wcs.to_sky(along_x.node(at.x), along_y.node(at.y));
    if (!theirs) return std::numeric_limits<double>::infinity();
    most = std::fmax(most, separation_deg(convert(*sky), *theirs) / pixel_size_deg(*scale));
  }
  return most;
}

GivenMap open_given_map(const std::string& path, const char* what, const ImageHeader& image, const Progress& progress) {
  GivenMap given;
  given.file = std::make_shared<const ImagePlane>(open_map(path, image, progress));
  const ImageHeader& own = given.file->header();
  given.nodes = read_mesh_map(*given.file, progress);
  const Shape shape = given.nodes ? given.nodes->image : own.shape;
  if (shape != image.shape)
    throw InputError(fmt::format("{}: the {} map is {}{} x {} pixels, the image {} x {}; they must be of one size",
                                 path, what, given.nodes ? "a mesh of " : "", shape.nx, shape.ny, image.shape.nx,
                                 image.shape.ny));
  check_sky(own, image, what, given);
  convert_unit(own, image, what, given);
  if (!own.object.empty() && !image.object.empty() && own.object != image.object)
    given.warnings.push_back(
        fmt::format("{}: the {} map is of the object '{}', the image of '{}'", path, what, own.object, image.object));
  return given;
}

}  // namespace reber
