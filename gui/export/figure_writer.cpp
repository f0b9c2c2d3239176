// SPDX-License-Identifier: BSD-3-Clause
// Figures on cairo's surfaces. Bytes are collected in memory and written whole.
#include "gui/export/figure_writer.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numbers>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber::gui {
namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Painter = std::unique_ptr<cairo_t, Destroy>;

cairo_status_t collect(void* closure, const unsigned char* bytes, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status, const std::string& path) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw DataError(fmt::format("{}: the picture could not be drawn: {}", path, cairo_status_to_string(status)));
}

void set_colour(cairo_t* cr, const Rgba& c) { cairo_set_source_rgba(cr, c.red, c.green, c.blue, c.alpha); }

void draw(cairo_t* cr, const FigureArea& area) {
  set_colour(cr, area.colour);
  for (std::size_t i = 0; i + 2 < area.triangles.size(); i += 3) {
    ScreenPoint a = area.triangles[i], b = area.triangles[i + 1], c = area.triangles[i + 2];
    // All turn the same way: the winding rule then joins them into one area.
    if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0) std::swap(b, c);
    cairo_move_to(cr, a.x, a.y);
    cairo_line_to(cr, b.x, b.y);
    cairo_line_to(cr, c.x, c.y);
    cairo_close_path(cr);
  }
  cairo_fill(cr);
}

void draw(cairo_t* cr, const FigureLine& line) {
  if (line.points.size() < 2) return;
  set_colour(cr, line.colour);
  cairo_set_line_width(cr, line.width);
  cairo_move_to(cr, line.points[0].x, line.points[0].y);
  for (std::size_t i = 1; i < line.points.size(); ++i) cairo_line_to(cr, line.points[i].x, line.points[i].y);
  if (line.closed) cairo_close_path(cr);
  cairo_stroke(cr);
}

/// A stretch of text at one height.
struct Run {
  std::string text;
  bool raised = false;
};

std::vector<Run> runs_of(const std::string& text, bool markup) {
  std::vector<Run> runs{{}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!markup || text[i] != '^' || i + 1 == text.size()) {
      runs.back().text += text[i];
      continue;
    }
    ++i;
    std::string raised(1, text[i]);
    if (text[i] == '{') {
      const std::size_t end = std::min(text.find('}', i), text.size());
      raised = text.substr(i + 1, end - i - 1);
      i = end;
    }
    runs.push_back({raised, true});
    runs.emplace_back();
  }
  return runs;
}

