// SPDX-License-Identifier: BSD-3-Clause
// Which parameters belong to which stage: what decides whether a stage runs again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/request/request.hpp"
#include "core/run/request/stage_id.hpp"

namespace reber {

/// Whether a stage has the same parameters in both requests. Names of output files, `program` and `options` belong to
/// no stage but `write`, which is never kept: for it the answer is false.
[[nodiscard]] bool same_parameters(StageId stage, const Request& a, const Request& b);

/// The first stage whose parameters differ; empty where nothing that is computed changed.
[[nodiscard]] std::optional<StageId> first_changed(const Request& a, const Request& b);

/// Number of one outcome in this process; never used twice.
using OutcomeId = std::uint64_t;

/// What an outcome is made of. Equal keys: the outcome is the same and is taken whole. The parameters are those of the
/// stage alone (same_parameters()); what earlier stages made counts by its id.
struct Key {
  StageId stage = StageId::open;
  Sign sign = Sign::positive;
  std::shared_ptr<const Request> parameters;
  std::vector<OutcomeId> from;
};
[[nodiscard]] bool operator==(const Key& a, const Key& b);

[[nodiscard]] OutcomeId next_outcome_id();

}  // namespace reber
