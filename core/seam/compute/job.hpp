// SPDX-License-Identifier: BSD-3-Clause
// What goes with every operation of a backend: how it is stopped, where it tells how far it is, what it cost.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/progress.hpp"

namespace reber {

/// What operations cost.
struct OpCounters {
  double device_ms = 0;         ///< between the first and the last event on the device; 0 on a CPU
  std::int64_t bytes_up = 0;    ///< host to device
  std::int64_t bytes_down = 0;  ///< device to host

  OpCounters& operator+=(const OpCounters& other) {
    device_ms += other.device_ms;
    bytes_up += other.bytes_up;
    bytes_down += other.bytes_down;
    return *this;
  }
};

/// The last argument of every operation. A default-made Job never stops, reports nowhere and counts nothing; a Progress
/// serves where nobody asks for the cost. Cheap to copy.
class Job {
 public:
  Job() = default;
  /// counters: what each operation costs is added here, on the thread that calls it; must outlive the Job. Null:
  /// nothing is counted.
  Job(Progress progress, OpCounters* counters = nullptr) : progress_(std::move(progress)), counters_(counters) {}

  [[nodiscard]] const Progress& progress() const { return progress_; }
  /// stage: what is being done, in the user's words; fraction: 0 to 1.   throws Cancelled
  void report(const std::string& stage, double fraction) const { progress_.report(stage, fraction); }
  /// throws Cancelled
  void check() const { progress_.check(); }
  /// Adds the cost of an operation; the backend's call.
  void count(const OpCounters& cost) const {
    if (counters_ != nullptr) *counters_ += cost;
  }

 private:
  Progress progress_;
  OpCounters* counters_ = nullptr;
};

}  // namespace reber