void draw(cairo_t* cr, const FigureText& text) {
  cairo_select_font_face(cr, text.fixed_width ? "DejaVu Sans Mono" : "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  set_colour(cr, text.colour);
  const std::vector<Run> runs = runs_of(text.text, text.markup);
  const auto size_of = [&](const Run& run) { return run.raised ? 0.65 * text.size : text.size; };
  double width = 0;
  for (const Run& run : runs) {
    cairo_text_extents_t extents;
    cairo_set_font_size(cr, size_of(run));
    cairo_text_extents(cr, run.text.c_str(), &extents);
    width += extents.x_advance;
  }
  cairo_save(cr);
  cairo_translate(cr, text.at.x, text.at.y);
  if (text.upwards) cairo_rotate(cr, -std::numbers::pi / 2);
  double x = text.align == FigureText::Align::left     ? 0
             : text.align == FigureText::Align::centre ? -0.5 * width
                                                       : -width;
  for (const Run& run : runs) {
    cairo_text_extents_t extents;
    cairo_set_font_size(cr, size_of(run));
    cairo_text_extents(cr, run.text.c_str(), &extents);
    cairo_move_to(cr, x, run.raised ? -0.38 * text.size : 0);
    cairo_show_text(cr, run.text.c_str());
    x += extents.x_advance;
  }
  cairo_restore(cr);
}

void draw_items(cairo_t* cr, const std::vector<FigureItem>& items) {
  for (const FigureItem& item : items) std::visit([&](const auto& thing) { draw(cr, thing); }, item);
}

void draw_raster(cairo_t* cr, const Figure& figure, const std::string& path) {
  if (figure.raster_width <= 0 || figure.raster_height <= 0) return;
  const auto width = static_cast<std::size_t>(figure.raster_width),
             height = static_cast<std::size_t>(figure.raster_height);
  if (figure.raster.size() != 4 * width * height) throw InternalError("figure: the raster is not of its size");
  // An opaque picture stays free of a mask, which not every reader of PDF draws well.
  bool opaque = true;
  for (std::size_t i = 3; i < figure.raster.size() && opaque; i += 4) opaque = figure.raster[i] == 255;
  Surface image(cairo_image_surface_create(opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, figure.raster_width,
                                           figure.raster_height));
  check(cairo_surface_status(image.get()), path);
  unsigned char* bytes = cairo_image_surface_get_data(image.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image.get()));
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const unsigned char* from = &figure.raster[4 * (y * width + x)];
      const std::uint32_t alpha = from[3];
      const auto part = [&](int i) { return (from[i] * alpha + 127) / 255; };  // cairo's colours hold their alpha
      const std::uint32_t pixel = alpha << 24 | part(0) << 16 | part(1) << 8 | part(2);
      std::memcpy(bytes + y * stride + 4 * x, &pixel, 4);
    }
  }
  cairo_surface_mark_dirty(image.get());
  cairo_save(cr);
  cairo_translate(cr, figure.frame.x, figure.frame.y);
  cairo_scale(cr, figure.frame.width / figure.raster_width, figure.frame.height / figure.raster_height);
  cairo_set_source_surface(cr, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_restore(cr);
}

void draw_all(cairo_t* cr, const Figure& figure, const std::string& path) {
  set_colour(cr, figure.background);
  cairo_paint(cr);
  draw_raster(cr, figure, path);
  cairo_save(cr);
  cairo_rectangle(cr, figure.frame.x, figure.frame.y, figure.frame.width, figure.frame.height);
  cairo_clip(cr);
  draw_items(cr, figure.over_image);
  cairo_restore(cr);
  draw_items(cr, figure.around);
  check(cairo_status(cr), path);
}

std::string png_bytes(const Figure& figure, double scale, const std::string& path) {
  const int width = static_cast<int>(std::lround(figure.width * scale));
  const int height = static_cast<int>(std::lround(figure.height * scale));
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  check(cairo_surface_status(surface.get()), path);
  Painter painter(cairo_create(surface.get()));
  cairo_scale(painter.get(), scale, scale);
  draw_all(painter.get(), figure, path);
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), collect, &bytes), path);
  return bytes;
}

using MakeSurface = cairo_surface_t* (*)(cairo_write_func_t, void*, double, double);

std::string vector_bytes(const Figure& figure, MakeSurface make, const std::string& path) {
  std::string bytes;
  Surface surface(make(collect, &bytes, figure.width, figure.height));
  check(cairo_surface_status(surface.get()), path);
  if (cairo_surface_get_type(surface.get()) == CAIRO_SURFACE_TYPE_PDF)
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, figure.title.c_str());
  Painter painter(cairo_create(surface.get()));
  draw_all(painter.get(), figure, path);
  painter.reset();
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()), path);
  return bytes;
}

}  // namespace

void write_figure(const std::string& path, const Figure& figure, double scale, bool overwrite) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".png" && extension != ".pdf" && extension != ".svg")
    throw InputError(fmt::format("{}: a picture ends in .png, .pdf or .svg", path));
  AtomicFile file(path, overwrite);
  const std::string bytes = extension == ".png"   ? png_bytes(figure, scale, path)
                            : extension == ".pdf" ? vector_bytes(figure, cairo_pdf_surface_create_for_stream, path)
                                                  : vector_bytes(figure, cairo_svg_surface_create_for_stream, path);
  file.write(bytes);
  file.commit(static_cast<std::int64_t>(bytes.size()));
}

}  // namespace reber::gui
