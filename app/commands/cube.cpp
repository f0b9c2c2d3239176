// SPDX-License-Identifier: BSD-3-Clause
// reber cube: a cube through steps, to a cube, a mask, moments with their errors, and cuts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/studies/imaging/cube_work.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, output, planes = "all";
  std::vector<std::string> steps;
};

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  CubeWork work;
  work.base = base_request(options.common, options.input);
  work.base.call = options_of_call(command, options.parameters);
  work.base.output.durable = options.common.durable;
  if (work.base.open.plane) throw InputError("--plane is one plane: --planes says which the steps take");
  work.steps = options.steps, work.output = options.output, work.planes = options.planes;
  work.threads = options.common.threads, work.overwrite = options.common.overwrite;
  check_outputs(cube_outputs(parse_cube_steps(work.steps), work.output), work.overwrite);
  terminal.set_subject(options.input);
  const Progress progress = terminal.progress();
  if (options.common.dry_run) {
    const CubeDone plan = plan_cube(work, progress, terminal.log());
    terminal.print(fmt::format("{}: {} of {} planes of {} x {} pixels\n  would write {}", printable(options.input),
                               plan.planes.size(), plan.cube_planes, plan.shape.nx, plan.shape.ny,
                               fmt::join(plan.outputs, "\n  would write ")));
    return kDone;
  }
  const OnBackend with = [&](const auto& each) {
    on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
      each(backend);
      return 0;
    });
  };
  const CubeDone done = make_cube(work, with, progress, terminal.log());
  terminal.clear_progress();
  std::string text = printable(options.input);
  for (const std::string& line : done.history) text += "\n  " + line;
  for (const std::string& path : done.outputs) text += "\n  wrote " + printable(path);
  terminal.print(text);
  const nlohmann::ordered_json json{{"input", options.input},
                                    {"steps", options.steps},
                                    {"planes", done.planes},
                                    {"history", done.history},
                                    {"outputs", done.outputs}};
  write_json(options.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return kDone;
}

}  // namespace

void add_cube(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("cube", "A cube through steps: smoothing, masks, moments");
  command->add_option("input", options->input, "FITS cube or CASA image")
      ->required()
      ->type_name("CUBE")
      ->group("Input");
  command
      ->add_option(
          "steps", options->steps,
          "What is done, in this order: smooth:common|MAJ,MIN,PA, regrid:LIKE.fits and feather:LOW.fits,scale=1; "
          "contsub:polyN,channels=LIST and spectral:gauss:5ch|boxcar:3|hanning|rebin:4; noise:VALUE; "
          "mask:strict=4,2,2,2 or mask:broad=4,2,2,2@15,30; moments:0,1,2,ew,peak and pv:RA,DEC,RA,DEC,WIDTH")
      ->required()
      ->type_name("STEP")
      ->brief("smooth, regrid, contsub, spectral, mask, moments ...")
      ->group("Input");
  add_planes_option(*command, options->planes);
  command
      ->add_option("-o,--output", options->output,
                   "The cube after the steps; maps are named after it: OUT_mom0.fits, OUT_mom0_error.fits")
      ->required()
      ->type_name("OUT")
      ->brief("The cube; maps are OUT_mom0.fits ...")
      ->group("Output");
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber cube in.fits -o out.fits spectral:gauss:5ch\n"
      "  reber cube in.fits -o out.fits smooth:common mask:strict=4,2,2,2 moments:0,1,2\n"
      "  reber cube in.fits -o out.fits feather:dish.fits pv:187.70,12.35,187.75,12.40,5\n"
      "\n"
      "The cube is read and written once after the steps on planes (smooth, regrid, feather), by all threads, in bands "
      "of\n"
      "rows. Files appear together at the end. Each moment has a map of its error. docs/cubes.md has\n"
      "the laws of all steps.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& terminal) { return execute(*options, *command, terminal); };
  });
}

}  // namespace reber::app
