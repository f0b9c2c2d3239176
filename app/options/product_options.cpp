// SPDX-License-Identifier: BSD-3-Clause
// Which files a search for sources leaves: options, and what they become.
#include "app/options/product_options.hpp"

#include <set>
#include <span>

#include "app/options/choice_option.hpp"
#include "core/files/catalogue/catalogue_io.hpp"

namespace reber::app {

void add_column_option(CLI::App& command, ColumnOptions& options) {
  add_choice(
      command, "--columns", options.columns,
      "Names, units and order of the catalogue's columns: our own (PyBDSF's names, degrees, Jy), PyBDSF's tables "
      "of sources (srl) or of Gaussians (gaul), Aegean's (arcsec, Jy), those of CASDA and Selavy (arcsec, mJy), "
      "or one row per island")
      ->group("Output");
  add_choice(command, "--patches", options.patches,
             "Patches of a sky model: one per source, per Gaussian, for all, none")
      ->group("Output");
}

void add_format_option(CLI::App& command, ColumnOptions& options) {
  std::set<std::string> words;
  for (const std::span<const CatalogueFormat> formats : {catalogue_formats(), source_list_formats()})
    for (const CatalogueFormat& format : formats) words.insert(format.word);
  command
      .add_option("--format", options.format,
                  "Format of catalogues whose name ends in none of the known endings: bbs, wsclean, csv, ...")
      ->check(CLI::IsMember(words))
      ->type_name("FORMAT")
      ->group("Output");
}

void apply(const ColumnOptions& options, OutputRequest& output) {
  output.columns = options.columns;
  output.format = options.format;
  output.patches = options.patches;
}

void add_map_options(CLI::App& command, MapOptions& options) {
  const auto add = [&](const char* name, std::string& path, const char* text) {
    command.add_option(name, path, text)->type_name("FITS")->group("Output");
  };
  add("--write-model", options.model, "Write the sources' Gaussians as a map");
  add("--write-residual", options.residual, "Write image - model");
  add("--write-snr", options.snr,
      "Write (image - background) / noise; tile-compressed where the name ends in .fz, as every map");
  add("--write-labels", options.islands, "Write the number of each pixel's island, 0 outside");
  add("--write-mean", options.mean, "Write the background that was measured");
  add("--write-rms", options.rms, "Write the noise that was measured");
  add_mesh_option(command, options.mesh);
}

void add_mesh_option(CLI::App& command, bool& mesh) {
  command
      .add_flag("--mesh-maps", mesh,
                "Write background and noise at the nodes of the mesh alone, as 'run' does: small files, which "
                "--use-mean and --use-rms read back to the same bits")
      ->group("Output");
}

void apply(const MapOptions& options, OutputRequest& output) {
  output.model = options.model;
  output.residual = options.residual;
  output.snr = options.snr;
  output.labels = options.islands;
  (options.mesh ? output.mean_mesh : output.mean) = options.mean;
  (options.mesh ? output.rms_mesh : output.rms) = options.rms;
}

std::vector<std::string> outputs_of(const OutputRequest& output) {
  std::vector<std::string> paths = output.catalogues;
  for (const std::string* path : {&output.convolved, &output.mean, &output.rms, &output.mean_mesh, &output.rms_mesh,
                                  &output.snr, &output.labels, &output.model, &output.residual, &output.picture}) {
    if (!path->empty()) paths.push_back(*path);
  }
  return paths;
}

}  // namespace reber::app
