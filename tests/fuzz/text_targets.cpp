// SPDX-License-Identifier: BSD-3-Clause
// Regions, catalogues, options and sessions.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "core/catalogue/catalogue_readers.hpp"
#include "core/model/sky_list.hpp"
#include "core/regions/region_parsers.hpp"
#include "gui/model/workspace.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {
namespace {

const Wcs& plain_sky() {
  static const Wcs wcs = [] {
    std::string cards;
    for (const char* card :
         {"CTYPE1  = 'RA---SIN'", "CRVAL1  = 180.0", "CRPIX1  = 32.5", "CDELT1  = -0.001", "CTYPE2  = 'DEC--SIN'",
          "CRVAL2  = -30.0", "CRPIX2  = 24.5", "CDELT2  = 0.001", "RADESYS = 'ICRS'", "END"}) {
      cards += card;
      cards.resize((cards.size() + 79) / 80 * 80, ' ');
    }
    return Wcs::parse(cards, 0, 1, {1, 1}, 2, 64, 48);
  }();
  return wcs;
}

void use(const Catalogue& catalogue) { (void)sky_list(catalogue, {}); }

}  // namespace

void regions(Bytes bytes) {
  const std::string text(text_of(bytes));
  const RegionFormat format = region_format("fuzz.reg", text);
  const ParsedRegions parsed = format == RegionFormat::crtf ? parse_crtf(text) : parse_ds9(text);
  std::vector<Region> shapes;
  for (const FileRegion& region : parsed.regions) {
    try {
      shapes.push_back(to_region(region, plain_sky()));
    } catch (const InputError&) {
      continue;  // off this image's sky
    }
    (void)bounds_of(shapes.back(), {48, 64});
    (void)contains(shapes.back(), {20, 20});
  }
  for (const RegionFormat again : {RegionFormat::ds9, RegionFormat::crtf})
    (void)regions_text(shapes, plain_sky(), again, {}, true);
}

void tables(Bytes bytes) {
  if (text_of(bytes).starts_with("SIMPLE"))
    use(read_catalogue_fits(MemoryBytes(bytes), "fuzz"));
  else
    use(read_catalogue_text(text_of(bytes), "fuzz"));
}

void votable(Bytes bytes) { use(read_catalogue_votable(text_of(bytes), "fuzz")); }

void toml(Bytes bytes) {
  const NamedBytes file(bytes);
  CLI::App root("fuzz", "reber");
  root.allow_config_extras(CLI::config_extras_mode::error);
  CLI::App* const command = root.add_subcommand("find", "");
  command->allow_config_extras(CLI::config_extras_mode::error);
  app::CommonOptions common;
  app::ParameterOptions parameters;
  std::string input;
  command->add_option("input", input);
  using Group = app::ParameterOptions::Group;
  for (const Group group : {Group::convolution, Group::background, Group::detection}) parameters.add(*command, group);
  app::add_run_options(*command, common);
  std::string words[] = {"reber", "find", "in.fits", "--config", file.path()};
  char* arguments[std::size(words)];
  for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
  try {
    app::use_config_file(root, static_cast<int>(std::size(words)), arguments);
    root.parse(static_cast<int>(std::size(words)), arguments);
  } catch (const CLI::Error&) {
    return;
  }
  Request request = app::base_request(common, input);
  parameters.apply(request);
  (void)app::effective_config(*command, request, {input});
}

void session(Bytes bytes) {
  const auto json = gui::Json::parse(text_of(bytes), nullptr, false);
  if (json.is_discarded()) return;
  (void)gui::to_json(gui::session_from_json(json, "fuzz"));
}

}  // namespace reber::fuzz
