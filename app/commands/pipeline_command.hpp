// SPDX-License-Identifier: BSD-3-Clause
// What the sub-commands that run the pipeline on one image have in common.
#pragma once

#include <functional>

#include "app/commands/shared_image.hpp"
#include "app/options/common_options.hpp"
#include "core/run/pipeline/pipeline.hpp"

namespace reber::app {

/// What is done with a finished run before its report: it may add to the report. Runs again where a card fails.
using AfterRun = std::function<void(Result& result, const Progress& progress)>;

/// Checks the outputs, runs the pipeline, prints the report and writes --json.
///   share: where the image is one of several processes', this one does its part, and the first one alone writes;
///   `after` is for an image that is not shared
[[nodiscard]] Result run_one(Request request, CommonOptions common, Terminal& terminal, const AfterRun& after = {},
                             const ShareOptions& share = {});

}  // namespace reber::app
