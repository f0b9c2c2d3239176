// SPDX-License-Identifier: BSD-3-Clause
// Ranks by hand and from the environment.
#include "core/run/batch/rank.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {
namespace {

bool parse(std::string_view text, std::int64_t& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

bool parse(std::string_view index, std::string_view count, Rank& rank) {
  return parse(index, rank.index) && parse(count, rank.count) && rank.index >= 0 && rank.index < rank.count;
}

}  // namespace

Rank parse_rank(const std::string& text) {
  const std::size_t slash = text.find('/');
  Rank rank;
  if (slash == std::string::npos || !parse({text.data(), slash}, std::string_view(text).substr(slash + 1), rank)) {
    throw InputError(fmt::format("--rank '{}': expected I/N with 0 <= I < N, like 0/4", printable(text)));
  }
  return rank;
}

Rank rank_of_environment() {
  struct Pair {
    const char *index, *count;
  };
  const bool batch_script = std::getenv("SLURM_JOB_ID") != nullptr && std::getenv("SLURM_STEP_ID") == nullptr;
  for (const auto& [index, count] : {Pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Pair{"PMI_RANK", "PMI_SIZE"},
                                     Pair{"SLURM_PROCID", batch_script ? nullptr : "SLURM_NTASKS"}}) {
    const char* const mine = std::getenv(index);
    const char* const all = count != nullptr ? std::getenv(count) : nullptr;
    if (mine == nullptr || all == nullptr) continue;
    Rank rank;
    if (!parse(mine, all, rank)) {
      throw InputError(fmt::format("{}='{}' and {}='{}' are no rank and size; give --rank I/N, or 0/1 for all images",
                                   index, printable(mine), count, printable(all)));
    }
    return rank;
  }
  return {};
}

}  // namespace reber
