// SPDX-License-Identifier: BSD-3-Clause
// Stopping from outside: the first signal asks, the second one ends the program.
#pragma once

#include <atomic>

namespace reber::app {

/// SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP raise the stop flag; a second one removes open temporaries
/// and ends at once with 128 + number.
/// SIGPIPE ends the program silently, temporaries removed (141).
/// SIGXFSZ is ignored, so that a file that grows over the limit is a failed write and not a death.
void install_signal_handlers();

[[nodiscard]] const std::atomic<bool>& stop_flag();
/// Exit code for a run that was stopped: 128 + the signal's number (130 for SIGINT).
[[nodiscard]] int stopped_exit_code();

}  // namespace reber::app
