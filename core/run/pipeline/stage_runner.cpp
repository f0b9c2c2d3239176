// SPDX-License-Identifier: BSD-3-Clause
// What is told before and after a stage, and what goes with an outcome.
#include "core/run/pipeline/stage_runner.hpp"

#include <algorithm>

#include "core/base/trace.hpp"

namespace reber {

void StageRunner::begin(StageId stage, Sign sign, bool row) {
  if (row) events_.log.detail(stage_name(stage, sign));
  if (events_.began) events_.began(stage, sign);
  if (events_.idle) events_.idle();
  events_.progress.check();
  counters_ = {};
  trace::begin("stage", stage_name(stage, sign));
}

void StageRunner::end(StageId stage, Sign sign, bool row, StageReport& cost) {
  trace::end();
  if (!row) return;
  cost.name = stage_name(stage, sign);
  cost.device_ms = counters_.device_ms;
  cost.bytes_up = counters_.bytes_up;
  cost.bytes_down = counters_.bytes_down;
  rows_.push_back(cost);
  if (events_.ended) events_.ended(cost);
}

void StageRunner::record(StageRecord& made, const Key& key, StageWork& work) {
  made.id = next_outcome_id();
  made.key = key;
  made.facts = std::move(work.facts);
  made.warnings = std::move(work.warnings);
  made.history = std::move(work.history);
}

void StageRunner::release(OutcomeId id) {
  Outcomes::each(kept_, [&](auto& slot) {
    if (slot && std::ranges::find(slot->key.from, id) != slot->key.from.end()) drop(slot);
  });
}

void StageRunner::fill_report(const std::string& input, Result& result) const {
  Report& report = result.report;
  const BackendInfo info = backend_->info();
  report.input = input;
  report.backend = info.name;
  report.device = info.device;
  for (const auto& record : result.outcomes.records()) {
    report.facts.insert(report.facts.end(), record->facts.begin(), record->facts.end());
    report.warnings.insert(report.warnings.end(), record->warnings.begin(), record->warnings.end());
    if (!record->cost.name.empty()) report.stages.push_back(record->cost);
  }
  for (const StageReport& row : rows_) result.stages_run.push_back(row.name);
}

}  // namespace reber
