// SPDX-License-Identifier: BSD-3-Clause
// Options from a TOML file, and a TOML file of the options in force.
#pragma once

#include <string>
#include <vector>

#include "app/options/command_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/parse.hpp"

namespace reber::app {

/// The file of --config on the command line, empty without one. It holds a section [run] for `reber run` and so on.
///   throws InputError where it is missing, or holds sections of other sub-commands alone
[[nodiscard]] std::string config_file_of(const Command& root, int argc, const char* const* argv);

/// A file may say what is to be done, not that files be replaced, nor that outputs go to places that nobody named:
/// without --trust-config `overwrite` and `resume` count on the command line alone, and an output that a file alone
/// names lies in the current folder.   throws InputError
void check_config_outputs(const Parsed& parsed, int argc, const char* const* argv);

/// "backend = "cpu"", a line per option that is no parameter: the values in force, defaults included. Options of one
/// call (--json) are left out.
[[nodiscard]] std::vector<std::string> options_of_call(const Command& command, const ParameterOptions& parameters);

/// Every option in force, as a file for --config: those of the call, then the parameters of the request. inputs: the
/// positional files, made absolute.
[[nodiscard]] std::string effective_config(const Command& command, const Request& request,
                                           const std::vector<std::string>& inputs);

}  // namespace reber::app
