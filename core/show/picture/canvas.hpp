// SPDX-License-Identifier: BSD-3-Clause
// A small drawing surface for PNG pictures: smooth lines, shapes and text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/large_vectors.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/show/picture/coverage.hpp"
#include "core/show/picture/ink.hpp"
#include "core/show/picture/png_encoder.hpp"
#include "core/show/picture/rgb_view.hpp"

namespace reber {

enum class Align { left, centre, right };

/// Each call is one layer: what it draws is blended once, however often its own shapes cross. Every call costs what it
/// touches. Coordinates that are not finite draw nothing.
class Canvas {
 public:
  /// pool: fills and blends by several threads; must outlive it. Null: the caller alone.
  Canvas(int width, int height, Ink background, ThreadPool* pool = nullptr);

  [[nodiscard]] int width() const { return pixels_.width; }
  [[nodiscard]] int height() const { return pixels_.height; }
  /// The pixels of a row, width() of them.
  [[nodiscard]] const Rgb* row(int y) const { return pixels_.row(y); }
  /// Pixels that blending has looked at so far: what drawing cost.
  [[nodiscard]] std::int64_t blended() const { return blended_; }

  void line(Point a, Point b, Ink ink, double thickness = 1);
  void polyline(const std::vector<Point>& points, Ink ink, double thickness = 1, bool closed = false);
  void polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness = 1);
  void outlines(const std::vector<DrawnEllipse>& ellipses, Ink ink, double thickness = 1);
  void fill(const std::vector<DrawnEllipse>& ellipses, Ink ink);
  void rectangle(Point corner, double width, double height, Ink ink, double thickness = 1);
  void fill_rectangle(Point corner, double width, double height, Ink ink);
  void disc(Point centre, double radius, Ink ink);
  /// The canvas's own pixels there; the rectangle must lie within it.
  [[nodiscard]] RgbView area(int x, int y, int width, int height) { return pixels_.area(x, y, width, height); }

  /// Text whose capitals are `size` pixels high, its left end, middle or right end at the point and its capitals
  /// centred on the point's height, up to half a pixel off, so that level strokes fill rows of pixels. turned: reads
  /// upwards. Signs and raised characters: as text_strokes().
  void text(Point at, const std::string& text, double size, Ink ink, Align align = Align::left, bool turned = false);
  [[nodiscard]] static double text_width(const std::string& text, double size);

  /// Drawing is cut off outside this rectangle until unclip().
  void clip(Point corner, double width, double height);
  void unclip();

  /// Encodes and writes, whole or not at all.   throws as AtomicFile; Cancelled
  void write_png(const std::string& path, const FileOptions& how, const PngOptions& options = {}) const;

 private:
  void draw_path(const std::vector<Point>& points, double thickness, bool closed);
  void blend(Ink ink) { blended_ += layer_.blend(pixels_, ink, pool_); }

  LargeArray<Rgb> memory_;
  RgbView pixels_;  ///< all of the memory
  Coverage layer_;
  ThreadPool* pool_;
  std::int64_t blended_ = 0;
};

}  // namespace reber
