// SPDX-License-Identifier: BSD-3-Clause
// One stage of a run, timed.
#pragma once

#include <chrono>
#include <string>

#include "core/base/log.hpp"
#include "core/compute/job.hpp"
#include "core/pipeline/report.hpp"

namespace reber {

/// Calls body and leaves what it cost in the report. counters: of the Job that body's operations are given. body
/// returns what was chosen, in words.
template <typename Body>
void run_stage(OpCounters& counters, const LogSink& log, Report& report, const std::string& name, Body body) {
  StageReport stage;
  stage.name = name;
  log.detail(name);
  counters = {};
  const auto start = std::chrono::steady_clock::now();
  stage.algorithm = body();
  stage.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  stage.device_ms = counters.device_ms;
  stage.bytes_up = counters.bytes_up;
  stage.bytes_down = counters.bytes_down;
  report.stages.push_back(std::move(stage));
}

}  // namespace reber
