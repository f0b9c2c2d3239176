// SPDX-License-Identifier: BSD-3-Clause
// Manual pages and shell completion, made from the parser itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace reber::app {

/// A page for man(1): of the program where `command` is the parser itself, else of that sub-command.
[[nodiscard]] std::string manual_page(const CLI::App& command);

/// Completion of sub-commands, options, the words that an option can have, and files.
[[nodiscard]] std::string bash_completion(const CLI::App& root);
[[nodiscard]] std::string zsh_completion(const CLI::App& root);
[[nodiscard]] std::string fish_completion(const CLI::App& root);

}  // namespace reber::app
