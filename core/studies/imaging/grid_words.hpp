// SPDX-License-Identifier: BSD-3-Clause
// The words that say which grid images are put on.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/files/image/image_file.hpp"
#include "core/studies/imaging/grid_choice.hpp"

namespace reber {

/// As the options of `reber regrid` say them; empty: not said.
struct GridWords {
  std::string like, projection, centre, frame, size;
  std::optional<double> pixel_arcsec;
  double rotate_deg = 0;
};

/// The grid for images.   open: how `like` is opened, but for its plane   any: none of the words need be there
///   throws InputError where words exclude each other or cannot be understood, and as choose_grid() and sky_grid()
[[nodiscard]] SkyGrid grid_of(const GridWords& words, std::span<const ImageHeader* const> images,
                              const OpenOptions& open, const Progress& progress, bool any = false);

}  // namespace reber
