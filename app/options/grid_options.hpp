// SPDX-License-Identifier: BSD-3-Clause
// The options that say which grid images are put on.
#pragma once

#include "app/options/command_options.hpp"
#include "core/studies/imaging/grid_words.hpp"

namespace reber::app {

/// Group "Grid".
void add_grid_options(Command& command, GridWords& words);

}  // namespace reber::app
