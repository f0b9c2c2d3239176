// SPDX-License-Identifier: BSD-3-Clause
// What the sub-commands that run the pipeline on one image have in common.
#pragma once

#include <functional>

#include "app/options/common_options.hpp"
#include "core/pipeline/pipeline.hpp"

namespace reber::app {

/// What is done with a finished run before its report: it may add to the report. Runs again where a card fails.
using AfterRun = std::function<void(Result& result, const Progress& progress)>;

/// Checks the outputs, runs the pipeline, prints the report and writes --json.
[[nodiscard]] Result run_one(const Request& request, const CommonOptions& common, Terminal& terminal,
                             const AfterRun& after = {});

}  // namespace reber::app
