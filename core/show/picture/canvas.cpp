// SPDX-License-Identifier: BSD-3-Clause
// Shapes by their coverage; letters are strokes.
#include "core/show/picture/canvas.hpp"

#include <algorithm>
#include <cmath>

#include "core/files/io/atomic_file.hpp"
#include "core/show/picture/letters.hpp"

namespace reber {
namespace {

/// Height of capitals per thickness of their strokes: a medium weight.
constexpr double kSlender = 6.6;
constexpr double kThinnest = 1;  ///< pixels; what is thinner is grey

}  // namespace

Canvas::Canvas(int width, int height, Ink background, ThreadPool* pool)
    : memory_(make_large<Rgb>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))),
      pixels_{memory_.get(), width, height, width},
      layer_(width, height),
      pool_(pool) {
  const Rgb colour{background.red, background.green, background.blue};
  constexpr int kRows = 64;  // of a thread's turn
  const auto fill = [&](std::int64_t i) {
    const int first = static_cast<int>(i) * kRows;
    std::fill_n(pixels_.row(first), width, colour);
    for (int y = first + 1; y < std::min(first + kRows, height); ++y)
      std::copy_n(pixels_.row(first), width, pixels_.row(y));
  };
  const std::int64_t turns = (height + kRows - 1) / kRows;
  if (pool_ != nullptr) {
    pool_->for_each(turns, fill);
  } else {
    for (std::int64_t i = 0; i < turns; ++i) fill(i);
  }
}

void Canvas::line(Point a, Point b, Ink ink, double thickness) {
  layer_.segment(a, b, thickness);
  blend(ink);
}

void Canvas::draw_path(const std::vector<Point>& points, double thickness, bool closed) {
  for (std::size_t i = 1; i < points.size(); ++i) layer_.segment(points[i - 1], points[i], thickness);
  if (closed && !points.empty()) layer_.segment(points.back(), points.front(), thickness);
}

void Canvas::polyline(const std::vector<Point>& points, Ink ink, double thickness, bool closed) {
  draw_path(points, thickness, closed);
  blend(ink);
}

void Canvas::polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness) {
  for (const auto& path : paths) draw_path(path, thickness, false);
  blend(ink);
}

void Canvas::outlines(const std::vector<DrawnEllipse>& ellipses, Ink ink, double thickness) {
  for (const DrawnEllipse& ellipse : ellipses) layer_.outline(ellipse, thickness);
  blend(ink);
}

void Canvas::fill(const std::vector<DrawnEllipse>& ellipses, Ink ink) {
  for (const DrawnEllipse& ellipse : ellipses) layer_.fill(ellipse);
  blend(ink);
}

void Canvas::rectangle(Point c, double w, double h, Ink ink, double thickness) {
  polyline({c, {c.x + w, c.y}, {c.x + w, c.y + h}, {c.x, c.y + h}}, ink, thickness, true);
}

void Canvas::fill_rectangle(Point c, double w, double h, Ink ink) {
  layer_.fill_rectangle(c, w, h);
  blend(ink);
}

void Canvas::disc(Point centre, double radius, Ink ink) { fill({{centre, radius * radius, 0, radius * radius}}, ink); }

double Canvas::text_width(const std::string& text, double size) { return reber::text_width(text, size); }

void Canvas::text(Point at, const std::string& text, double size, Ink ink, Align align, bool turned) {
  const double width = reber::text_width(text, size), thickness = std::max(kThinnest, size / kSlender);
  const double before = align == Align::left ? 0 : align == Align::centre ? 0.5 * width : width;
  // The lower edge of what lies on the base line is the edge of a pixel.
  const double base = std::round((turned ? at.x : at.y) + 0.5 * (size + thickness)) - 0.5 * thickness;
  const auto place = [&](Point p) {
    return turned ? Point{base + p.y, at.y + before - p.x} : Point{at.x - before + p.x, base + p.y};
  };
  for (const Stroke& stroke : text_strokes(text, size)) layer_.segment(place(stroke.from), place(stroke.to), thickness);
  blend(ink);
}

void Canvas::clip(Point corner, double w, double h) {
  const auto edge = [](double at, int last) { return static_cast<int>(std::clamp(std::round(at), 0.0, double(last))); };
  const double left = std::round(corner.x), top = std::round(corner.y);
  layer_.limit({edge(left, width()), edge(top, height()), edge(left + std::round(w), width()),
                edge(top + std::round(h), height())});
}

void Canvas::unclip() { layer_.limit({0, 0, width(), height()}); }

void Canvas::write_png(const std::string& path, const FileOptions& how, const PngOptions& options) const {
  AtomicFile file(path, how);
  const std::string encoded = encode_png(pixels_.pixels, width(), height(), options);
  file.write(encoded);
  options.progress.check();
  file.commit(static_cast<std::int64_t>(encoded.size()));
}

}  // namespace reber
