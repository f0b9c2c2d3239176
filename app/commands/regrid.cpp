// SPDX-License-Identifier: BSD-3-Clause
// reber regrid: an image or a cube on another grid.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/grid_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/studies/imaging/regrid.hpp"

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kArcsec = 3600;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  GridWords grid;
  std::string input, output, rms_map, write_rms, write_psf;
  Interpolation how = Interpolation::fitted;
  BeamIs beam_is = BeamIs::automatic;
};

std::vector<std::string> outputs_of(const Options& options) {
  std::vector<std::string> outputs{options.output};
  if (!options.write_rms.empty()) outputs.push_back(options.write_rms);
  if (!options.write_psf.empty()) outputs.push_back(options.write_psf);
  return outputs;
}

Json json_of(const Options& options, const RegridRequest& request, const RegridFacts& facts, bool done) {
  const SkyGrid& grid = request.grid;
  Json json{{"input", options.input},
            {"pixels", {{"nx", grid.shape.nx}, {"ny", grid.shape.ny}}},
            {"projection", grid.wcs.projection()},
            {"frame", grid.wcs.frame_name()},
            {"planes", facts.planes},
            {"interpolation", to_string(request.how)},
            {"noise_gain", facts.noise_gain},
            {"history", facts.history}};
  if (facts.beam)
    json["beam"] = {{"major_arcsec", facts.beam->major_deg * kArcsec},
                    {"minor_arcsec", facts.beam->minor_deg * kArcsec},
                    {"pa_deg", facts.beam->pa_deg}};
  if (done) json["outputs"] = outputs_of(options);
  return json;
}

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  const Request base = base_request(options.common, options.input);
  if (options.write_rms.empty() != options.rms_map.empty())
    throw InputError(
        "--use-rms-map and --write-rms-map belong together: a map of the noise is put on the grid as well");
  check_outputs(outputs_of(options), options.common.overwrite);
  const Progress progress = terminal.progress();
  terminal.set_subject(options.input);
  const CubeSource cube = CubeSource::open(options.input, base.open, progress, terminal.log());
  const auto header = cube.header(base.open.plane.value_or(0));
  RegridRequest request;
  request.input = options.input;
  request.grid = grid_of(options.grid, {{header.get()}}, base.open, progress);
  request.how = options.how;
  request.beam_is = options.beam_is;
  request.beam = base.beam;
  request.plane = base.open.plane;
  request.threads = options.common.threads;
  request.history = {base.program + ", input " + options.input};
  for (const std::string& line : options_of_call(command, options.parameters))
    request.history.push_back("option: " + line);
  const Regridding work(cube, request);
  if (!options.write_psf.empty() && !work.facts().beam)
    throw InputError(fmt::format("--write-psf-map: {} has no beam; {}", printable(options.input), header->beam_note));
  for (const std::string& warning : work.facts().warnings) terminal.log().warning(warning);
  std::string text = printable(options.input);
  for (std::size_t i = request.history.size(); i < work.facts().history.size(); ++i)
    text += "\n  " + work.facts().history[i];
  if (!options.common.dry_run) {
    on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
      CommitGroup group(options.common.durable);
      const FileOptions how(options.common.overwrite, &group);
      work.write(options.output, backend, how, progress);
      if (!options.write_rms.empty()) work.write_rms(options.write_rms, options.rms_map, backend, how, progress);
      if (!options.write_psf.empty()) work.write_psf(options.write_psf, how, progress);
      group.commit(progress);
      return 0;
    });
    for (const std::string& output : outputs_of(options)) text += "\n  wrote " + printable(output);
  }
  terminal.clear_progress();
  terminal.print(text);
  write_json(options.common,
             json_of(options, request, work.facts(), !options.common.dry_run)
                 .dump(2, ' ', false, Json::error_handler_t::replace),
             terminal);
  return kDone;
}

}  // namespace

void add_regrid(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("regrid", "Put an image or a cube on another grid");
  command->add_option("input", options->input, "FITS image or cube")->required()->type_name("IN")->group("Input");
  command->add_option("-o,--output", options->output, "The image on the grid")
      ->required()
      ->type_name("FITS")
      ->brief("The image on the grid")
      ->group("Output");
  add_grid_options(*command, options->grid);
  add_choice(*command, "--interpolation", options->how,
             "Weights of eight pixels fitted to the beam, which keep the amplitude of points; or bilinear, or nearest "
             "for masks")
      ->brief("fitted to the beam, bilinear or nearest")
      ->group("Grid");
  add_choice(
      *command, "--beam-is", options->beam_is,
      "Where the beam is the same all over the input: in its pixels, or on the sky; auto: in pixels of SIN, else "
      "on the sky")
      ->group("Grid");
  command
      ->add_option("--use-rms-map", options->rms_map,
                   "Map of the input's noise, on the input's grid, for --write-rms-map")
      ->type_name("FITS")
      ->group("Input");
  command->add_option("--write-rms-map", options->write_rms, "The map of the noise on the grid")
      ->type_name("FITS")
      ->group("Output");
  command
      ->add_option("--write-psf-map", options->write_psf,
                   "How the beam varies over the grid, as find --psf-map reads it")
      ->type_name("FITS")
      ->group("Output");
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber regrid a.fits --like b.fits -o a_on_b.fits\n"
      "  reber regrid a.fits --projection AIT --frame galactic --centre 0,0 --pixel 60 -o all.fits\n"
      "  reber regrid mask.fits --like b.fits --interpolation nearest -o mask_on_b.fits\n"
      "\n"
      "Places are WCSLIB's to .001 pixel. A pixel is blank where one of the four input pixels about its place is.\n"
      "Jy/beam and K keep their values; those per pixel are multiplied by the ratio of pixel areas. Cubes are put on "
      "the grid\n"
      "plane by plane. docs/mosaics.md says how well amplitudes are kept.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
