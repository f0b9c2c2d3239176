// SPDX-License-Identifier: BSD-3-Clause
// reber simulate: a sky with a known truth.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/run/request/bounds.hpp"
#include "core/studies/simulation.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  std::string output, truth;
  std::vector<std::int64_t> size{1024};
  SimulationOptions sky;
  std::string beam = "10,10,0";
  double frequency_mhz = 150;
  double rms_ujy = 20;
  double background_ujy = 0;
};

/// A scene has defaults of its own, for what the user did not say.
void apply_scene_defaults(const Command& command, Options& options) {
  const auto unset = [&](const char* name) { return !command.find(name)->given(); };
  const auto set = [&](const char* name, auto& field, auto value) {
    if (unset(name)) field = value;
  };
  if (options.sky.scene == SimulationOptions::Scene::dirac_grid) {
    set("--rms", options.rms_ujy, 0.0);
    set("--sources", options.sky.point_sources, std::int64_t{0});
    set("--extended", options.sky.extended_sources, std::int64_t{0});
  } else if (options.sky.scene == SimulationOptions::Scene::galactic_plane) {
    set("--pixel", options.sky.pixel_arcsec, 15.0);
    set("--beam", options.beam, std::string("66,54,12"));
    set("--ra", options.sky.ra_deg, 266.4168);
    set("--dec", options.sky.dec_deg, -29.0078);
    set("--rms", options.rms_ujy, 4000.0);
    set("--sources", options.sky.point_sources, std::int64_t{500});
    set("--extended", options.sky.extended_sources, std::int64_t{14});
    set("--rings", options.sky.rings, std::int64_t{16});
    set("--brightest", options.sky.brightest, 20.0);
    if (unset("--blank-corners")) options.sky.blank_corners = true;
  }
}

SimulationOptions simulation(const Options& options) {
  SimulationOptions sky = options.sky;
  sky.shape = {options.size.size() > 1 ? options.size[1] : options.size[0], options.size[0]};
  sky.beam = parse_beam(options.beam, "--beam");
  sky.frequency_hz = options.frequency_mhz * 1e6;
  sky.rms = options.rms_ujy * 1e-6;
  sky.background = options.background_ujy * 1e-6;
  return sky;
}

std::vector<std::string> history(const Options& options, const SimulationOptions& sky) {
  const std::string head =
      fmt::format("{}: simulated sky, scene {}, seed {}, {} x {} pixels of {:g} arcsec", program_name(),
                  to_string(sky.scene), sky.seed, sky.shape.nx, sky.shape.ny, sky.pixel_arcsec);
  if (sky.scene == SimulationOptions::Scene::dirac_grid) {
    return {head, fmt::format("unit pulses every {} pixels", sky.grid_step)};
  }
  return {head,
          fmt::format("beam {} arcsec, rms {:g} uJy/beam rising by {:g}, background {:g} uJy/beam", options.beam,
                      options.rms_ujy, sky.rms_rise, options.background_ujy),
          fmt::format("{} point sources up to {:g} Jy/beam, {} extended, {} rings", sky.point_sources, sky.brightest,
                      sky.extended_sources, sky.rings)};
}

void write_image(const Options& options, const SimulatedSky& result, std::vector<std::string> lines,
                 const Progress& progress) {
  OutputHeader header;
  header.cards = result.cards;
  header.history = std::move(lines);
  const Shape shape = result.image.shape();
  const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    std::copy_n(result.image.data() + y0 * shape.nx, ny * shape.nx, out);
  };
  write_fits(options.output, shape, header, rows, options.common.overwrite, progress);
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  const SimulationOptions sky = simulation(options);
  const std::vector<std::string> lines = history(options, sky);
  if (options.common.dry_run) {
    for (const std::string& line : lines) terminal.print(line);
    return kDone;
  }
  check_outputs({options.output, options.truth}, options.common.overwrite);
  terminal.set_subject(options.output);
  SimulatedSky result = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    return simulate(sky, *backend, terminal.progress());
  });
  result.truth.history = lines;
  write_image(options, result, lines, terminal.progress());
  if (!options.truth.empty()) write_catalogue(result.truth, options.truth, options.common.overwrite);
  terminal.clear_progress();
  for (const std::string& line : lines) terminal.print((&line == &lines.front() ? "" : "  ") + line);
  terminal.print(
      fmt::format("  {} components in the truth\n  wrote {}", result.truth.rows(), printable(options.output)));
  if (!options.truth.empty()) terminal.print("  wrote " + printable(options.truth));
  nlohmann::ordered_json json{{"output", options.output},
                              {"truth", options.truth},
                              {"scene", to_string(sky.scene)},
                              {"seed", sky.seed},
                              {"shape", {sky.shape.ny, sky.shape.nx}},
                              {"components", result.truth.rows()}};
  write_json(options.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return kDone;
}

