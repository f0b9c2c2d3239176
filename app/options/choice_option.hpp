// SPDX-License-Identifier: BSD-3-Clause
// Options whose value is one of an enum's words.
#pragma once

#include <string>
#include <vector>

#include "app/options/command_options.hpp"
#include "core/base/words.hpp"

namespace reber::app {

/// An option that takes one of words<E>: its check, its type and its default stand in the help page.
///   value: set when the command line is read; must live as long as the command
template <Worded E>
Option* add_choice(Command& command, const std::string& name, E& value, const std::string& help) {
  std::vector<std::string> known;
  for (const Word<E>& row : words<E>) {
    known.emplace_back(row.word);
    if (!row.alias.empty()) known.emplace_back(row.alias);
  }
  const auto set = [&value, name](const std::string& word) { value = from_string<E>(word, name); };
  return command.add_option_function(name, set, help)
      ->check(one_of(known))
      ->type_name(all_words<E>("|"))
      ->default_str(std::string(to_string(value)));
}

}  // namespace reber::app
