// SPDX-License-Identifier: BSD-3-Clause
// Options that have another name than they had: the old one is taken as well, with a warning.
#pragma once

#include "app/options/command_options.hpp"
#include "app/terminal/terminal.hpp"

namespace reber::app {

/// Adds the old names of the command's options, which help pages do not show. They are keys of configuration files too.
/// An option that is given by both names is refused.
void add_old_words(Command& command);

/// A warning for each old name that was given; it says the new one.
void warn_old_words(const Command& command, Terminal& terminal);

}  // namespace reber::app
