// SPDX-License-Identifier: BSD-3-Clause
// How a row of the catalogue was made, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/pipeline/result.hpp"

namespace reber {

/// One step on the way to a row.
struct AccountPart {
  std::string title;
  std::vector<std::string> lines;
};

/// The source as it stands, its island, what deblending did, the fits that were tried, the refinements with values
/// before and after, and the flags.
///   row: entry of result.sources(), which is the Source_id   throws InputError where there is no such row
[[nodiscard]] std::vector<AccountPart> account_of(const Result& result, std::int64_t row);

/// The parts as a text, lines indented by two blanks.
[[nodiscard]] std::string to_text(const std::vector<AccountPart>& account);

}  // namespace reber
