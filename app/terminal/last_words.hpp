// SPDX-License-Identifier: BSD-3-Clause
// The end of a program that has no memory left to end in the usual way.
#pragma once

namespace reber::app {

/// Says that there is not enough memory; takes none itself, and may be called in a signal handler.
void say_no_memory() noexcept;

/// Ends the program with exit code 4, without open temporaries, where an allocation fails at a place that cannot
/// unwind: a destructor, an exception's own memory, a library that aborts. Linked programs have it from their first
/// instruction on; a call of this function links it.
void install_last_words() noexcept;

}  // namespace reber::app
