// SPDX-License-Identifier: BSD-3-Clause
// Names of algorithms, read and written.
#include "core/run/request/algorithm_name.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/words.hpp"

namespace reber {

std::string to_string(const AlgorithmName& name) {
  if (!name.algorithm) return "auto";
  return fmt::format("{}{}{}", to_string(*name.algorithm), name.variant.empty() ? "" : "/", name.variant);
}

AlgorithmName parse_algorithm(std::string_view text) {
  if (text == "auto") return {};
  const std::size_t slash = text.find('/');
  if (const auto algorithm = find_word<Algorithm>(text.substr(0, slash))) {
    if (slash == std::string_view::npos) return {algorithm, ""};
    if (slash + 1 < text.size()) return {algorithm, std::string(text.substr(slash + 1))};
  }
  throw InputError(
      fmt::format("--algorithm '{}': one of auto, {} was expected, or a variant of one, as fft/lines; `reber "
                  "--list-algorithms` shows them",
                  text, all_words<Algorithm>(", ")));
}

}  // namespace reber
