// SPDX-License-Identifier: BSD-3-Clause
// Which files a search for sources leaves: options, and what they become.
#include "app/options/product_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "app/options/choice_option.hpp"
#include "core/files/catalogue/catalogue_io.hpp"

namespace reber::app {

void add_column_option(Command& command, ColumnOptions& options) {
  add_choice(
      command, "--columns", options.columns,
      "Names, units and order of the catalogue's columns: our own (PyBDSF's names, degrees, Jy), PyBDSF's tables "
      "of sources (srl) or of Gaussians (gaul), Aegean's (arcsec, Jy), those of CASDA and Selavy (arcsec, mJy), "
      "or one row per island")
      ->brief("pybdsf, aegean, casda, gaul, ...")
      ->group("Output");
  add_choice(command, "--patches", options.patches,
             "Patches of a sky model: one per source, per Gaussian, for all, none")
      ->group("Output");
}

void add_format_option(Command& command, ColumnOptions& options) {
  std::set<std::string> words;
  for (const std::span<const CatalogueFormat> formats : {catalogue_formats(), source_list_formats()})
    for (const CatalogueFormat& format : formats) words.insert(format.word);
  command
      .add_option("--format", options.format,
                  "Format of catalogues whose name ends in none of the known endings: bbs, wsclean, csv, ...")
      ->check(one_of({words.begin(), words.end()}))
      ->type_name("FORMAT")
      ->group("Output");
}

void apply(const ColumnOptions& options, OutputRequest& output) {
  output.columns = options.columns;
  output.format = options.format;
  output.patches = options.patches;
}

void add_map_options(Command& command, MapOptions& options, Product::Needs most,
                     std::initializer_list<std::string_view> first) {
  std::vector<std::size_t> order;
  for (const std::string_view word : first) order.push_back(product_index(word));
  for (std::size_t i = 0; i < kProducts.size(); ++i)
    if (std::ranges::count(order, i) == 0) order.push_back(i);
  bool nodes = false;
  for (const std::size_t i : order) {
    const Product& product = kProducts[i];
    if (product.option.empty() || product.needs > most) continue;
    command.add_option(std::string(product.option), options.paths[i], fmt::format("Write {}", product.text))
        ->type_name("FITS")
        ->brief(most == Product::Needs::background || product.word == "residual" ? fmt::format("Write {}", product.text)
                                                                                 : std::string())
        ->group("Output");
    nodes = nodes || !product.nodes.empty();
  }
  if (nodes)
    command
        .add_flag("--mesh-maps", options.mesh,
                  "Write background and noise at the nodes of the mesh alone, as 'run' does: small files, which "
                  "--use-mean and --use-rms read back to the same bits")
        ->group("Output");
}

void apply(const MapOptions& options, OutputRequest& output) {
  for (std::size_t i = 0; i < kProducts.size(); ++i) {
    const Product& product = kProducts[i];
    output.want(options.mesh && !product.nodes.empty() ? product.nodes : product.word, options.paths[i]);
  }
}

}  // namespace reber::app
