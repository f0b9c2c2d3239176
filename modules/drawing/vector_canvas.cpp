// SPDX-License-Identifier: BSD-3-Clause
// PDF and SVG: every shape stays a shape, text stays text, images stay rasters of their own pixels.
#include "modules/drawing/vector_canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "modules/drawing/letters.hpp"

namespace reber::drawn {
namespace {

cairo_status_t collect(void* bytes, const unsigned char* more, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(more), length);
  return CAIRO_STATUS_SUCCESS;
}

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

class VectorCanvas final : public Canvas {
 public:
  VectorCanvas(bool pdf, double width, double height, Ink background, const std::string& title)
      : width_(width),
        height_(height),
        surface_((pdf ? cairo_pdf_surface_create_for_stream : cairo_svg_surface_create_for_stream)(collect, &bytes_,
                                                                                                   width, height)),
        painter_(cairo_create(surface_.get())) {
    check(cairo_surface_status(surface_.get()));
    if (pdf && !title.empty()) cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
    const std::unique_ptr<cairo_font_options_t, Destroy> fonts(cairo_font_options_create());
    cairo_font_options_set_hint_style(fonts.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(fonts.get(), CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(painter_.get(), fonts.get());
    cairo_set_line_join(painter_.get(), CAIRO_LINE_JOIN_ROUND);
    set(background);
    cairo_paint(painter_.get());
  }

  [[nodiscard]] double width() const override { return width_; }
  [[nodiscard]] double height() const override { return height_; }

  void polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness, bool closed) override {
    for (const std::vector<Point>& path : paths) {
      bool drawing = false;
      for (const Point& p : path) {
        if (finite(p)) (drawing ? cairo_line_to : cairo_move_to)(painter_.get(), p.x, p.y);
        drawing = finite(p);
      }
      if (closed && drawing) cairo_close_path(painter_.get());
    }
    stroke(ink, thickness);
  }

  void outlines(const std::vector<DrawnEllipse>& ellipses, Ink ink, double thickness) override {
    for (const DrawnEllipse& ellipse : ellipses) add(ellipse);
    stroke(ink, thickness);
  }

  void fill(const std::vector<DrawnEllipse>& ellipses, Ink ink) override {
    for (const DrawnEllipse& ellipse : ellipses) add(ellipse);
    fill(ink);
  }

  void fill_rectangle(Point corner, double width, double height, Ink ink) override {
    if (!finite(corner)) return;
    cairo_rectangle(painter_.get(), corner.x, corner.y, width, height);
    fill(ink);
  }

  void fill_triangles(const std::vector<Point>& corners, Ink ink) override {
    add_triangles(painter_.get(), corners);
    fill(ink);
  }

  void write(Point at, const std::string& text, Ink ink, const TextLook& look) override {
    if (!finite(at)) return;
    set(ink);
    (void)Letters(painter_.get(), text, look).show(at, false);
  }

  void image(RgbView pixels, Point corner, double width, double height) override {
    const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.width, pixels.height));
    check(cairo_surface_status(image.get()));
    unsigned char* const bytes = cairo_image_surface_get_data(image.get());
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(image.get());
    for (int y = 0; y < pixels.height; ++y) {
      for (int x = 0; x < pixels.width; ++x) {
        const Rgb& from = pixels.at(x, y);
        const std::uint32_t pixel =
            std::uint32_t{from.red} << 16 | std::uint32_t{from.green} << 8 | std::uint32_t{from.blue};
        std::memcpy(bytes + y * stride + std::ptrdiff_t{4} * x, &pixel, sizeof pixel);
      }
    }
    cairo_surface_mark_dirty(image.get());
    cairo_t* const to = painter_.get();
    cairo_save(to);
    cairo_translate(to, corner.x, corner.y);
    cairo_scale(to, width / pixels.width, height / pixels.height);
    cairo_set_source_surface(to, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(to), CAIRO_FILTER_NEAREST);
    cairo_paint(to);
    cairo_restore(to);
  }

  void clip(Point corner, double width, double height) override {
    cairo_reset_clip(painter_.get());
    cairo_rectangle(painter_.get(), corner.x, corner.y, width, height);
    cairo_clip(painter_.get());
  }
  void unclip() override { cairo_reset_clip(painter_.get()); }

  [[nodiscard]] RgbView pixels() const override { return {}; }

  [[nodiscard]] std::string finished() override {
    check(cairo_status(painter_.get()));
    painter_.reset();
    cairo_surface_finish(surface_.get());
    check(cairo_surface_status(surface_.get()));
    return std::move(bytes_);
  }

 private:
  void set(Ink ink) {
    cairo_set_source_rgba(painter_.get(), ink.red / 255.0, ink.green / 255.0, ink.blue / 255.0, ink.alpha);
  }
  void stroke(Ink ink, double thickness) {
    set(ink);
    cairo_set_line_width(painter_.get(), thickness);
    cairo_stroke(painter_.get());
  }
  void fill(Ink ink) {
    set(ink);
    cairo_fill(painter_.get());
  }
  void add(const DrawnEllipse& ellipse) {
    const auto [major, minor, angle] = half_axes(ellipse);
    if (!finite(ellipse.centre) || !(major > 0) || !std::isfinite(major)) return;
    cairo_t* const to = painter_.get();
    cairo_save(to);
    cairo_translate(to, ellipse.centre.x, ellipse.centre.y);
    cairo_rotate(to, angle);
    cairo_scale(to, major, std::max(minor, 1e-3 * major));
    cairo_new_sub_path(to);
    cairo_arc(to, 0, 0, 1, 0, 2 * std::numbers::pi);
    cairo_close_path(to);
    cairo_restore(to);
  }

  double width_, height_;
  std::string bytes_;
  Surface surface_;
  Painter painter_;
};

}  // namespace

void add_triangles(cairo_t* painter, const std::vector<Point>& corners) {
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    Point a = corners[i], b = corners[i + 1], c = corners[i + 2];
    if (!finite(a) || !finite(b) || !finite(c)) continue;
    // All turn the same way: the winding rule then joins them into one area.
    if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0) std::swap(b, c);
    cairo_move_to(painter, a.x, a.y);
    cairo_line_to(painter, b.x, b.y);
    cairo_line_to(painter, c.x, c.y);
    cairo_close_path(painter);
  }
}

std::unique_ptr<Canvas> make_vector_canvas(bool pdf, double width, double height, Ink background,
                                           const std::string& title) {
  return std::make_unique<VectorCanvas>(pdf, width, height, background, title);
}

}  // namespace reber::drawn
