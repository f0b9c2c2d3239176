// SPDX-License-Identifier: BSD-3-Clause
// The sub-commands: each adds its options to the parser and, when it is the one given, leaves what to do.
#pragma once

#include <functional>

#include "app/options/command_options.hpp"
#include "app/terminal/terminal.hpp"

namespace reber::app {

/// What the command line asks for; set by the chosen sub-command.   returns the exit code
using Action = std::function<int(Terminal&)>;

void add_info(Command& root, Action& action);
void add_run(Command& root, Action& action);
void add_merge(Command& root, Action& action);
void add_smooth(Command& root, Action& action);
void add_convolve(Command& root, Action& action);
void add_background(Command& root, Action& action);
void add_find(Command& root, Action& action);
void add_regrid(Command& root, Action& action);
void add_mosaic(Command& root, Action& action);
void add_collapse(Command& root, Action& action);
void add_cube(Command& root, Action& action);
void add_verify(Command& root, Action& action);
void add_bench(Command& root, Action& action);
void add_simulate(Command& root, Action& action);
void add_match(Command& root, Action& action);
void add_complete(Command& root, Action& action);
void add_measure(Command& root, Action& action);
void add_mask(Command& root, Action& action);
void add_describe(Command& root, Action& action);
void add_send(Command& root, Action& action);
void add_spectrum(Command& root, Action& action);
void add_report(Command& root, Action& action);
void add_view(Command& root, Action& action);

/// Versions of Reber and its libraries. Touches no device, whose driver takes a third of a second to start.
[[nodiscard]] std::string version_text();
/// The CUDA runtime and driver, the cards, and the backends or why one cannot run here.
[[nodiscard]] std::string devices_text();
/// One line per variant of each convolution algorithm: what it costs on each backend of this build, or why not.
[[nodiscard]] std::string algorithms_text();

}  // namespace reber::app
