// SPDX-License-Identifier: BSD-3-Clause
// The options that say which grid images are put on.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/options/command_options.hpp"
#include "core/files/image/image_file.hpp"
#include "core/studies/grid_choice.hpp"

namespace reber::app {

struct GridOptions {
  std::string like, projection, centre, frame, size;
  std::optional<double> pixel_arcsec;
  double rotate_deg = 0;
};

/// Group "Grid".
void add_grid_options(Command& command, GridOptions& options);

/// The grid for images.   open: how --like is opened, but for its plane;   any: none of the options need be there
///   throws InputError where options exclude each other or cannot be understood, and as choose_grid() and sky_grid()
[[nodiscard]] SkyGrid grid_of(const GridOptions& options, std::span<const ImageHeader* const> images,
                              const OpenOptions& open, const Progress& progress, bool any = false);

}  // namespace reber::app
