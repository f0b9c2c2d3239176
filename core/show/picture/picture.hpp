// SPDX-License-Identifier: BSD-3-Clause
// PNG pictures: a sky image with its sources, axes, colour bar and beam.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/show/picture/canvas.hpp"
#include "core/show/picture/pixel_rows.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

struct PictureOptions {
  int max_side_px = 1400;    ///< the image is reduced (peak-keeping) to at most this
  double low = 0, high = 0;  ///< limits of the colour scale, in the image's unit; asinh stretch between
  std::string title;
  /// Closed lines over it, of the image's pixels; where they crowd, mark_outlines() decides.
  std::vector<std::vector<PixelPosition>> outlines = {};
  PixelPeaks peaks = {};  ///< of the image, by whoever has it at hand; empty: its rows are reduced
  FileOptions file = {};
  int threads = 0;  ///< 0: all that this process may use
  Progress progress = {};
};

/// Draws the image (asinh stretch, blank pixels grey), axes and grid ticks in sky coordinates, a colour bar with its
/// unit, and the restoring beam. Each source is an ellipse, of the columns Maj, Min, PA, and RA, DEC, else Xposn,
/// Yposn; where they crowd, mark_sources() decides. Costs one walk over the rows, and a few microseconds per source.
///   path: whose ending is that of a picture   throws as make_canvas(); Cancelled; what rows throws
[[nodiscard]] std::unique_ptr<Canvas> draw_sky_picture(const std::string& path, Shape shape, const PixelRows& rows,
                                                       const ImageHeader& header, const Catalogue* sources,
                                                       const PictureOptions& options);
/// The same as a file.   throws as write_catalogue as well
void write_sky_picture(const std::string& path, Shape shape, const PixelRows& rows, const ImageHeader& header,
                       const Catalogue* sources, const PictureOptions& options);

}  // namespace reber
