// SPDX-License-Identifier: BSD-3-Clause
// Writes a figure as PNG, PDF or SVG.
#pragma once

#include <string>
#include <vector>

#include "core/show/picture/rgb_view.hpp"
#include "gui/model/figure.hpp"

namespace reber::gui {

/// By the path's extension: .png (scale pixels per unit), .pdf and .svg (one point per unit; lines and text stay such,
/// the image is a raster of its own resolution, not smoothed). Whole or not at all.
///   throws InputError for another extension, an existing file without `overwrite`, or where nothing can draw;
///   DataError where writing fails
void write_figure(const std::string& path, const Figure& figure, double scale, bool overwrite);

struct FigurePixels {
  std::vector<Rgb> pixels;  ///< top row first
  int width = 0, height = 0;
  [[nodiscard]] RgbView view() { return {pixels.data(), width, height, width}; }
};
/// What write_figure() writes into a PNG file.   throws InputError where nothing can draw
[[nodiscard]] FigurePixels figure_pixels(const Figure& figure, double scale);

}  // namespace reber::gui
