// SPDX-License-Identifier: BSD-3-Clause
// A drawing surface for pictures and plots. What draws on it is opened when something is drawn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/io/atomic_file.hpp"
#include "core/show/picture/ink.hpp"
#include "core/show/picture/png_encoder.hpp"
#include "core/show/picture/rgb_view.hpp"

namespace reber {

enum class Align { left, centre, right };

struct TextLook {
  double size = 12;  ///< height of capitals, pixels
  Align align = Align::left;
  bool turned = false;  ///< reads upwards
  bool markup = true;   ///< "^" raises the next character or {group}; "-" before a number is a minus sign
  bool fixed_width = false;
};

/// Each call is one layer: what it draws is blended once, however often its own shapes cross. Coordinates are pixels of
/// a PNG, points of a PDF or SVG; those that are not finite draw nothing. One thread at a time.
class Canvas {
 public:
  virtual ~Canvas() = default;
  [[nodiscard]] virtual double width() const = 0;
  [[nodiscard]] virtual double height() const = 0;

  virtual void polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness, bool closed) = 0;
  virtual void outlines(const std::vector<DrawnEllipse>& ellipses, Ink ink, double thickness) = 0;
  virtual void fill(const std::vector<DrawnEllipse>& ellipses, Ink ink) = 0;
  virtual void fill_rectangle(Point corner, double width, double height, Ink ink) = 0;
  /// Three corners each.
  virtual void fill_triangles(const std::vector<Point>& corners, Ink ink) = 0;
  /// A line of text (UTF-8; bytes that are none become "?"): its left end, middle or right end at the point, its
  /// capitals centred on the point's height.
  virtual void write(Point at, const std::string& text, Ink ink, const TextLook& look) = 0;
  /// Pixels stretched over a rectangle without smoothing.
  virtual void image(RgbView pixels, Point corner, double width, double height) = 0;
  /// Drawing, but for image(), is cut off outside this rectangle until unclip().
  virtual void clip(Point corner, double width, double height) = 0;
  virtual void unclip() = 0;

  /// All pixels, without gaps between rows; none of a PDF or SVG.
  [[nodiscard]] virtual RgbView pixels() const = 0;
  /// The bytes of the PDF or SVG, after which nothing is drawn; none of a canvas of pixels.
  [[nodiscard]] virtual std::string finished() = 0;

  void line(Point a, Point b, Ink ink, double thickness = 1) { polylines({{a, b}}, ink, thickness, false); }
  void polyline(const std::vector<Point>& points, Ink ink, double thickness = 1, bool closed = false) {
    polylines({points}, ink, thickness, closed);
  }
  void rectangle(Point c, double w, double h, Ink ink, double thickness = 1) {
    polyline({c, {c.x + w, c.y}, {c.x + w, c.y + h}, {c.x, c.y + h}}, ink, thickness, true);
  }
  void disc(Point centre, double radius, Ink ink) { fill({{centre, radius * radius, 0, radius * radius}}, ink); }
  void text(Point at, const std::string& text, double size, Ink ink, Align align = Align::left, bool turned = false) {
    write(at, text, ink, {size, align, turned});
  }
};

/// What makes canvases: modules/drawing. Any thread.
class Drawing {
 public:
  enum class Kind { png, pdf, svg };
  virtual ~Drawing() = default;
  /// width, height: at least 1; whole numbers of a PNG   title: of the document, in a PDF
  [[nodiscard]] virtual std::unique_ptr<Canvas> canvas(Kind kind, double width, double height, Ink background,
                                                       const std::string& title) const = 0;
  /// How far a line of text reaches, in pixels.
  [[nodiscard]] virtual double text_width(const std::string& text, const TextLook& look) const = 0;
};

/// Opens the module the first time.   throws InputError that says what is missing and what to install
[[nodiscard]] const Drawing& drawing();

/// Whether a path's extension is that of a picture: .png, .pdf or .svg.
[[nodiscard]] bool is_picture(const std::string& path);

[[nodiscard]] double text_width(const std::string& text, double size);

/// By the path's extension: .pdf, .svg, else PNG.   throws as drawing()
[[nodiscard]] std::unique_ptr<Canvas> make_canvas(const std::string& path, double width, double height, Ink background,
                                                  const std::string& title = {});

/// The bytes of the PNG, PDF or SVG.   throws Cancelled
[[nodiscard]] std::string encoded(Canvas& canvas, const PngOptions& options = {});

/// Encodes and writes, whole or not at all.   throws as AtomicFile; Cancelled
void save(Canvas& canvas, const std::string& path, const FileOptions& how, const PngOptions& options = {});

}  // namespace reber
