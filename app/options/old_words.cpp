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
CLI::Option* option_of(CLI::App& command, const OldWord& row) {
  if (!row.command.empty() && row.command != command.get_name()) return nullptr;
  return command.get_option_no_throw(std::string(row.now));
}

void hand_over(CLI::Option& now, const OldWord& row, const std::string& value) {
  if (now.count() > 0)
    throw CLI::ValidationError(fmt::format("{} is an old name of {}: give one of them, once", row.old, row.now));
  now.add_result(value);
  now.run_callback();
}

}  // namespace

void add_old_words(CLI::App& command) {
  for (const OldWord& row : kOldWords) {
    CLI::Option* const now = option_of(command, row);
    if (now == nullptr || command.get_option_no_throw(std::string(row.old)) != nullptr) continue;
    // What is hidden is described by the new name.
    command
        .add_option_function<std::string>(
            std::string(row.old), [now, &row](const std::string& value) { hand_over(*now, row, value); },
            std::string(row.now))
        ->group("");
  }
}

void warn_old_words(const CLI::App& command, Terminal& terminal) {
  for (const char* silent : {"--quiet", "--serve"})
    if (const CLI::Option* option = command.get_option_no_throw(silent); option != nullptr && option->count() > 0)
      return;
  for (const CLI::Option* option : command.get_options())
    if (option->get_group().empty() && option->count() > 0 && option->get_description().starts_with("--"))
      terminal.log().warning(
          fmt::format("{} is an old name: write {}", "--" + option->get_lnames().front(), option->get_description()));
}

}  // namespace reber::app
