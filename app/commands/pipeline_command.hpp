// SPDX-License-Identifier: BSD-3-Clause
// What the sub-commands that run the pipeline on one image have in common.
#pragma once

#include "app/options/common_options.hpp"
#include "core/pipeline/pipeline.hpp"

namespace reber::app {

/// Checks the outputs, runs the pipeline, prints the report and writes --json.
[[nodiscard]] Result run_one(const Request& request, const CommonOptions& common, Terminal& terminal);

}  // namespace reber::app
