// SPDX-License-Identifier: BSD-3-Clause
// From words to a grid.
#include "core/studies/imaging/grid_words.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.hpp"
#include "core/sky/model/coordinates.hpp"

namespace reber {
namespace {

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

SkyGrid grid_of(const GridWords& words, std::span<const ImageHeader* const> images, const OpenOptions& open,
                const Progress& progress, bool any) {
  const bool described = !words.projection.empty() || !words.centre.empty() || words.pixel_arcsec ||
                         !words.size.empty() || words.rotate_deg != 0 || !words.frame.empty();
  if (!words.like.empty() && described)
    throw InputError(
        "--like takes the whole grid of an image: --projection, --centre, --pixel, --size, --rotate and "
        "--frame describe another");
  if (words.like.empty() && !described && !any)
    throw InputError("say which grid: --like IMAGE, or --projection, --centre, --pixel, --size, --rotate, --frame");
  if (!words.like.empty()) {
    OpenOptions how;
    how.max_inflated_bytes = open.max_inflated_bytes;
    return sky_grid(open_image_file(words.like, how, Planes::many, progress)->header(0));
  }
  GridChoice choice;
  if (!words.projection.empty()) choice.projection = from_string<Projection>(words.projection, "--projection");
  if (!words.frame.empty()) {
    choice.system = system_named(words.frame);
    if (!choice.system)
      throw InputError(fmt::format("--frame '{}': icrs, fk5, fk4, galactic or ecliptic was expected", words.frame));
  }
  if (!words.centre.empty()) {
    CoordinateStyle style;
    const auto own = system_of(images.front()->wcs);
    style.system = choice.system ? *choice.system : own.value_or(SkySystem{});
    const TypedPlace place = parse_place(words.centre, style);
    if (!place.sky || place.size_deg || place.size_px)
      throw InputError(fmt::format("--centre '{}': a longitude and a latitude were expected", words.centre));
    choice.centre = SkyConverter(place.system, style.system)(*place.sky);
    choice.system = style.system;
  }
  choice.pixel_arcsec = words.pixel_arcsec;
  if (!words.size.empty()) choice.size = parse_size(words.size);
  choice.rotate_deg = words.rotate_deg;
  return choose_grid(choice, images);
}

}  // namespace reber
