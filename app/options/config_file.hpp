// SPDX-License-Identifier: BSD-3-Clause
// Options from a TOML file, and a TOML file of the options in force.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/options/parameter_options.hpp"

namespace reber::app {

/// Looks for --config FILE.toml on the command line and has the parser read it: section [run] for `reber run` and so
/// on. Options on the command line win; a key that no option has is refused.   throws InputError where it is missing
void use_config_file(CLI::App& root, int argc, char** argv);

/// A file may say what is to be done, not that files be replaced, nor that outputs go to places that nobody named:
/// without
/// --trust-config `overwrite` and `resume` count on the command line alone, and an output that a file alone names lies
/// in the current folder.   throws InputError
void check_config_outputs(const CLI::App& command, int argc, char** argv);

/// "backend = "cpu"", a line per option that is no parameter: the values in force, defaults included. Options of one
/// call (--json) are left out.
[[nodiscard]] std::vector<std::string> options_of_call(const CLI::App& command, const ParameterOptions& parameters);

/// Every option in force, as a file for --config: those of the call, then the parameters of the request. inputs: the
/// positional files, made absolute.
[[nodiscard]] std::string effective_config(const CLI::App& command, const Request& request,
                                           const std::vector<std::string>& inputs);

}  // namespace reber::app
