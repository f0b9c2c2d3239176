// SPDX-License-Identifier: BSD-3-Clause
// A figure's parts on a canvas.
#include "gui/export/figure_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/base/error.hpp"
#include "core/show/picture/canvas.hpp"

namespace reber::gui {
namespace {

std::uint8_t byte_of(double part) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0))); }

Ink ink_of(const Rgba& c) { return {byte_of(c.red), byte_of(c.green), byte_of(c.blue), c.alpha}; }

/// Puts parts on a canvas, `scale` times as large.
class Painter {
 public:
  Painter(Canvas& canvas, double scale) : canvas_(canvas), scale_(scale) {}

  void operator()(const FigureArea& area) const { canvas_.fill_triangles(points(area.triangles), ink_of(area.colour)); }
  void operator()(const FigureLine& line) const {
    canvas_.polyline(points(line.points), ink_of(line.colour), scale_ * line.width, line.closed);
  }
  void operator()(const FigureText& text) const {
    constexpr double kCapitals = 0.729;  // of DejaVu's em
    const double size = kCapitals * scale_ * text.size;
    Point at = point(text.at);  // of the base line
    (text.upwards ? at.x : at.y) -= 0.5 * size;
    const Align align = text.align == FigureText::Align::left     ? Align::left
                        : text.align == FigureText::Align::centre ? Align::centre
                                                                  : Align::right;
    canvas_.write(at, text.text, ink_of(text.colour), {size, align, text.upwards, text.markup, text.fixed_width});
  }

  void all(const std::vector<FigureItem>& items) const {
    for (const FigureItem& item : items) std::visit(*this, item);
  }
  [[nodiscard]] Point point(ScreenPoint p) const { return {scale_ * p.x, scale_ * p.y}; }

 private:
  [[nodiscard]] std::vector<Point> points(const std::vector<ScreenPoint>& from) const {
    std::vector<Point> to;
    to.reserve(from.size());
    for (const ScreenPoint& p : from) to.push_back(point(p));
    return to;
  }

  Canvas& canvas_;
  double scale_;
};

/// The raster over the background that shows through it.
std::vector<Rgb> opaque(const Figure& figure) {
  const auto count = static_cast<std::size_t>(figure.raster_width) * static_cast<std::size_t>(figure.raster_height);
  if (figure.raster.size() != 4 * count) throw InternalError("figure: the raster is not of its size");
  const Ink under = ink_of(figure.background);
  std::vector<Rgb> pixels(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned char* const from = &figure.raster[4 * i];
    const auto mixed = [&](int over, int below) {
      return static_cast<std::uint8_t>((over * from[3] + below * (255 - from[3]) + 127) / 255);
    };
    pixels[i] = {mixed(from[0], under.red), mixed(from[1], under.green), mixed(from[2], under.blue)};
  }
  return pixels;
}

std::unique_ptr<Canvas> drawn(const std::string& path, const Figure& figure, double scale) {
  std::unique_ptr<Canvas> canvas =
      make_canvas(path, scale * figure.width, scale * figure.height, ink_of(figure.background), figure.title);
  const Painter painter(*canvas, scale);
  const ScreenRect& frame = figure.frame;
  const Point corner = painter.point({frame.x, frame.y});
  const double width = scale * frame.width, height = scale * frame.height;
  if (figure.raster_width > 0 && figure.raster_height > 0) {
    std::vector<Rgb> pixels = opaque(figure);
    canvas->image({pixels.data(), figure.raster_width, figure.raster_height, figure.raster_width}, corner, width,
                  height);
  }
  canvas->clip(corner, width, height);
  painter.all(figure.over_image);
  canvas->unclip();
  painter.all(figure.around);
  return canvas;
}

}  // namespace

void write_figure(const std::string& path, const Figure& figure, double scale, bool overwrite) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".png" && extension != ".pdf" && extension != ".svg")
    throw InputError(fmt::format("{}: a picture ends in .png, .pdf or .svg", path));
  if (extension != ".png") scale = 1;
  save(*drawn(path, figure, scale), path, overwrite);
}

FigurePixels figure_pixels(const Figure& figure, double scale) {
  const std::unique_ptr<Canvas> canvas = drawn("picture.png", figure, scale);
  const RgbView from = canvas->pixels();
  FigurePixels made{{}, from.width, from.height};
  for (int y = 0; y < from.height; ++y) made.pixels.insert(made.pixels.end(), from.row(y), from.row(y) + from.width);
  return made;
}

}  // namespace reber::gui
