// SPDX-License-Identifier: BSD-3-Clause
// From words to a grid.
#include "app/options/grid_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.hpp"
#include "core/sky/model/coordinates.hpp"

namespace reber::app {
namespace {

constexpr const char* kGroup = "Grid";

Shape parse_size(const std::string& text) {
  const auto number = [&](const std::string& word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 1 || value > 1000000)
      throw InputError(fmt::format("--size '{}': NX,NY or one number was expected, each from 1 to 1000000", text));
    return value;
  };
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return {number(text), number(text)};
  return {number(text.substr(comma + 1)), number(text.substr(0, comma))};
}

}  // namespace

void add_grid_options(Command& command, GridOptions& options) {
  command
      .add_option("--like", options.like, "The grid of this image: projection, pixels and size, in place of the others")
      ->type_name("FITS")
      ->brief("The grid of this image")
      ->group(kGroup);
  command.add_option("--projection", options.projection, "Of a new grid; default: the input's")
      ->check(one_of([] {
        std::vector<std::string> known;
        for (const auto& row : words<Projection>) known.emplace_back(row.word), known.emplace_back(row.alias);
        return known;
      }()))
      ->type_name(all_words<Projection>("|"))
      ->brief("Of a new grid: SIN, TAN ...")
      ->group(kGroup);
  command
      .add_option("--centre", options.centre,
                  "Of a new grid, in its frame: degrees, or 12:34:56,-12:34:56; default: the middle of the input")
      ->type_name("LON,LAT")
      ->brief("Of a new grid: its middle")
      ->group(kGroup);
  command.add_option("--pixel", options.pixel_arcsec, "Side of a new grid's pixels; default: of the input's")
      ->check(within("regrid.pixel"))
      ->type_name("ARCSEC")
      ->brief("Side of its pixels")
      ->group(kGroup);
  command.add_option("--size", options.size, "Pixels of a new grid; default: all that the input covers")
      ->type_name("NX,NY")
      ->brief("Its pixels; default: all of the input")
      ->group(kGroup);
  command.add_option("--rotate", options.rotate_deg, "Turns the axes of a new grid, from north through east")
      ->check(within("regrid.rotate"))
      ->type_name("DEG")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--frame", options.frame, "Of a new grid: icrs, fk5, fk4, galactic, ecliptic; default: the input's")
      ->type_name("FRAME")
      ->brief("icrs, galactic ...; default: the input's")
      ->group(kGroup);
}

SkyGrid grid_of(const GridOptions& options, std::span<const ImageHeader* const> images, const OpenOptions& open,
                const Progress& progress, bool any) {
  const bool described = !options.projection.empty() || !options.centre.empty() || options.pixel_arcsec ||
                         !options.size.empty() || options.rotate_deg != 0 || !options.frame.empty();
  if (!options.like.empty() && described)
    throw InputError(
        "--like takes the whole grid of an image: --projection, --centre, --pixel, --size, --rotate and "
        "--frame describe another");
  if (options.like.empty() && !described && !any)
    throw InputError("say which grid: --like IMAGE, or --projection, --centre, --pixel, --size, --rotate, --frame");
  if (!options.like.empty()) {
    OpenOptions how;
    how.max_inflated_bytes = open.max_inflated_bytes;
    return sky_grid(open_image_file(options.like, how, Planes::many, progress)->header(0));
  }
  GridChoice choice;
  if (!options.projection.empty()) choice.projection = from_string<Projection>(options.projection, "--projection");
  if (!options.frame.empty()) {
    choice.system = system_named(options.frame);
    if (!choice.system)
      throw InputError(fmt::format("--frame '{}': icrs, fk5, fk4, galactic or ecliptic was expected", options.frame));
  }
  if (!options.centre.empty()) {
    CoordinateStyle style;
    const auto own = system_of(images.front()->wcs);
    style.system = choice.system ? *choice.system : own.value_or(SkySystem{});
    const TypedPlace place = parse_place(options.centre, style);
    if (!place.sky || place.size_deg || place.size_px)
      throw InputError(fmt::format("--centre '{}': a longitude and a latitude were expected", options.centre));
    choice.centre = SkyConverter(place.system, style.system)(*place.sky);
    choice.system = style.system;
  }
  choice.pixel_arcsec = options.pixel_arcsec;
  if (!options.size.empty()) choice.size = parse_size(options.size);
  choice.rotate_deg = options.rotate_deg;
  return choose_grid(choice, images);
}

}  // namespace reber::app
