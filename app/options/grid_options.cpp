// SPDX-License-Identifier: BSD-3-Clause
// One option for each word of a grid.
#include "app/options/grid_options.hpp"

#include "core/studies/imaging/grid_choice.hpp"

namespace reber::app {
namespace {

constexpr const char* kGroup = "Grid";

}  // namespace

void add_grid_options(Command& command, GridWords& options) {
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

}  // namespace reber::app
