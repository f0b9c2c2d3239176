// SPDX-License-Identifier: BSD-3-Clause
// What a run did and what it cost: one struct for the terminal, JSON, the viewer and the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reber {

/// One stage of a run.
struct StageReport {
  std::string name;  ///< stage_name() of core/run/request/stage_id.hpp: "read", "fit", "fit-neg"
  double wall_ms = 0;
  double device_ms = 0;         ///< 0 on a CPU
  std::int64_t bytes_up = 0;    ///< host to device
  std::int64_t bytes_down = 0;  ///< device to host
  std::string algorithm;        ///< what was chosen, and why
};

/// One number or word worth telling, in the order told: {"sources", "43"}.
using Fact = std::pair<std::string, std::string>;

struct Report {
  std::string input;
  std::string backend, device;
  std::vector<StageReport> stages;
  std::vector<Fact> facts;  ///< image and result in words, units included
  std::vector<std::string> warnings;
  std::vector<std::string> outputs;  ///< files written
  double wall_ms = 0;
};

/// A table a person reads: facts, stages with their times, warnings, files.
[[nodiscard]] std::string to_text(const Report& report);
/// The same as JSON; numbers as numbers.
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace reber
