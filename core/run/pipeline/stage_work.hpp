// SPDX-License-Identifier: BSD-3-Clause
// What a stage is handed beside its inputs, and where it leaves what it has to say.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/run/pipeline/report.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// One stage at work. The pipeline makes an Outcome of the stage's value and of what is collected here.
class StageWork {
 public:
  StageWork(Backend& on, const Job& its, const LogSink& log) : backend(on), job(its), log_(log) {}

  void fact(std::string name, std::string value) { facts.emplace_back(std::move(name), std::move(value)); }
  void warn(std::string text) {
    log_.warning(text);
    warnings.push_back(std::move(text));
  }
  void note(std::string line) { history.push_back(std::move(line)); }

  Backend& backend;
  const Job& job;
  std::vector<Fact> facts;
  std::vector<std::string> warnings, history;
  std::string algorithm;  ///< what was chosen, in words: the last column of a report's row

 private:
  const LogSink& log_;
};

}  // namespace reber
