// SPDX-License-Identifier: BSD-3-Clause
// PNG pictures: a sky image with its sources, axes, colour bar and beam.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/catalogue.hpp"
#include "core/model/image.hpp"
#include "core/model/image_header.hpp"

namespace reber {

struct PictureOptions {
  int max_side_px = 1400;    ///< the image is reduced (peak-keeping) to at most this
  double low = 0, high = 0;  ///< limits of the colour scale, in the image's unit; asinh stretch between
  std::string title;
  bool overwrite = false;
  int threads = 0;  ///< that reduce the image; 0: all that this process may use
};

/// Draws the image (asinh stretch, blank pixels grey), axes and grid ticks in sky coordinates, a colour bar with its
/// unit, and the restoring beam. Each source is an ellipse, of the columns Maj, Min, PA, and Xposn, Yposn, else
/// RA, DEC.
///   throws as write_catalogue
void write_sky_picture(const std::string& path, ConstImageView image, const ImageHeader& header,
                       const Catalogue* sources, const PictureOptions& options);

}  // namespace reber
