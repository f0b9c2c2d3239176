// SPDX-License-Identifier: BSD-3-Clause
// Two results of one request, from two backends, held against each other stage by stage.
#pragma once

#include <span>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/studies/verification.hpp"

namespace reber::testing {

/// One row per stage of a run.
struct StageComparison {
  StageId stage;
  /// Adds what it finds; at least one check where both results have the stage's outcome.
  void (*compare)(const Result& tested, const Result& oracle, std::vector<StageCheck>& checks);
};
[[nodiscard]] std::span<const StageComparison> stage_comparisons();

/// Every stage of a whole run, not of equal inputs: a stage's differences are those of all before it. Bounds hold where
/// no pixel lies within rounding of a threshold.   tested, oracle: of one request, each read through its own backend
[[nodiscard]] std::vector<StageCheck> compare_outcomes(const Result& tested, const Result& oracle);

}  // namespace reber::testing
