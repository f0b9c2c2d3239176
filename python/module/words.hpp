// SPDX-License-Identifier: BSD-3-Clause
// Python's words: keywords of the rows that have options, messages said in them, and hints for other programs' words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/request/parameter.hpp"

namespace reber::python {

/// A name in Python for an option or an alias; `negated` where it says the opposite of the parameter.
struct Keyword {
  std::string word;
  bool negated = false;
};

/// "--use-mean" gives mean, mean_map and use_mean: nothing is written here; "!--no-deblend" no_deblend; then the alias.
[[nodiscard]] std::vector<Keyword> keywords_of(const Parameter& row);

/// A message of core's, which names options, as Python says it: "--flood 6" is flood=6, "--adaptive" adaptive=True.
/// Options that Python has no word for stay.
[[nodiscard]] std::string in_pythons_words(std::string_view message);

/// Why a keyword is unknown, with what it is called here: of another program's word, or the nearest one.
[[nodiscard]] std::string unknown_keyword(const std::string& keyword);

}  // namespace reber::python
