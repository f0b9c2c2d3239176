// SPDX-License-Identifier: BSD-3-Clause
// find and background on many planes of a cube: the walk, the joined catalogue, maps as cubes.
#pragma once

#include <string>

#include "app/options/command_options.hpp"
#include "app/options/common_options.hpp"
#include "app/terminal/terminal.hpp"
#include "core/run/request/request.hpp"

namespace reber::app {

/// --planes, group "Input".
void add_planes_option(Command& command, std::string& planes);

/// Runs the request on each plane; its catalogues hold the rows of all planes, its maps are cubes.
///   returns the exit code: that of damaged data where a plane could not be read, which does not stop the others
///   throws InputError for a list that names no planes, and for maps that are made of one plane alone
[[nodiscard]] int search_planes(const Request& request, const std::string& planes, const CommonOptions& common,
                                Terminal& terminal);

}  // namespace reber::app
