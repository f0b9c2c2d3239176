// SPDX-License-Identifier: BSD-3-Clause
// HISTORY as a chain of steps.
#pragma once

#include <string>
#include <vector>

#include "core/studies/quality/quality.hpp"

namespace reber {

/// The HISTORY of a header, one step for neighbouring lines that begin with the same word, as those of AIPS do, and one
/// for each line of a program that names itself at its start. Lines of 72 characters that a writer broke are joined.
///   cards: 80 characters each
[[nodiscard]] std::vector<HistoryStep> history_chain(const std::vector<std::string>& cards);

/// A run's own history, whose lines begin with the stage and a colon.
[[nodiscard]] std::vector<HistoryStep> search_chain(const std::vector<std::string>& lines);

}  // namespace reber
