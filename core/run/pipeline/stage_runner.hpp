// SPDX-License-Identifier: BSD-3-Clause
// Runs stages one by one: takes what is kept, times what runs, releases what depends on it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/run/pipeline/run_events.hpp"
#include "core/run/pipeline/stage_work.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// Runs one stage after another and keeps their outcomes in `kept`. A stage has a row in reports where `row` says so.
class StageRunner {
 public:
  StageRunner(std::shared_ptr<Backend> backend, Outcomes& kept, const RunEvents& events)
      : backend_(std::move(backend)), kept_(kept), events_(events), job_(events.progress, &counters_) {}
  StageRunner(const StageRunner&) = delete;
  StageRunner& operator=(const StageRunner&) = delete;

  /// The kept outcome where its key is `key`; else what make(work) gives, in its place.
  template <typename T, typename Make>
  Shared<T> step(Shared<T>& kept, const Key& key, bool row, Make make) {
    if (kept && kept->key == key) return kept;
    drop(kept);
    StageWork work(*backend_, job_, events_.log);
    auto made = std::make_shared<Outcome<T>>();
    made->cost = timed(key.stage, key.sign, row, [&] {
      made->value = make(work);
      return work.algorithm;
    });
    record(*made, key, work);
    kept = std::move(made);
    return kept;
  }

  /// Calls body, which returns what was chosen, in words; tells what it cost.
  template <typename Body>
  StageReport timed(StageId stage, Sign sign, bool row, Body body) {
    StageReport cost;
    begin(stage, sign, row);
    const auto start = std::chrono::steady_clock::now();
    cost.algorithm = body();
    cost.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    end(stage, sign, row, cost);
    return cost;
  }

  /// Releases an outcome after those that depend on it.
  template <typename T>
  void drop(Shared<T>& slot) {
    if (slot) release(slot->id);
    slot.reset();
  }

  static void record(StageRecord& made, const Key& key, StageWork& work);
  /// Name, device and outcomes of a result in its report.
  void fill_report(const std::string& input, Result& result) const;

  [[nodiscard]] Outcomes& kept() { return kept_; }
  [[nodiscard]] const std::shared_ptr<Backend>& backend() const { return backend_; }
  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const RunEvents& events() const { return events_; }
  [[nodiscard]] const std::vector<StageReport>& rows() const { return rows_; }

 private:
  void begin(StageId stage, Sign sign, bool row);
  void end(StageId stage, Sign sign, bool row, StageReport& cost);
  void release(OutcomeId id);

  std::shared_ptr<Backend> backend_;
  Outcomes& kept_;
  const RunEvents& events_;
  OpCounters counters_;  ///< of the stage at work
  const Job job_;
  std::vector<StageReport> rows_;  ///< of the stages that ran, in their order
};

}  // namespace reber
