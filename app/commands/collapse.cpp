// SPDX-License-Identifier: BSD-3-Clause
// reber collapse: one image of a cube's planes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/choice_option.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/collapse.hpp"
#include "core/run/cube/plane_list.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, output, planes = "all";
  CollapseRequest collapse;
};

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  const Request base = base_request(options.common, options.input);
  if (base.open.plane) throw InputError("--plane is one plane: --planes says which are collapsed");
  check_outputs({options.output}, options.common.overwrite);
  const Progress progress = terminal.progress();
  terminal.set_subject(options.input);
  const CubeSource cube = CubeSource::open(options.input, base.open, progress, terminal.log());
  CollapseRequest request = options.collapse;
  request.given_beam = !options.common.beam.empty();
  request.planes = parse_planes(options.planes, cube.planes());
  request.threads = options.common.threads;
  if (options.common.dry_run) {
    terminal.print(fmt::format("{}: {} of {} planes of {} x {} pixels, {}", printable(options.input),
                               request.planes.size(), cube.planes(), cube.shape().nx, cube.shape().ny,
                               to_string(request.how)));
    return kDone;
  }
  const Collapsed made = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    return collapse(cube, request, *backend, progress, terminal.log());
  });
  const OutputHeader header = collapsed_header(made, base.beam, base.program + ", input " + options.input,
                                               options_of_call(command, options.parameters));
  write_collapsed(options.output, made, cube.shape(), header, options.common.overwrite, progress);
  terminal.clear_progress();
  std::string text = printable(options.input);
  for (const std::string& line : made.history) text += "\n  " + line;
  terminal.print(text + "\n  unit: " + (header.unit.empty() ? "none" : printable(header.unit)) + "\n  wrote " +
                 printable(options.output));
  const nlohmann::ordered_json json{{"input", options.input},  {"how", to_string(request.how)},
                                    {"planes", made.used},     {"unit", header.unit},
                                    {"history", made.history}, {"outputs", {options.output}}};
  write_json(options.common, json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace), terminal);
  return kDone;
}

}  // namespace

void add_collapse(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("collapse", "One image of a cube: mean, maximum, moments");
  command->add_option("input", options->input, "FITS cube")->required()->type_name("CUBE")->group("Input");
  add_planes_option(*command, options->planes);
  command->add_option("-o,--output", options->output, "The image")
      ->required()
      ->type_name("FITS")
      ->brief("The image")
      ->group("Output");
  add_choice(*command, "--how", options->collapse.how,
             "mean, mean weighted by 1/rms^2 of each plane, maximum, or moment 0, 1, 2 over the spectral axis")
      ->brief("mean, weighted, max, moment 0, 1 or 2")
      ->group("Collapse");
  command
      ->add_option("--snr", options->collapse.snr,
                   "Pixels not above this many times their plane's clipped rms do not take part; 0: all do")
      ->check(within("collapse.snr"))
      ->type_name("SIGMA")
      ->capture_default_str()
      ->brief("Pixels above this S/N alone; 0: all")
      ->group("Collapse");
  add_run_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber collapse cube.fits -o mean.fits --how weighted --planes 10:250\n"
      "  reber collapse cube.fits -o mom1.fits --how moment1 --snr 5\n"
      "\n"
      "Moments are over velocity in km/s: radio velocity where the axis is a frequency with RESTFRQ, the axis' own\n"
      "where it is one of velocity; over Hz without RESTFRQ. Planes that are all blank are left out and named.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
