// SPDX-License-Identifier: BSD-3-Clause
// reber complete: how much of what is in an image is found, and how well it is measured.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/pipeline_command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/parameter_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/studies/completeness.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  ParameterOptions parameters;
  std::string input;
  std::vector<std::string> tables;
  std::string plot;
  CompletenessOptions experiment;
  std::vector<double> snr{2.5, 100}, flux_ujy;
  double size_arcsec = 0;
  std::string into = "image";
};

CompletenessOptions experiment_of(const Options& options) {
  CompletenessOptions experiment = options.experiment;
  experiment.low = options.snr[0], experiment.high = options.snr[1];
  if (!options.flux_ujy.empty()) {
    if (!(options.flux_ujy[0] > 0 && options.flux_ujy[1] > options.flux_ujy[0]))
      throw InputError("--flux: expected two rising fluxes above 0");
    experiment.low_flux = options.flux_ujy[0] * 1e-6;
    experiment.high_flux = options.flux_ujy[1] * 1e-6;
  }
  experiment.size_deg = options.size_arcsec / 3600;
  experiment.residual = options.into == "residual";
  return experiment;
}

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  Request request = base_request(options.common, options.input);
  options.parameters.apply(request);
  check_catalogue_extensions(options.tables);
  const CompletenessOptions experiment = experiment_of(options);
  std::vector<std::string> outputs = options.tables;
  if (!options.plot.empty()) outputs.push_back(options.plot);
  check_outputs(outputs, options.common.overwrite);
  terminal.set_subject(options.input);
  const CompletenessResult result = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    return measure_completeness(request, experiment, backend, terminal.progress(), terminal.log());
  });
  terminal.clear_progress();
  const std::vector<std::string> history{
      fmt::format("{}, completeness of {}", program_name(), options.input),
      fmt::format("{} sources a bin, seed {}, into {}, size {:g} arcsec before the beam, at least {:g} FWHM apart",
                  experiment.per_bin, experiment.seed, result.image_text, options.size_arcsec, experiment.separation),
      fmt::format("threshold {:g} sigma, flood {:g}, fit {}", result.threshold, request.detect->flood,
                  to_string(request.fit.method))};
  const bool overwrite = options.common.overwrite;
  for (const std::string& path : options.tables) write_catalogue(completeness_table(result, history), path, overwrite);
  const std::string name = printable(std::filesystem::path(options.input).filename().string());
  if (!options.plot.empty())
    write_completeness_plot(options.plot, result, fmt::format("{}: {} sources injected", name, result.injected),
                            overwrite);
  std::string text = printable(options.input) + "\n" + to_text(result);
  for (const std::string& path : outputs) text += "  wrote " + printable(path) + "\n";
  text.pop_back();
  terminal.print(text);
  write_json(options.common, to_json(result), terminal);
  return kDone;
}

void add_experiment_options(Command& command, Options& options) {
  const std::string group = "Injection";
  CompletenessOptions& e = options.experiment;
  command.add_option("--number", e.per_bin, "Sources injected in each bin; rounds go on until all are")
      ->check(within("complete.number"))
      ->type_name("N")
      ->capture_default_str()
      ->brief("Sources injected in each bin")
      ->group(group);
  command.add_option("--bins", e.bins, "Bins, equal in log S/N")
      ->check(within("complete.bins"))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command.add_option("--snr", options.snr, "Range of the bins: injected peak over the local noise rms")
      ->expected(2, 2)
      ->check(within("complete.snr"))
      ->type_name("LOW HIGH")
      ->default_str("2.5 100")
      ->brief("Range of S/N of the bins")
      ->group(group);
  command
      .add_option("--flux", options.flux_ujy, "Draw peaks between these, equal in log, in place of equal numbers a bin")
      ->expected(2, 2)
      ->check(within("complete.flux"))
      ->type_name("LOW HIGH (uJy/beam)")
      ->group(group);
  command.add_option("--size", options.size_arcsec, "FWHM of the sources before the beam; 0: points")
      ->check(within("complete.size"))
      ->type_name("ARCSEC")
      ->capture_default_str()
      ->brief("FWHM of the sources; 0: points")
      ->group(group);
  command.add_option("--into", options.into, "The image as it is, or less the sources that are found in it")
      ->check(one_of({"image", "residual"}))
      ->type_name("image|residual")
      ->capture_default_str()
      ->brief("image or residual")
      ->group(group);
  command.add_option("--separation", e.separation, "Least distance between the sources of one round, in FWHMs")
      ->check(within("complete.separation"))
      ->type_name("FWHM")
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", e.seed, "Another number, other places and fluxes")
      ->type_name("N")
      ->capture_default_str()
      ->brief("Another number, other places")
      ->group(group);
}

}  // namespace

void add_complete(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command =
      root.add_subcommand("complete", "Completeness: put known sources into an image and find them again");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  command
      ->add_option("-o,--output", options->tables,
                   fmt::format("Tables to write, one row a bin, format by extension: {}", known_catalogue_formats()))
      ->type_name("TABLE")
      ->brief("Tables: .csv .fits .vot")
      ->group("Output");
  command->add_option("--plot", options->plot, "Draw completeness, reliability, fluxes and pulls: a PNG, PDF or SVG")
      ->type_name("FILE.png")
      ->brief("Draw the curves")
      ->group("Output");
  add_experiment_options(*command, *options);
  options->parameters.add(*command, ParameterOptions::Group::detection);
  options->parameters.add(*command, ParameterOptions::Group::background);
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber complete field.fits --plot completeness.png -o completeness.csv\n"
      "  reber complete field.fits --fit gaussian --number 500 --into residual --seed 2\n"
      "  reber complete field.fits --size 20 --snr 3 30 --json -\n"
      "\n"
      "Detection and measurement take the options of 'reber find'. Sources have the restoring beam's shape; places "
      "that\n"
      "fall on sources of the image are counted apart. A seed gives the same answer on every backend.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
