// SPDX-License-Identifier: BSD-3-Clause
// Cards of a new grid, and how large it is.
#include "core/studies/imaging/grid_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/place_grid.hpp"

namespace reber {
namespace {

constexpr std::int64_t kLongestSide = 1000000;
/// A size that any projection of any pixel fits in, while the true one is looked for.
constexpr Shape kAnySize{2, 2};

bool is_zenithal(Projection projection) {
  return projection == Projection::sin || projection == Projection::tan || projection == Projection::zea ||
         projection == Projection::arc || projection == Projection::stg;
}

/// The least rectangle of pixels whose centres or halves hold the places.
struct Bounds {
  double low_x = std::numeric_limits<double>::infinity(), low_y = low_x, high_x = -low_x, high_y = -low_x;

  void add(const PixelPosition& place) {
    if (!std::isfinite(place.x) || !std::isfinite(place.y)) return;
    low_x = std::min(low_x, place.x), high_x = std::max(high_x, place.x);
    low_y = std::min(low_y, place.y), high_y = std::max(high_y, place.y);
  }
  void add(const Bounds& other) {
    add(PixelPosition{other.low_x, other.low_y});
    add(PixelPosition{other.high_x, other.high_y});
  }
  [[nodiscard]] bool empty() const { return !(low_x <= high_x); }
};

/// Of an image's pixels on the grid.
Bounds bounds_on(const Wcs& image, Shape shape, const Wcs& grid, Shape grid_shape = {}) {
  constexpr int kLattice = 64, kEdge = 512;
  const PlaceMap map(image, grid, {}, grid_shape, shape);
  const double last_x = static_cast<double>(shape.nx) - 1, last_y = static_cast<double>(shape.ny) - 1;
  Bounds bounds;
  const auto add = [&](double u, double v) { bounds.add(map(PixelPosition{u * last_x, v * last_y})); };
  for (int j = 0; j <= kLattice; ++j)
    for (int i = 0; i <= kLattice; ++i) add(static_cast<double>(i) / kLattice, static_cast<double>(j) / kLattice);
  for (int k = 0; k <= kEdge; ++k)
    for (const double side : {0.0, 1.0}) {
      add(static_cast<double>(k) / kEdge, side);
      add(side, static_cast<double>(k) / kEdge);
    }
  return bounds;
}

std::string type_card(int axis, const std::string& name, std::string_view projection) {
  return fits::make_text_card(fmt::format("CTYPE{}", axis), fmt::format("{:-<5}{:->3}", name, projection));
}

struct Frame {
  std::string longitude, latitude;
  std::vector<std::string> cards;
};

Frame frame_of(const SkySystem& system) {
  using Kind = SkySystem::Frame;
  if (system.frame == Kind::galactic) return {"GLON", "GLAT", {}};
  if (system.frame == Kind::ecliptic)
    return {"ELON", "ELAT", {fits::make_text_card("RADESYS", "FK5"), fits::make_card("EQUINOX", system.equinox)}};
  if (system.frame == Kind::icrs) return {"RA", "DEC", {fits::make_text_card("RADESYS", "ICRS")}};
  const char* const name = system.frame == Kind::fk5 ? "FK5" : system.e_terms ? "FK4" : "FK4-NO-E";
  return {"RA", "DEC", {fits::make_text_card("RADESYS", name), fits::make_card("EQUINOX", system.equinox)}};
}

double pixel_of(const ImageHeader& image) {
  const auto geometry = image.centre_geometry();
  if (!geometry)
    throw InputError(fmt::format("{}: its middle is off the sky: give --pixel and --centre", printable(image.path)));
  return std::sqrt(std::abs(geometry->determinant()));
}

SkyPosition middle_of(const ImageHeader& image, const SkySystem& system) {
  const auto own = system_of(image.wcs);
  const auto place =
      image.wcs.to_sky(0.5 * static_cast<double>(image.shape.nx - 1), 0.5 * static_cast<double>(image.shape.ny - 1));
  if (!place || !own)
    throw InputError(fmt::format("{}: its middle is off the sky: give --centre", printable(image.path)));
  return SkyConverter(*own, system)(*place);
}

Projection projection_of(const ImageHeader& image) {
  const auto known = find_word<Projection>(image.wcs.projection());
  if (!known)
    throw InputError(fmt::format("{}: its projection is {}: give --projection ({})", printable(image.path),
                                 image.wcs.projection(), all_words<Projection>(", ")));
  return *known;
}

/// The grid with its reference pixel at pixel (0, 0).
SkyGrid at_reference(const GridChoice& choice, Projection projection, const SkySystem& system,
                     const SkyPosition& centre, double pixel_deg) {
  const Frame frame = frame_of(system);
  const std::string_view word = to_string(projection);
  const double angle = choice.rotate_deg * std::numbers::pi / 180;
  std::vector<std::string> cards{type_card(1, frame.longitude, word),
                                 type_card(2, frame.latitude, word),
                                 fits::make_text_card("CUNIT1", "deg"),
                                 fits::make_text_card("CUNIT2", "deg"),
                                 fits::make_card("CRPIX1", 1.0),
                                 fits::make_card("CRPIX2", 1.0),
                                 fits::make_card("CRVAL1", centre.lon_deg),
                                 fits::make_card("CRVAL2", is_zenithal(projection) ? centre.lat_deg : 0.0),
                                 fits::make_card("CDELT1", -pixel_deg),
                                 fits::make_card("CDELT2", pixel_deg)};
  if (angle != 0) {
    cards.push_back(fits::make_card("PC1_1", std::cos(angle)));
    cards.push_back(fits::make_card("PC1_2", std::sin(angle)));
    cards.push_back(fits::make_card("PC2_1", -std::sin(angle)));
    cards.push_back(fits::make_card("PC2_2", std::cos(angle)));
  }
  cards.insert(cards.end(), frame.cards.begin(), frame.cards.end());
  return sky_grid(kAnySize, std::move(cards));
}

}  // namespace

Rect footprint(const Wcs& image, Shape shape, const SkyGrid& grid) {
  const Bounds bounds = bounds_on(image, shape, grid.wcs, grid.shape);
  if (bounds.empty()) return {};
  const auto down = [](double value) { return static_cast<std::int64_t>(std::floor(value)); };
  return {down(bounds.low_y), down(bounds.low_x), down(bounds.high_y) - down(bounds.low_y) + 2,
          down(bounds.high_x) - down(bounds.low_x) + 2};
}

SkyGrid choose_grid(const GridChoice& choice, std::span<const ImageHeader* const> images) {
  if (images.empty()) throw InternalError("a grid is chosen for no image");
  const ImageHeader& first = *images.front();
  for (const ImageHeader* image : images)
    if (!image->wcs.celestial())
      throw InputError(fmt::format("{}: it has no sky coordinates ({})", printable(image->path), image->wcs.why_not()));
  const auto own = system_of(first.wcs);
  if (!choice.system && !own)
    throw InputError(fmt::format("{}: its frame '{}' is not known here: give --frame", printable(first.path),
                                 first.wcs.frame_name()));
  const SkySystem system = choice.system ? *choice.system : *own;
  const SkyPosition centre = choice.centre ? *choice.centre : middle_of(first, system);
  const double pixel_deg = choice.pixel_arcsec ? *choice.pixel_arcsec / 3600 : pixel_of(first);
  const Projection projection = choice.projection ? *choice.projection : projection_of(first);
  const SkyGrid grid = at_reference(choice, projection, system, centre, pixel_deg);
  Bounds bounds;
  Shape size;
  if (choice.size) {
    size = *choice.size;
    const auto middle = grid.wcs.to_pixel(centre);
    if (!middle) throw InputError("the centre of the grid is off its sky");
    // Whole pixels, so that grids of several sizes about a centre fall on each other.
    bounds.low_x = std::round(middle->x) - static_cast<double>(size.nx / 2);
    bounds.low_y = std::round(middle->y) - static_cast<double>(size.ny / 2);
  } else {
    for (const ImageHeader* image : images) {
      const Bounds one = bounds_on(image->wcs, image->shape, grid.wcs);
      if (one.empty())
        throw InputError(fmt::format("{}: {} about {:.5g}, {:.5g} reaches no pixel of it", printable(image->path),
                                     to_string(projection), centre.lon_deg, centre.lat_deg));
      bounds.add(one);
    }
    bounds.low_x = std::floor(bounds.low_x), bounds.low_y = std::floor(bounds.low_y);
    const double nx = std::ceil(bounds.high_x) - bounds.low_x + 1, ny = std::ceil(bounds.high_y) - bounds.low_y + 1;
    if (!(nx <= kLongestSide && ny <= kLongestSide))
      throw InputError(fmt::format("the grid would have {:.0f} x {:.0f} pixels: give --pixel or --size", nx, ny));
    size = {static_cast<std::int64_t>(ny), static_cast<std::int64_t>(nx)};
  }
  return grid.moved(-bounds.low_x, -bounds.low_y, size);
}

}  // namespace reber
