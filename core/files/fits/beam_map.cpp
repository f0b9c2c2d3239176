// SPDX-License-Identifier: BSD-3-Clause
// The map's planes are read whole; the beam is then laid out at nodes of the image's grid.
#include "core/files/fits/beam_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/grid_geometry.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Covariance kUnknown{kNan, kNan, kNan};

bool known(const Covariance& c) { return std::isfinite(c.xx) && std::isfinite(c.xy) && std::isfinite(c.yy); }

/// The planes of a map.
struct BeamPlanes {
  Shape shape;
  Wcs wcs;
  std::array<std::vector<float>, 3> values;  ///< major, minor, position angle

  [[nodiscard]] Covariance at(std::int64_t y, std::int64_t x) const {
    const auto i = static_cast<std::size_t>(y * shape.nx + x);
    const double major = values[0][i], minor = values[1][i], angle = values[2][i];
    if (!(major > 0) || !(minor > 0) || !std::isfinite(angle)) return kUnknown;
    return sky_covariance(major, minor, angle);
  }
  /// Bilinear over the neighbours that are known.
  [[nodiscard]] Covariance between(const PixelPosition& place) const {
    const double x = std::clamp(place.x, 0.0, static_cast<double>(shape.nx - 1));
    const double y = std::clamp(place.y, 0.0, static_cast<double>(shape.ny - 1));
    const auto x0 = static_cast<std::int64_t>(x), y0 = static_cast<std::int64_t>(y);
    Covariance sum;
    double weights = 0;
    for (const std::int64_t iy : {y0, std::min(y0 + 1, shape.ny - 1)})
      for (const std::int64_t ix : {x0, std::min(x0 + 1, shape.nx - 1)}) {
        const double of_x = 1 - std::abs(x - static_cast<double>(ix)), of_y = 1 - std::abs(y - static_cast<double>(iy));
        const Covariance c = at(iy, ix);
        const double weight = of_x * of_y;
        if (!known(c) || !(weight > 0)) continue;
        sum = sum + Covariance{weight * c.xx, weight * c.xy, weight * c.yy};
        weights += weight;
      }
    return weights > 0 ? Covariance{sum.xx / weights, sum.xy / weights, sum.yy / weights} : kUnknown;
  }
};

/// The first of the planes for one plane of an image.   throws InputError where the map has none for it
std::int64_t first_plane(const ImageHeader& map, const ImageHeader& image, const std::string& path) {
  std::int64_t values = 1;  // along the first axis that is one
  for (std::size_t i = 0; i < map.axes.size() && values == 1; ++i)
    if (static_cast<int>(i) != map.x_axis && static_cast<int>(i) != map.y_axis) values = map.axes[i];
  if (values < 3)
    throw InputError(fmt::format("{}: a map of the beam has three planes (major, minor, position angle), this has {}",
                                 printable(path), map.planes));
  const std::int64_t maps = map.planes / values;
  if (maps == 1) return 0;
  if (maps != image.planes)
    throw InputError(
        fmt::format("{} holds {} maps of the beam, and the image has {} plane{}: give one map for all "
                    "planes, or one for each along its fourth axis",
                    printable(path), maps, image.planes, image.planes == 1 ? "" : "s"));
  return image.plane * values;
}

BeamPlanes read_planes(const std::string& path, const ImageHeader& image, const Progress& progress) {
  const auto file = open_image_file(path, {}, Planes::many, progress);
  const ImageHeader header = file->header(0);
  const std::int64_t first = first_plane(header, image, path);
  BeamPlanes planes{file->shape(), header.wcs, {}};
  for (std::size_t p = 0; p < 3; ++p) {
    const auto source = file->pixels(first + static_cast<std::int64_t>(p), progress);
    const PixelFormat format = source->format();
    std::vector<std::byte> row(static_cast<std::size_t>(planes.shape.nx * bytes_of(format.type)));
    planes.values[p].resize(static_cast<std::size_t>(planes.shape.count()));
    for (std::int64_t y = 0; y < planes.shape.ny; ++y) {
      source->read_rows(y, 1, row.data());
      decode_floats(row.data(), planes.shape.nx, format, planes.values[p].data() + y * planes.shape.nx);
    }
  }
  return planes;
}

