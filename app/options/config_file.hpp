// SPDX-License-Identifier: BSD-3-Clause
// Options from a TOML file, and a TOML file of the options in force.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace reber::app {

/// Looks for --config FILE.toml on the command line and has the parser read it: section [run] for `reber run` and so
/// on. Options on the command line win; a key that no option has is refused.   throws InputError where it is missing
void use_config_file(CLI::App& root, int argc, char** argv);

/// "threshold = 5", a line an option: the values in force, defaults included. Options of one call (--json) are left
/// out.
[[nodiscard]] std::vector<std::string> options_in_force(const CLI::App& command);

/// Every option of the command with the value in force, as a file for --config. inputs: the positional files, made
/// absolute, as are maps and kernels named in options, so that the file works from any folder.
[[nodiscard]] std::string effective_config(const CLI::App& command, const std::vector<std::string>& inputs);

}  // namespace reber::app
