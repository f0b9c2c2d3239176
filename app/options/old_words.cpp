// SPDX-License-Identifier: BSD-3-Clause
// The table of old names. A hidden option hands what it is given to the one that has taken its place.
#include "app/options/old_words.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace reber::app {
namespace {

struct OldWord {
  std::string_view command;  ///< empty: every one that has the new option
  std::string_view old, now;
};

constexpr OldWord kOldWords[] = {
    {"background", "--mean", "--write-mean"},
    {"background", "--rms", "--write-rms"},
    {"background", "--snr", "--write-snr"},
    {"", "--mean", "--use-mean"},
    {"", "--mean-map", "--use-mean"},
    {"", "--rms", "--use-rms"},
    {"", "--rms-map", "--use-rms"},
    {"", "--detection-mean", "--use-detection-mean"},
    {"", "--detection-rms", "--use-detection-rms"},
    {"", "--model-map", "--write-model"},
    {"", "--residual-map", "--write-residual"},
    {"", "--snr-map", "--write-snr"},
    {"", "--island-map", "--write-labels"},
};

/// The option of that command with this name; null where it has none.
Option* option_of(Command& command, const OldWord& row) {
  if (!row.command.empty() && row.command != command.name()) return nullptr;
  return command.find(row.now);
}

}  // namespace

void add_old_words(Command& command) {
  for (const OldWord& row : kOldWords) {
    Option* const now = option_of(command, row);
    if (now == nullptr || command.has(row.old)) continue;
    command.add_unread_option(row.old, {})->old_name_of(*now);
  }
}

void warn_old_words(const Command& command, Terminal& terminal) {
  for (const char* silent : {"--quiet", "--serve"})
    if (const Option* option = command.find(silent); option != nullptr && option->given()) return;
  for (const auto& option : command.options())
    if (option->now() != nullptr && option->given())
      terminal.log().warning(fmt::format("{} is an old name: write {}", option->name(), option->now()->name()));
}

}  // namespace reber::app
