// SPDX-License-Identifier: BSD-3-Clause
// reber convolve: one image in, one smoothed image out; several of them in one run for several kernels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/config_file.hpp"
#include "app/options/output_names.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/run/request/parameter_rules.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input, output;
  std::vector<std::string> kernels, beams, old_beams;
};

/// One convolution asked for; `text` names it as --kernel would.
struct Asked {
  std::string text;
  ConvolveRequest request;
};

std::vector<Asked> asked_for(const Options& options) {
  std::vector<std::string> beams = options.beams;
  beams.insert(beams.end(), options.old_beams.begin(), options.old_beams.end());
  if (beams.empty() == options.kernels.empty()) {
    throw InputError(
        "give either --kernel or --to-beam MAJ,MIN,PA, the beam to smooth to (the image's own is --image-beam)");
  }
  std::vector<Asked> asked;
  Request rules;
  options.parameters.apply(rules);
  const auto add = [&](const std::string& text, KernelSpec kernel) {
    part(rules.convolve).kernel = std::move(kernel);
    refuse_broken_rules(rules);
    asked.push_back({text, *rules.convolve});
  };
  for (const std::string& kernel : options.kernels)
    if (!kernel.empty()) add(kernel, parse_kernel(kernel));
  for (const std::string& beam : beams) add("beam:" + beam, TargetBeam{parse_beam(beam, "--to-beam")});
  if (asked.empty()) throw InputError("--kernel is empty");
  return asked;
}

/// Several kernels: the output is a folder of a file each. All of them are tried dry first, so that one that is refused
/// leaves neither file nor folder behind.
void convolve_by_each(const Request& base, const std::vector<Asked>& asked, const Options& options,
                      Terminal& terminal) {
  std::vector<Request> requests(asked.size(), base);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const std::string name = stem_of(options.input) + '_' + name_of_kernel(asked[i].text) + ".fits";
    paths.push_back((fs::path(options.output) / name).string());
    requests[i].convolve = asked[i].request;
    requests[i].output.want("convolved", paths.back());
  }
  std::vector<std::string> sorted = paths;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw InputError(fmt::format("{} is given for two outputs: two kernels have one name", *twice));
  if (!base.dry_run && fs::is_directory(options.output)) check_outputs(paths, base.output.overwrite);
  terminal.set_subject(base.input);
  terminal.expect({"read", "convolve", "writing"});
  const Progress progress = terminal.progress();
  const Report report = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    if (!base.dry_run) {
      std::vector<Request> dry = requests;
      for (Request& request : dry) request.dry_run = true;
      (void)Pipeline(backend, input_of(base)).run_each(dry, {}, events_of(progress));
      make_folder(options.output);
      check_outputs(paths, requests.front().output.overwrite);
    }
    const std::vector<Request> once = requests;
    for (Request& request : requests) request.output.overwrite = true;  // what is written before its card fails
    return Pipeline(backend, input_of(base)).run_each(once, {}, events_of(progress, terminal.log()));
  });
  terminal.clear_progress();
  terminal.print(to_text(report));
  write_json(options.common, to_json(report), terminal);
}

int execute(const Options& options, const Command& command, Terminal& terminal) {
  apply(options.common, terminal);
  if (!options.old_beams.empty()) warn_old_beam(terminal);
  Request request = base_request(options.common, options.input);
  request.call = options_of_call(command, options.parameters);
  const std::vector<Asked> asked = asked_for(options);
  if (asked.size() > 1) {
    convolve_by_each(request, asked, options, terminal);
    return kDone;
  }
  request.convolve = asked.front().request;
  request.output.want("convolved", options.output);
  (void)run_one(request, options.common, terminal);
  return kDone;
}

}  // namespace

void add_convolve(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("convolve", "Convolve an image with a kernel, or smooth it to a beam");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  command->add_option("output", options->output, "FITS image to write; a folder for several kernels")
      ->required()
      ->type_name("OUT")
      ->group("Output");
  options->parameters.add_repeated(*command, "convolve.kernel", options->kernels);
  options->parameters.add(*command, ParameterOptions::Group::convolution, {"convolve.kernel"});
  command->find("--boundary")->brief("Outside: reflect, zero, wrap, blank ...");
  command->find("--nan")->brief("Blank pixels: interpolate, fill ...");
  add_repeated_option(*command, "--beam", options->old_beams, "")->group("");
  add_repeated_option(*command, "--to-beam", options->beams,
                      "Smooth to this beam (FWHM in arcsec, position angle in degrees): the same as "
                      "--kernel beam:MAJ,MIN,PA. --kernel or --to-beam may be given several times")
      ->type_name("MAJ,MIN,PA")
      ->brief("Smooth to this beam, in arcsec and deg")
      ->group("Convolution");
  add_durable_option(*command, options->common);
  add_run_options(*command, options->common, "--image-beam");
  add_devices_option(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber convolve in.fits out.fits --to-beam 20,20,0            smooth to a round 20\" beam\n"
      "  reber convolve in.fits out.fits --kernel gaussian:4          Gaussian of FWHM 4 pixels\n"
      "  reber convolve in.fits out.fits --kernel file:psf.fits --normalise none --nan propagate\n"
      "  reber convolve in.fits out.fits --to-beam 20,20,0 --dry-run\n"
      "  reber convolve in.fits smoothed --to-beam 20,20,0 --to-beam 40,40,0   a file for each in a folder\n"
      "\n"
      "Images in Jy/beam that are smoothed by a Gaussian or to a beam keep an unresolved source's peak: they are\n"
      "multiplied by the ratio of the beam areas. Images in K, Jy/sr and Jy/pixel are not. The beam in the output's\n"
      "header is the new one. A target that the image's own beam does not fit into is refused.");
  command->callback([options, command, &action] {
    action = [options, command](Terminal& t) { return execute(*options, *command, t); };
  });
}

}  // namespace reber::app
