// SPDX-License-Identifier: BSD-3-Clause
// Help pages: one aligned column of names, wrapped text, defaults at the end of each line.
#pragma once

#include <cstddef>
#include <string>

#include "app/options/command_options.hpp"

namespace reber::app {

/// The first page: arguments, and the options that have a brief, each on one line; the first examples. It fits a screen
/// of 40 lines of 80 columns.
[[nodiscard]] std::string first_page(const Command& command);

/// Every option with all its words, and the notes.
///   columns: of the screen; at least 80
[[nodiscard]] std::string full_page(const Command& command, std::size_t columns = 80);

}  // namespace reber::app
