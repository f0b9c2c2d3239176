// SPDX-License-Identifier: BSD-3-Clause
// A request as the command that does the same from a shell.
#pragma once

#include <string>
#include <vector>

#include "core/run/request/request.hpp"

namespace reber {

/// What a command says beside the request.
struct CommandExtras {
  std::string backend = "auto";
  bool extended = false;  ///< extended sources as well; reber run, and so a convolved image, has no such option
};

/// "reber find IMAGE -o NAME_sources.csv --threshold 4": the request's sources as a table in the folder where it is
/// called; where the image is convolved first, "reber run IMAGE -o NAME_results --products csv --kernel ...". Options
/// are those that differ from the defaults; paths are absolute. What exists is not replaced.
///   request: with an input, and sources to be found; its output is not looked at
///   returns the words, not quoted;   throws InputError where the request finds no sources
[[nodiscard]] std::vector<std::string> command_words(const Request& request, const CommandExtras& extras = {});

/// The words as a POSIX shell reads them back: those with other letters than A-Z a-z 0-9 @ % + = : , . / _ - stand in
/// single quotes.   throws InputError for a word with a zero byte, which no shell takes
[[nodiscard]] std::string quoted_for_shell(const std::vector<std::string>& words);

}  // namespace reber