void add_sky_options(Command& command, Options& options) {
  const std::string sky = "Sky";
  SimulationOptions& s = options.sky;
  const auto number = [&](const char* name, auto& field, const char* text, const char* unit, const char* brief = "") {
    Option* const option = command.add_option(name, field, text);
    for (const Bound& row : bounds())
      if (row.name.starts_with("simulate.") && row.option == name) option->check(within(row.name));
    option->type_name(unit)->capture_default_str()->brief(brief)->group(sky);
  };
  add_choice(command, "--scene", s.scene, "What to draw; galactic_plane and dirac_grid have defaults of their own")
      ->brief("field, galactic_plane, dirac_grid")
      ->group(sky);
  command.add_option("--size", options.size, "Pixels on a side, or NX NY")
      ->expected(1, 2)
      ->check(within("simulate.size"))
      ->type_name("PX")
      ->default_str("1024")
      ->brief("Pixels on a side, or NX NY")
      ->group(sky);
  number("--seed", s.seed, "Another number, another sky", "N", "Another number, another sky");
  number("--pixel", s.pixel_arcsec, "Pixel size", "ARCSEC", "Pixel size");
  number("--beam", options.beam, "Beam: FWHM in arcsec, position angle in degrees", "MAJ,MIN,PA", "FWHM and angle");
  number("--frequency", options.frequency_mhz, "RESTFRQ", "MHZ");
  number("--ra", s.ra_deg, "Right ascension of the centre", "DEG");
  number("--dec", s.dec_deg, "Declination of the centre", "DEG");
  number("--rms", options.rms_ujy, "Noise at the centre, correlated like the beam; 0: none", "UJY",
         "Noise at the centre");
  number("--rms-rise", s.rms_rise, "Noise at the middle of an edge is 1 + this times higher", "PART");
  number("--background", options.background_ujy, "Amplitude of a smooth wave", "UJY");
  number("--sources", s.point_sources, "Point sources, N(>S) ~ 1/S from 2.5 rms up", "N", "Point sources");
  number("--brightest", s.brightest, "Upper end of their fluxes, and the scale of the Galactic centre", "JY");
  number("--extended", s.extended_sources, "Extended Gaussian sources", "N", "Extended Gaussian sources");
  number("--rings", s.rings, "Supernova shells", "N");
  command.add_flag("--blank-corners", s.blank_corners, "Blank (NaN) corners, as a primary-beam cut leaves")->group(sky);
  number("--grid-step", s.grid_step, "Distance between the pulses of the Dirac grid", "PX");
}

}  // namespace

void add_simulate(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("simulate", "Make an image of a sky whose sources are known");
  command->add_option("output", options->output, "FITS image to write")
      ->required()
      ->type_name("OUT.fits")
      ->group("Output");
  command->add_option("--truth", options->truth, "Write the true sources (.csv .fits .vot .reg)")
      ->type_name("CATALOGUE")
      ->brief("Write the true sources")
      ->group("Output");
  add_overwrite_option(*command, options->common);
  add_dry_run_option(*command, options->common);
  add_sky_options(*command, *options);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber simulate sky.fits --truth truth.csv\n"
      "  reber simulate big.fits --size 16384 --sources 80000 --seed 7\n"
      "  reber simulate plane.fits --scene galactic_plane --truth plane.csv\n"
      "  reber simulate pulses.fits --scene dirac_grid --size 256 --grid-step 64\n"
      "\n"
      "The same options give the same sky on every backend: the noise comes from a counter-based generator\n"
      "(Philox4x32-10), the truth from other streams of it, so that more sources leave the noise as it was.");
  command->callback([options, command, &action] {
    apply_scene_defaults(*command, *options);
    action = [options](Terminal& t) { return execute(*options, t); };
  });
}

}  // namespace reber::app
