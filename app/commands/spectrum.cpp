// SPDX-License-Identifier: BSD-3-Clause
// reber spectrum: the power spectrum of an image.
#include "core/studies/spectrum.hpp"

#include <fmt/format.h>

#include "app/commands/command.hpp"
#include "app/options/backend_choice.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber::app {
namespace {

struct Options {
  CommonOptions common;
  std::string input, plot;
  std::vector<std::string> tables;
  std::int64_t bins = 30;
};

int execute(const Options& options, Terminal& terminal) {
  apply(options.common, terminal);
  const Request request = base_request(options.common, options.input);
  check_catalogue_extensions(options.tables);
  std::vector<std::string> outputs = options.tables;
  if (!options.plot.empty()) outputs.push_back(options.plot);
  check_outputs(outputs, options.common.overwrite);
  terminal.set_subject(options.input);
  const PowerSpectrum spectrum = on_backend(options.common, terminal, [&](const std::shared_ptr<Backend>& backend) {
    return power_spectrum(request, options.bins, *backend, options.common.threads, terminal.progress());
  });
  terminal.clear_progress();
  const std::vector<std::string> history{
      fmt::format("{}, power spectrum of {}", program_name(), options.input),
      fmt::format("blank pixels, {:.4g} of all, and the background of {:.8g} count as 0; variance {:.8g}",
                  spectrum.blank, spectrum.background, spectrum.variance)};
  for (const std::string& path : options.tables)
    write_catalogue(spectrum_table(spectrum, history), path, options.common.overwrite);
  if (!options.plot.empty()) write_spectrum_plot(options.plot, spectrum, options.common.overwrite);
  std::string text = printable(options.input) + "\n" + to_text(spectrum);
  for (const std::string& path : outputs) text += "  wrote " + printable(path) + "\n";
  text.pop_back();
  terminal.print(text);
  write_json(options.common, to_json(spectrum), terminal);
  return kDone;
}

}  // namespace

void add_spectrum(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("spectrum", "Power spectrum of an image: its variance by angular scale");
  command->add_option("input", options->input, "FITS image")->required()->type_name("IN")->group("Input");
  command
      ->add_option(
          "-o,--output", options->tables,
          fmt::format("Tables to write, one row per annulus, format by extension: {}", known_catalogue_formats()))
      ->type_name("TABLE")
      ->brief("Tables: .csv .fits .vot")
      ->group("Output");
  command->add_option("--plot", options->plot, "Draw power against frequency: a PNG, PDF or SVG")
      ->type_name("FILE.png")
      ->brief("Draw power against frequency")
      ->group("Output");
  command
      ->add_option("--bins", options->bins,
                   "Annuli, equal in log frequency; 0: each as wide as the image's lowest frequency")
      ->check(within("spectrum.bins"))
      ->type_name("N")
      ->brief("Annuli; 0: as narrow as can be")
      ->capture_default_str()
      ->group("Output");
  add_image_options(*command, options->common);
  add_overwrite_option(*command, options->common);
  add_common_options(*command, options->common);
  command->footer(
      "Examples:\n"
      "  reber spectrum field.fits --plot spectrum.png -o spectrum.csv\n"
      "  reber spectrum cube.fits --plane 3 --bins 0 --json -\n"
      "\n"
      "The clipped median is subtracted; blank pixels count as 0, and their part is told. The powers of all modes add\n"
      "up to the variance. Errors are from the scatter within an annulus. The image is not tapered: its edges meet.");
  command->callback([options, &action] { action = [options](Terminal& t) { return execute(*options, t); }; });
}

}  // namespace reber::app
