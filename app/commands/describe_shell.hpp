// SPDX-License-Identifier: BSD-3-Clause
// Manual pages and shell completion, made from the parser itself.
#pragma once

#include <string>

#include "app/options/command_options.hpp"

namespace reber::app {

/// A page for man(1): of the program where `command` is the parser itself, else of that sub-command.
[[nodiscard]] std::string manual_page(const Command& command);

/// Completion of sub-commands, options, the words that an option can have, and files.
[[nodiscard]] std::string bash_completion(const Command& root);
[[nodiscard]] std::string zsh_completion(const Command& root);
[[nodiscard]] std::string fish_completion(const Command& root);

}  // namespace reber::app