/// From the image's frame to the map's; angles from north are the same in both.
SkyConverter converter_of(const ImageHeader& image, const BeamPlanes& map, const std::string& path) {
  if (!image.wcs.celestial())
    throw InputError("a map of the beam needs the image's sky coordinates: " + image.wcs.why_not());
  if (!map.wcs.celestial()) {
    if (map.shape == image.shape) return {};
    throw InputError(fmt::format("{}: a map of another size than the image needs sky coordinates: {}", printable(path),
                                 map.wcs.why_not()));
  }
  const auto own = system_of(image.wcs), its = system_of(map.wcs);
  if (own == its) return {};
  if (!own || !its || !own->equatorial() || !its->equatorial())
    throw InputError(fmt::format("{}: position angles of a map in {} do not hold for an image in {}", printable(path),
                                 map.wcs.frame_name(), image.wcs.frame_name()));
  return {*own, *its};
}

void refuse_other_units(const BeamNodes& nodes, Shape image, const std::string& path) {
  constexpr double kLeastPixels = 0.5;
  const auto most = static_cast<double>(std::max(image.nx, image.ny));
  for (std::size_t i = 0; i < nodes.sky.size(); ++i) {
    const Ellipse pixels = ellipse_of(nodes.pixels[i]);
    if (pixels.minor >= kLeastPixels && pixels.major <= most) continue;
    const Ellipse sky = ellipse_of(nodes.sky[i]);
    throw InputError(
        fmt::format("{}: a beam of {:.3g} x {:.3g} degrees is {:.3g} x {:.3g} pixels of the image; the first planes "
                    "must be FWHM axes in degrees, the third an angle in degrees",
                    printable(path), sky.major, sky.minor, pixels.major, pixels.minor));
  }
}

}  // namespace

BeamField read_beam_map(const std::string& path, const ImageHeader& image, const Progress& progress) {
  constexpr std::int64_t kMostNodes = 256;
  const BeamPlanes map = read_planes(path, image, progress);
  const SkyConverter to_map = converter_of(image, map, path);
  auto nodes = std::make_shared<BeamNodes>();
  const std::int64_t step = std::max<std::int64_t>(1, (std::max(image.shape.ny, image.shape.nx) - 1) / kMostNodes + 1);
  nodes->step_px = static_cast<double>(step);
  nodes->shape = {(image.shape.ny + step - 2) / step + 1, (image.shape.nx + step - 2) / step + 1};
  nodes->sky.assign(static_cast<std::size_t>(nodes->shape.count()), kUnknown);
  nodes->pixels = nodes->sky;
  nodes->pixel_deg2.assign(nodes->sky.size(), kNan);
  ThreadPool pool;
  // WCSLIB writes into its structures.
  const std::vector<Wcs> own(static_cast<std::size_t>(pool.threads()), image.wcs);
  const std::vector<Wcs> its(static_cast<std::size_t>(pool.threads()), map.wcs);
  pool.for_each_worker(nodes->shape.ny, [&](std::int64_t row, int worker) {
    const Wcs &wcs = own[static_cast<std::size_t>(worker)], &of_map = its[static_cast<std::size_t>(worker)];
    for (std::int64_t column = 0; column < nodes->shape.nx; ++column) {
      const auto x = static_cast<double>(std::min(column * step, image.shape.nx - 1));
      const auto y = static_cast<double>(std::min(row * step, image.shape.ny - 1));
      const auto sky = wcs.to_sky(x, y);
      const auto local = wcs.sky_per_pixel(x, y);
      if (!sky || !local || !(std::abs(local->determinant()) > 0)) continue;
      const auto place = map.wcs.celestial() ? of_map.to_pixel(to_map(*sky)) : PixelPosition{x, y};
      const Covariance beam = place ? map.between(*place) : kUnknown;
      if (!known(beam)) continue;
      const auto i = static_cast<std::size_t>(row * nodes->shape.nx + column);
      nodes->sky[i] = beam;
      nodes->pixels[i] = to_pixels(beam, *local);
      nodes->pixel_deg2[i] = std::abs(local->determinant());
    }
  });
  if (!fill_unknown(*nodes))
    throw InputError(fmt::format("{}: the map knows no beam at any place of the image", printable(path)));
  refuse_other_units(*nodes, image.shape, path);
  return BeamField(std::move(nodes));
}

