// SPDX-License-Identifier: BSD-3-Clause
// What a run writes about itself into the files that it makes.
#pragma once

#include <string>
#include <vector>

#include "core/pipeline/pipeline.hpp"
#include "core/plan/algorithm_choice.hpp"

namespace reber {

/// What a run decided, beside what was asked of it.
struct HistoryFacts {
  const Request& request;
  const Report& report;
  const ResolvedConvolution* convolution;      ///< null: none was made
  const AlgorithmChoice* choice;               ///< of the convolution; null with it
  const std::vector<std::string>& background;  ///< how background and noise were measured
  const std::vector<std::string>& fit;         ///< how sources were fitted; empty: by moments
};

/// Lines for the HISTORY of every product: program and input, backend, options as given, then what each stage did.
[[nodiscard]] std::vector<std::string> history_lines(const HistoryFacts& run);

}  // namespace reber
