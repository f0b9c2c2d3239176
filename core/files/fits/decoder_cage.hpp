// SPDX-License-Identifier: BSD-3-Clause
// Takes from the decoding child all but memory and the file that it has open.
#pragma once

#include <string>

namespace reber::fits {

/// Lets this process, for good, read open files, have memory, write to its standard streams and end. All else that it
/// asks the kernel for fails with EPERM: opening files, the network, other programs, other processes, pages of code.
/// A seccomp filter (Linux, x86-64 and AArch64). False where the system does not permit one: nothing changes then.
[[nodiscard]] bool enter_cage() noexcept;

/// Whether a decoding child is confined here, in words for --version; tried in a child of its own.
[[nodiscard]] std::string cage_words();

}  // namespace reber::fits
