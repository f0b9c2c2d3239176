// SPDX-License-Identifier: BSD-3-Clause
// How much of each pixel of a canvas a drawing covers: shapes first, then one blend of what they touch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/large_vectors.hpp"
#include "core/base/thread_pool.hpp"
#include "core/show/picture/ink.hpp"
#include "core/show/picture/rgb_view.hpp"

namespace reber {

/// Pixels [left, right) x [top, bottom).
struct PixelWindow {
  int left = 0, top = 0, right = 0, bottom = 0;
};

/// One layer of one ink. A pixel under several shapes has the largest of their coverages, so that crossing lines do not
/// shine through each other. Shapes cost what they touch; coordinates that are not finite draw nothing.
///
///   coverage of a line of thickness t at distance d from its middle = |[d - 1/2, d + 1/2] with [-t/2, t/2]|
///
/// Pixel (x, y) is centred on (x + 1/2, y + 1/2).
class Coverage {
 public:
  Coverage(int width, int height);

  /// Shapes touch no pixel outside, blends neither.   window: must lie within the canvas
  void limit(const PixelWindow& window) { window_ = window; }

  void segment(Point a, Point b, double thickness);
  /// The outline by its first-order distance (Sampson 1982): exact on the axes.
  void outline(const DrawnEllipse& ellipse, double thickness);
  void fill(const DrawnEllipse& ellipse);
  /// Sides along the axes.
  void fill_rectangle(Point corner, double width, double height);

  /// Lays the ink over the canvas's pixels and begins anew.   returns the pixels that it looked at
  ///   pool: shares out the rows of large layers; null: the caller alone
  std::int64_t blend(RgbView pixels, Ink ink, ThreadPool* pool = nullptr);

 private:
  /// What is touched of a row: [from, to).
  struct Extent {
    int from, to;
  };

  template <class Cover>
  void row(int y, double x0, double x1, const Cover& cover);
  template <class Cover>
  void ellipse(const DrawnEllipse& e, double outer, double inner, const Cover& cover);
  std::int64_t blend_row(int y, Rgb* row, Ink ink);
  void put(int y, int x, double covered);

  int width_;
  PixelWindow window_;
  ZeroedBytes covered_;
  std::vector<Extent> touched_;
  int first_row_, last_row_;  ///< [first, last): rows with an extent
};

}  // namespace reber
