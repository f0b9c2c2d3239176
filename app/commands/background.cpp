// SPDX-License-Identifier: BSD-3-Clause
// reber background: maps of an image's background and noise.
#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/commands/plane_search.hpp"
#include "app/options/config_file.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/product_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  ShareOptions share;
  std::string input, planes;
  MapOptions maps;
};

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  Request request = base_request(options.common, options.input);
  request.call = options_of_call(command, options.parameters);
  options.parameters.apply(request);
  apply(options.maps, request.output);
  if (!options.planes.empty() && !options.share.folder.empty())
    throw InputError("--share is for one image: choose a plane with --plane");
  if (!options.planes.empty()) return search_planes(request, options.planes, options.common, terminal);
  (void)run_one(request, options.common, terminal, {}, options.share);
  return kDone;
}

}  // namespace

void add_background(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("background", "Measure background and noise, and write them as maps");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  add_planes_option(*command, options->planes);
  add_map_options(*command, options->maps, Product::Needs::background);
  options->parameters.rename("background.method", "--method");
  options->parameters.add(*command, ParameterOptions::Group::background,
                          {"background.mean_path", "background.rms_path"});
  add_durable_option(*command, options->common);
  add_run_options(*command, options->common);
  add_devices_option(*command, options->common);
  add_share_options(*command, options->share);
  command->footer(
      "Examples:\n"
      "  reber background in.fits                                      values alone, no maps\n"
      "  reber background in.fits --write-mean mean.fits --write-rms rms.fits\n"
      "  reber background in.fits --write-rms rms.fits --box 128 --write-snr snr.fits\n"
      "  reber background cube.fits --planes all --write-rms rms_cube.fits   a cube of maps, other planes blank\n"
      "\n"
      "A cell's background is 2.5 median - 1.5 mean of the pixels that the clip keeps (the median in crowded cells),\n"
      "its noise their standard deviation, corrected for the clip. Between cells both are interpolated.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
