// SPDX-License-Identifier: BSD-3-Clause
// A small drawing surface for PNG pictures: lines, shapes and text at twice the final resolution.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace reber {

struct Point {
  double x = 0, y = 0;  ///< final pixels, y down, (0, 0) the top left corner of the canvas
};

struct Ink {
  std::uint8_t red = 0, green = 0, blue = 0;
  double alpha = 1;
};

enum class Align { left, centre, right };

/// Draws at twice the size and is averaged down when written, which makes thin lines and small text smooth.
class Canvas {
 public:
  Canvas(int width, int height, Ink background);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  void line(Point a, Point b, Ink ink, double thickness = 1);
  void polyline(const std::vector<Point>& points, Ink ink, double thickness = 1, bool closed = false);
  /// Many lines as one layer: where they cross, the ink is laid on once.
  void polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness = 1, bool closed = false);
  void fill(const std::vector<Point>& points, Ink ink);
  void rectangle(Point corner, double width, double height, Ink ink, double thickness = 1);
  void fill_rectangle(Point corner, double width, double height, Ink ink);
  void disc(Point centre, double radius, Ink ink);
  /// Copies a BGR picture to the place, each pixel once.
  void place(const cv::Mat& bgr, int x, int y);

  /// Text whose capitals are `size` pixels high, its left end, middle or right end at the point and its capitals
  /// centred on the point's height. "^" raises the next character or {group}; degree sign, micro sign and ASCII are
  /// known, all else is "?". turned: reads upwards.
  void text(Point at, const std::string& text, double size, Ink ink, Align align = Align::left, bool turned = false);
  [[nodiscard]] static double text_width(const std::string& text, double size);

  /// Drawing is cut off outside this rectangle until unclip().
  void clip(Point corner, double width, double height);
  void unclip();

  /// Encodes for speed and writes, whole or not at all.   throws as AtomicFile
  void write_png(const std::string& path, bool overwrite) const;

 private:
  /// Lays ink on what draw() covers; only `touched` of the canvas, in fine pixels, is looked at.
  template <class Draw>
  void lay(cv::Rect touched, Ink ink, const Draw& draw);

  int width_, height_;
  cv::Mat pixels_;
  cv::Rect clip_;
};

}  // namespace reber
