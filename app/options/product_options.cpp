// SPDX-License-Identifier: BSD-3-Clause
// Which files a search for sources leaves: options, and what they become.
#include "app/options/product_options.hpp"

#include "app/options/choice_option.hpp"

namespace reber::app {

void add_column_option(CLI::App& command, ColumnOptions& options) {
  add_choice(command, "--columns", options.columns,
             "Names, units and order of the catalogue's columns: PyBDSF's (degrees, Jy), Aegean's (arcsec, Jy) or "
             "those of CASDA and Selavy (arcsec, mJy)")
      ->group("Output");
}

void apply(const ColumnOptions& options, OutputRequest& output) { output.columns = options.columns; }

void add_map_options(CLI::App& command, MapOptions& options) {
  const auto add = [&](const char* name, std::string& path, const char* text) {
    command.add_option(name, path, text)->type_name("FITS")->group("Output");
  };
  add("--model-map", options.model, "Write the sources' Gaussians as a map");
  add("--residual-map", options.residual, "Write image - model");
  add("--snr-map", options.snr, "Write (image - background) / noise");
  add("--island-map", options.islands, "Write the number of each pixel's island, 0 outside");
  add("--write-mean", options.mean, "Write the background that was measured");
  add("--write-rms", options.rms, "Write the noise that was measured");
}

void apply(const MapOptions& options, OutputRequest& output) {
  output.model = options.model;
  output.residual = options.residual;
  output.snr = options.snr;
  output.labels = options.islands;
  output.mean = options.mean;
  output.rms = options.rms;
}

std::vector<std::string> outputs_of(const OutputRequest& output) {
  std::vector<std::string> paths = output.catalogues;
  for (const std::string* path : {&output.convolved, &output.mean, &output.rms, &output.snr, &output.labels,
                                  &output.model, &output.residual, &output.picture}) {
    if (!path->empty()) paths.push_back(*path);
  }
  return paths;
}

}  // namespace reber::app
