// SPDX-License-Identifier: BSD-3-Clause
// The viewer as the program sees it.
#pragma once

#include <string>

#include "gui/model/viewer_options.hpp"

namespace reber::gui {

/// Opens the window and returns when it is closed: 0, or 1 where a script's check failed.
///   throws DeviceError where there is no display or no OpenGL 3.3; InputError for a script that cannot be read
int run_viewer(const ViewerOptions& options);

/// Every action that has a key, as a table in Markdown: docs/viewer.md holds it, and a test compares the two.
std::string key_table();

/// Opens the first file and prints how long things take, as JSON.
///   throws as run_viewer, DataError where the file cannot be shown
std::string bench_viewer(const ViewerOptions& options);

}  // namespace reber::gui
