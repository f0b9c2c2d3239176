// SPDX-License-Identifier: BSD-3-Clause
// Parts of the program that are opened when they are asked for, so that libraries they need are loaded by nobody else.
#pragma once

#include <string>

namespace reber {

/// The function `entry` of libreber_STEM.so, which stands beside the program or in ../lib/reber; it stays open.
///   what: for whom it is asked, as the message begins
///   throws InputError that says where it was looked for, or which library it lacks
[[nodiscard]] void* module_function(const std::string& stem, const char* entry, const std::string& what);

/// While one lives, a library is opened that follows null pointers where memory lacks, as Fontconfig does.
class ModuleOpening {
 public:
  ModuleOpening() noexcept;
  ~ModuleOpening();
  ModuleOpening(const ModuleOpening&) = delete;
  ModuleOpening& operator=(const ModuleOpening&) = delete;
};
/// Whether one lives: a crash is then told as a lack of memory.
[[nodiscard]] bool a_module_opens() noexcept;

}  // namespace reber
