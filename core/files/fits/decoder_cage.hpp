// SPDX-License-Identifier: BSD-3-Clause
// Takes from the decoding child all but memory and the file that it has open.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace reber::fits {

/// Whether a sanitizer watches this build. In a cage it has pipes as well, and what it reports goes to standard error.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

enum class Cage {
  half,   ///< files may still be opened to be read, and the whole cage entered
  whole,  ///< no file is opened
  paths,  ///< as half, and places of files may be looked at, as those do who read folders
};

/// Lets this process, for good, read open files, have memory, write to its standard streams and end. All else that it
/// asks the kernel for fails with EPERM: opening files, the network, other programs, other processes, pages of code.
/// A seccomp filter (Linux, x86-64 and AArch64). False where the system does not permit one: nothing changes then.
[[nodiscard]] bool enter_cage(Cage cage = Cage::whole) noexcept;

/// Lets this process, for good, open files beneath these folders alone, to read them.   returns false where the system
/// has no Landlock (Linux before 5.13): nothing changes then
[[nodiscard]] bool stay_within(std::span<const std::string> folders) noexcept;

/// In a decoding child: closes all descriptors but the standard streams and this one (none where it is negative), lets
/// it open so many more, and have `bytes` of addresses more than `now`.
void leave_little(int descriptor, int opens, std::uint64_t now, std::uint64_t bytes) noexcept;
/// Bytes of addresses that this process has.
[[nodiscard]] std::uint64_t address_bytes();

/// From here on this process decodes no tiles of CFITSIO's outside of a cage.
void require_cage();
[[nodiscard]] bool cage_is_required();

/// Whether a decoding child is confined here, in words for --version; tried in a child of its own.
[[nodiscard]] std::string cage_words();

}  // namespace reber::fits