bool beam_map_knows(const std::string& path, const ImageHeader& image, const Progress& progress) {
  const BeamPlanes map = read_planes(path, image, progress);
  for (std::int64_t y = 0; y < map.shape.ny; ++y)
    for (std::int64_t x = 0; x < map.shape.nx; ++x)
      if (known(map.at(y, x))) return true;
  return false;
}

BeamMapNodes beam_map_of(Shape grid, const std::function<std::optional<Beam>(PixelPosition)>& beam,
                         const Progress& progress) {
  const Shape shape = beam_map_nodes(grid);
  BeamMapNodes nodes;
  nodes.reserve(static_cast<std::size_t>(shape.count()));
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    progress.check();
    for (std::int64_t x = 0; x < shape.nx; ++x)
      nodes.push_back(beam({static_cast<double>(x * kBeamMapStep), static_cast<double>(y * kBeamMapStep)}));
  }
  return nodes;
}

void write_beam_map(const std::string& path, const std::string& input, const SkyGrid& grid, std::int64_t maps,
                    const std::function<BeamMapNodes(std::int64_t map)>& map_of,
                    const std::vector<std::string>& history, const FileOptions& how, const Progress& progress) {
  constexpr auto kStep = static_cast<double>(kBeamMapStep);
  ImageHeader like;
  like.path = input;
  like.shape = beam_map_nodes(grid.shape);
  like.axes = {like.shape.nx, like.shape.ny, 3};
  like.planes = 3 * maps;
  if (maps > 1) like.axes.push_back(maps);
  for (std::string card : grid.cards) {
    const std::string keyword = fits::keyword_of(card);
    if (keyword.find("_ORDER") != std::string::npos || fits::value_of(card).find("TPV") != std::string::npos)
      throw InputError("a map of the beam cannot be written on a grid with distortions");
    const double value = fits::parse_number(fits::value_of(card)).value_or(0);
    if (keyword.starts_with("CRPIX")) card = fits::make_card(keyword, (value - 1) / kStep + 1);
    if (keyword.starts_with("CDELT")) card = fits::make_card(keyword, value * kStep);
    like.cards.push_back(std::move(card));
  }
  OutputHeader header;
  header.like = &like;
  header.unit = "deg";
  header.history = history;
  CubeWriter writer(path, header, {}, how);
  double Beam::*const parts[] = {&Beam::major_deg, &Beam::minor_deg, &Beam::pa_deg};
  BeamMapNodes nodes;
  for (std::int64_t plane = 0; plane < like.planes; ++plane) {
    if (plane % 3 == 0) nodes = map_of(plane / 3);
    writer.write_plane(
        plane,
        [&](std::int64_t y0, std::int64_t ny, float* out) {
          for (std::int64_t i = y0 * like.shape.nx; i < (y0 + ny) * like.shape.nx; ++i) {
            const auto& node = nodes[static_cast<std::size_t>(i)];
            *out++ = node ? static_cast<float>((*node).*parts[plane % 3]) : std::nanf("");
          }
        },
        progress);
  }
  writer.finish();
}

}  // namespace reber
