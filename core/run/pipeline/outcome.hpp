// SPDX-License-Identifier: BSD-3-Clause
// What a stage leaves behind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/pipeline/report.hpp"
#include "core/run/pipeline/stage_key.hpp"

namespace reber {

/// What every outcome has beside its value.
struct StageRecord {
  OutcomeId id = 0;
  Key key;
  std::vector<Fact> facts;
  std::vector<std::string> warnings;
  std::vector<std::string> history;  ///< lines for HISTORY, without the stage's name before them
  StageReport cost;                  ///< its name is empty where the stage has no row in a report
};

/// Immutable and shared, so that a result, the pipeline that made it and a later result hold one and the same.
template <typename T>
struct Outcome : StageRecord {
  T value{};
};
template <typename T>
using Shared = std::shared_ptr<const Outcome<T>>;

}  // namespace reber
