// SPDX-License-Identifier: BSD-3-Clause
// What a command line names to be read is not written over.
#pragma once

#include "app/options/command_options.hpp"

namespace reber::app {

/// Whether an option names files that are written.
[[nodiscard]] bool is_output(const Option& option);

/// Keeps every file that an option or an argument names, outputs and --config apart (core/files/io/kept_files.hpp); a
/// product of `run` may be its own next --config.   throws InputError where --json or --trace names a file that another
/// option names as well
void keep_inputs(const Command& command);

}  // namespace reber::app
