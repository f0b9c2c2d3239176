// SPDX-License-Identifier: BSD-3-Clause
// Many images: who does which, what is recorded, what is told.
#pragma once

#include "app/batch/run_image.hpp"
#include "app/terminal/terminal.hpp"

namespace reber::app {

/// Runs every image that the settings name.   returns the worst exit code
///   throws InputError, DataError, DeviceError before the first image; DataError where a record cannot be written;
///   Cancelled
[[nodiscard]] int run_batch(const RunSettings& settings, Terminal& terminal);

}  // namespace reber::app
