// SPDX-License-Identifier: BSD-3-Clause
// How fast sources follow a change of the pipeline, and how fast work stops.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/app/app.hpp"

namespace reber::gui {

/// Milliseconds of one frame, each from its start but the card's own.
struct FrameTimes {
  double interface = 0;  ///< until the lists of what to draw were made
  double processor = 0;  ///< until all of it was handed to OpenGL
  double drawn = 0;      ///< until the back buffer held the frame
  /// Until it was handed to the screen, which on a remote or virtual one is a copy of all its pixels.
  double shown = 0;
  double card = 0;                       ///< OpenGL's own clock, from the first command to the last
  std::map<std::string, double> passes;  ///< of it, by part
};

/// One frame to the screen, all drawing finished.
FrameTimes timed_frame(App& app);

/// Count, median, 95th and 99th percentile and worst of some times in milliseconds; null where there are none.
[[nodiscard]] nlohmann::json summary(std::vector<double> ms);

/// The same of the frames' drawn times, and of their other parts by name.
[[nodiscard]] nlohmann::json summary(const std::vector<FrameTimes>& frames);

/// Runs the pipeline on the document that is shown, changes threshold, kernel and cells, and stops runs half way, as a
/// user would: the window sleeps between the news of the live run's thread.
///   throws DataError where the pipeline fails
[[nodiscard]] nlohmann::json bench_live(App& app);
/// Of that the first run and the layers alone, the first run alone.
[[nodiscard]] nlohmann::json bench_layers(App& app);
[[nodiscard]] nlohmann::json bench_first_run(App& app);

}  // namespace reber::gui
