// SPDX-License-Identifier: BSD-3-Clause
// Lines of text by Cairo, in DejaVu Sans or what stands in for it.
#pragma once

#include <cairo.h>

#include <memory>
#include <string>
#include <vector>

#include "core/show/picture/canvas.hpp"

namespace reber::drawn {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* painter) const { cairo_destroy(painter); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Painter = std::unique_ptr<cairo_t, Destroy>;

/// Throws DataError where Cairo could not do what it was asked, std::bad_alloc where memory was missing.
void check(cairo_status_t status);

/// Adds triangles to the path, to be filled as one area without seams.
void add_triangles(cairo_t* painter, const std::vector<Point>& corners);

/// The family of Letters.
[[nodiscard]] const char* font_family(bool fixed_width);

/// A line of text, laid out. Where the font is not installed, fontconfig's next of its kind is taken; where there is no
/// font at all, strokes that Cairo draws, of ASCII alone.
class Letters {
 public:
  Letters(cairo_t* painter, const std::string& text, const TextLook& look);
  [[nodiscard]] double width() const { return width_; }
  /// Shows it in the painter's colour.
  ///   whole: its base line on the edge of a pixel   returns left, top, width and height of the box that holds its ink
  cairo_rectangle_t show(Point at, bool whole) const;

 private:
  struct Run {
    std::string text;
    double size, raise, advance;
  };

  cairo_t* painter_;
  TextLook look_;
  std::vector<Run> runs_;
  double width_ = 0;
};

}  // namespace reber::drawn
