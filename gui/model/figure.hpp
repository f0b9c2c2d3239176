// SPDX-License-Identifier: BSD-3-Clause
// A picture for a paper as data: a raster with lines, areas and text over it. gui/export writes it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "gui/model/image/render_settings.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// Triangles of one colour, three points each; drawn as one area, so that seams between them do not show.
struct FigureArea {
  std::vector<ScreenPoint> triangles;
  Rgba colour;
};

struct FigureLine {
  std::vector<ScreenPoint> points;
  Rgba colour;
  double width = 1;
  bool closed = false;
};

/// "^" raises the next character or {group}, where `markup`. at: left, middle or right of the text's base line.
struct FigureText {
  enum class Align { left, centre, right };
  ScreenPoint at;
  std::string text;
  double size = 12;
  Rgba colour;
  Align align = Align::left;
  bool upwards = false;
  bool markup = false;
  bool fixed_width = false;
};

using FigureItem = std::variant<FigureArea, FigureLine, FigureText>;

/// All positions in units of the layout at scale 1, y down.
struct Figure {
  double width = 0, height = 0;
  Rgba background{1, 1, 1, 1};
  ScreenRect frame;  ///< of the image
  int raster_width = 0, raster_height = 0;
  std::vector<unsigned char> raster;   ///< RGBA, top row first, stretched over the frame
  std::vector<FigureItem> over_image;  ///< cut off at the frame
  std::vector<FigureItem> around;      ///< axes
  std::string title;                   ///< for the file's own description
};

}  // namespace reber::gui
