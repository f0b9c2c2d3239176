// SPDX-License-Identifier: BSD-3-Clause
// reber convolve: one image in, one smoothed image out.
#include "app/command.hpp"
#include "app/config_file.hpp"
#include "app/pipeline_command.hpp"
#include "app/stage_options.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ConvolveOptions convolve;
  std::string input, output;
};

int execute(const Options& options, const CLI::App& command, Terminal& terminal) {
  apply(options.common, terminal);
  Request request = base_request(options.common, options.input);
  request.options = options_in_force(command);
  request.convolve = convolve_request(options.convolve);
  request.output.convolved = options.output;
  (void)run_one(request, options.common, terminal);
  return kDone;
}

}  // namespace

void add_convolve(CLI::App& root, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("convolve", "Convolve an image with a kernel, or smooth it to a beam");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  command->add_option("output", options->output, "FITS image to write")->required()->type_name("OUT")->group("Output");
  add_convolve_options(*command, options->convolve, true);
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_dry_run_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber convolve in.fits out.fits --kernel beam:20,20,0        smooth to a round 20\" beam\n"
      "  reber convolve in.fits out.fits --kernel gaussian:4          Gaussian of FWHM 4 pixels\n"
      "  reber convolve in.fits out.fits --kernel file:psf.fits --normalise none --nan propagate\n"
      "  reber convolve in.fits out.fits --kernel beam:20,20,0 --dry-run\n"
      "\n"
      "Images in Jy/beam that are smoothed by a Gaussian or to a beam keep an unresolved source's peak: they are\n"
      "multiplied by the ratio of the beam areas. Images in K, Jy/sr and Jy/pixel are not. The beam in the output's\n"
      "header is the new one. A target that the image's own beam does not fit into is refused.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
