// SPDX-License-Identifier: BSD-3-Clause
// The sub-commands: each adds its options to the parser and, when it is the one given, leaves what to do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "app/terminal/terminal.hpp"

namespace reber::app {

/// What the command line asks for; set by the chosen sub-command.   returns the exit code
using Action = std::function<int(Terminal&)>;

void add_info(CLI::App& root, Action& action);
void add_run(CLI::App& root, Action& action);
void add_merge(CLI::App& root, Action& action);
void add_smooth(CLI::App& root, Action& action);
void add_convolve(CLI::App& root, Action& action);
void add_background(CLI::App& root, Action& action);
void add_find(CLI::App& root, Action& action);
void add_collapse(CLI::App& root, Action& action);
void add_verify(CLI::App& root, Action& action);
void add_bench(CLI::App& root, Action& action);
void add_simulate(CLI::App& root, Action& action);
void add_match(CLI::App& root, Action& action);
void add_complete(CLI::App& root, Action& action);
void add_measure(CLI::App& root, Action& action);
void add_mask(CLI::App& root, Action& action);
void add_describe(CLI::App& root, Action& action);
void add_send(CLI::App& root, Action& action);
void add_spectrum(CLI::App& root, Action& action);
void add_view(CLI::App& root, Action& action);

/// Versions of Reber and its libraries. Touches no device, whose driver takes a third of a second to start.
[[nodiscard]] std::string version_text();
/// The CUDA runtime and driver, the cards, and the backends or why one cannot run here.
[[nodiscard]] std::string devices_text();
/// One line per variant of each convolution algorithm: what it costs on each backend of this build, or why not.
[[nodiscard]] std::string algorithms_text();

}  // namespace reber::app
