// SPDX-License-Identifier: BSD-3-Clause
// Calls of the system that a signal interrupted, and the wish to stop that it may have brought.
#pragma once

#include <atomic>

namespace reber {

/// The flag that a program's signal handlers raise; must outlive the process's work. Without it nothing stops.
void stop_interrupted_calls_by(const std::atomic<bool>& flag);

/// Before a call that was interrupted (EINTR) is made again: it may be interrupted for ever.   throws Cancelled
void check_interrupted();

}  // namespace reber
