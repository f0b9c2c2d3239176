// SPDX-License-Identifier: BSD-3-Clause
// Options that say which files a search for sources leaves, shared by find and run.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "app/options/command_options.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/request/request.hpp"

namespace reber::app {

struct ColumnOptions {
  ColumnSet columns = ColumnSet::pybdsf;
  std::string format;
  Patches patches = Patches::source;
};
/// --columns and --patches, group "Output".
void add_column_option(Command& command, ColumnOptions& options);
/// --format, for a command whose catalogues the user names.
void add_format_option(Command& command, ColumnOptions& options);
void apply(const ColumnOptions& options, OutputRequest& output);

/// Files of the maps that the user names, row by row of the table of products; empty ones are not written.
struct MapOptions {
  std::array<std::string, kProducts.size()> paths;
  bool mesh = false;  ///< mean and rms at the nodes alone
};
/// --write-model and the like, as far as the stage `most` makes them, and --mesh-maps; group "Output".
///   first: words of those that come before the others, on the page of help as in HISTORY
void add_map_options(Command& command, MapOptions& options, Product::Needs most,
                     std::initializer_list<std::string_view> first = {});
void apply(const MapOptions& options, OutputRequest& output);

}  // namespace reber::app
