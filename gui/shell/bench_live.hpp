// SPDX-License-Identifier: BSD-3-Clause
// How fast sources follow a change of the pipeline, and how fast work stops.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "gui/shell/app.hpp"

namespace reber::gui {

/// One frame to the screen, all drawing finished; milliseconds.
double timed_frame(App& app);

/// Count, median, 95th and 99th percentile and worst of some times in milliseconds; null where there are none.
[[nodiscard]] nlohmann::json summary(std::vector<double> ms);

/// Runs the pipeline on the document that is shown, changes threshold, kernel and cells, and stops runs half way, as a
/// user would: the window sleeps between the news of the session's thread.
///   throws DataError where the pipeline fails
[[nodiscard]] nlohmann::json bench_live(App& app);

}  // namespace reber::gui
