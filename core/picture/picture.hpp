// SPDX-License-Identifier: BSD-3-Clause
// PNG pictures: a sky image with its sources, axes, colour bar and beam; and simple plots.
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
};

/// Draws the image (asinh stretch, blank pixels grey), axes and grid ticks in sky coordinates, a colour bar with its
/// unit, and the restoring beam. Each source is an ellipse, of the columns Maj, Min, PA, and RA, DEC, else Xposn,
/// Yposn.
///   throws as write_catalogue
void write_sky_picture(const std::string& path, ConstImageView image, const ImageHeader& header,
                       const Catalogue* sources, const PictureOptions& options);

/// A group of bars or points in a plot.
struct PlotSeries {
  std::string name;
  std::vector<double> x, y;
};
struct PlotOptions {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false, lines = true;
  bool overwrite = false;
};
void write_plot(const std::string& path, const std::vector<PlotSeries>& series, const PlotOptions& options);

/// Horizontal bars, one group per label, one bar per series (x unused); log scale. For the benchmark.
void write_bars(const std::string& path, const std::vector<std::string>& labels, const std::vector<PlotSeries>& series,
                const PlotOptions& options);

}  // namespace reber
