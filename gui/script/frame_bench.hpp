// SPDX-License-Identifier: BSD-3-Clause
// How long the viewer takes: first pixels, frames while moving, many sources, the pipeline, idling.
#pragma once

#include <string>

#include "gui/model/viewer_options.hpp"

namespace reber::gui {

/// Opens the first file and measures; JSON.   throws as run_viewer, DataError where the file cannot be shown
[[nodiscard]] std::string bench_frames(const ViewerOptions& options);

}  // namespace reber::gui
