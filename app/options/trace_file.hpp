// SPDX-License-Identifier: BSD-3-Clause
// --trace: the timeline of the process, as a file.
#pragma once

#include "app/options/command_options.hpp"
#include "app/terminal/terminal.hpp"

namespace reber::app {

/// Adds --trace, group "Messages". Recording begins as soon as the option is read.
void add_trace_option(Command& command);

/// The file may take the place of an older one.
void replace_trace();

/// At the end of the process: writes the file that was asked for.
///   returns the exit code, made worse where it cannot be written, which is told
[[nodiscard]] int write_trace(int exit_code, Terminal& terminal);

}  // namespace reber::app
