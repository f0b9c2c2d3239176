// SPDX-License-Identifier: BSD-3-Clause
// A command line and a configuration file become what the options hold.
#pragma once

#include <string>
#include <vector>

#include "app/options/command_options.hpp"
#include "app/terminal/terminal.hpp"

namespace reber::app {

struct Parsed {
  enum class Asked { work, help, all_help };
  const Command* command = nullptr;  ///< the sub-command that was given, or the program
  Asked asked = Asked::work;
  std::string wrong;  ///< what is wrong with the line; empty: nothing

  struct FromFile {
    std::string section, name;  ///< of the option, without dashes
    std::vector<std::string> words;
  };
  std::vector<FromFile> from_file;  ///< all that the configuration file sets
};

/// Reads the words of main() into the options of the program and of the sub-command that is given, whose callback is
/// called at the end.
///   config_file: TOML with a section per sub-command; the command line wins. Empty: none
///   throws what the options' own functions throw
[[nodiscard]] Parsed parse(Command& program, int argc, const char* const* argv, const std::string& config_file = {});

/// Prints the help page that was asked for, or what is wrong and where help is.   returns the exit code
int explain(const Parsed& parsed, Terminal& terminal);

}  // namespace reber::app
