// SPDX-License-Identifier: BSD-3-Clause
// Options that say which files a search for sources leaves, shared by find and run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/run/request/request.hpp"

namespace reber::app {

struct ColumnOptions {
  ColumnSet columns = ColumnSet::pybdsf;
  std::string format;
  Patches patches = Patches::source;
};
/// --columns and --patches, group "Output".
void add_column_option(CLI::App& command, ColumnOptions& options);
/// --format, for a command whose catalogues the user names.
void add_format_option(CLI::App& command, ColumnOptions& options);
void apply(const ColumnOptions& options, OutputRequest& output);

/// Maps by name; empty ones are not written.
struct MapOptions {
  std::string model, residual, snr, islands, mean, rms;
  bool mesh = false;  ///< mean and rms at the nodes alone
};
/// --write-model and the like, group "Output".
void add_map_options(CLI::App& command, MapOptions& options);
void apply(const MapOptions& options, OutputRequest& output);

/// --mesh-maps, group "Output".
void add_mesh_option(CLI::App& command, bool& mesh);

/// Every file that the request names.
[[nodiscard]] std::vector<std::string> outputs_of(const OutputRequest& output);

}  // namespace reber::app
