// SPDX-License-Identifier: BSD-3-Clause
// reber convolve: one image in, one smoothed image out.
#include "app/command.hpp"
#include "app/config_file.hpp"
#include "app/pipeline_command.hpp"
#include "app/stage_options.hpp"
#include "core/base/error.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ConvolveOptions convolve;
  std::string input, output, target;
};

int execute(const Options& options, const CLI::App& command, Terminal& terminal) {
  apply(options.common, terminal);
  Request request = base_request(options.common, options.input);
  request.options = options_in_force(command);
  if (options.target.empty() == options.convolve.kernel.empty()) {
    throw InputError(
        "give either --kernel or --beam MAJ,MIN,PA, the beam to smooth to (the image's own is --image-beam)");
  }
  if (options.target.empty()) {
    request.convolve = convolve_request(options.convolve);
  } else {
    request.convolve = convolution_rules(options.convolve);
    request.convolve->kernel = TargetBeam{parse_beam(options.target, "--beam")};
  }
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
  add_convolve_options(*command, options->convolve);
  command
      ->add_option("--beam", options->target,
                   "Smooth to this beam (FWHM in arcsec, position angle in degrees): the same as --kernel beam:MAJ,MIN,PA")
      ->type_name("MAJ,MIN,PA")
      ->group("Convolution");
  add_image_options(*command, options->common, "--image-beam");
  add_overwrite_option(*command, options->common);
  add_dry_run_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber convolve in.fits out.fits --beam 20,20,0               smooth to a round 20\" beam\n"
      "  reber convolve in.fits out.fits --kernel gaussian:4          Gaussian of FWHM 4 pixels\n"
      "  reber convolve in.fits out.fits --kernel file:psf.fits --normalise none --nan propagate\n"
      "  reber convolve in.fits out.fits --beam 20,20,0 --dry-run\n"
      "\n"
      "Images in Jy/beam that are smoothed by a Gaussian or to a beam keep an unresolved source's peak: they are\n"
      "multiplied by the ratio of the beam areas. Images in K, Jy/sr and Jy/pixel are not. The beam in the output's\n"
      "header is the new one. A target that the image's own beam does not fit into is refused.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
