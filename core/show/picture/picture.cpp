// SPDX-License-Identifier: BSD-3-Clause
// A sky image as a figure: pixels, coordinate axes, colour bar, beam and sources.
#include "core/show/picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <memory>

#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/base/thread_pool.hpp"
#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "core/show/display/display_scale.hpp"
#include "core/show/picture/canvas.hpp"
#include "core/show/picture/outline_marks.hpp"
#include "core/show/picture/sky_axes.hpp"
#include "core/show/picture/sky_layout.hpp"
#include "core/show/picture/sky_pixels.hpp"
#include "core/show/picture/source_marks.hpp"

namespace reber {
namespace {

constexpr Ink kBlack{25, 25, 28, 1};
constexpr Ink kWhite{255, 255, 255, 1};
constexpr Ink kOutline{240, 228, 66, 1};
constexpr Ink kGrid{255, 255, 255, 0.16};

/// The limits asked for, or those that the reduced pixels give.
DisplayLimits limits_of(ConstImageView values, const PictureOptions& options, ThreadPool& pool) {
  if (options.high > options.low && std::isfinite(options.low) && std::isfinite(options.high)) {
    return {options.low, options.high};
  }
  LimitsRule rule;
  rule.kind = LimitsRule::Kind::picture;
  rule.sigmas_below = 2.5;
  rule.sigmas_above = 15;
  return find_limits(values, rule, pool, options.progress);
}

/// A line around an area, outside it.
void frame(Canvas& canvas, double left, double top, double width, double height, double thickness) {
  const double off = 0.5 * std::max(1.0, std::round(thickness));
  canvas.rectangle({left - off, top - off}, width + 2 * off, height + 2 * off, kBlack, thickness);
}

void draw_beam(Canvas& canvas, const SkyLayout& layout, const ImageHeader& header) {
  if (!header.beam) return;
  const auto matrix = header.wcs.centre_geometry(layout.shape);
  if (!matrix || !(std::abs(matrix->determinant()) > 0)) return;
  const Covariance shape =
      to_pixels(sky_covariance(header.beam->major_deg, header.beam->minor_deg, header.beam->pa_deg), *matrix);
  const double width = std::sqrt(shape.xx) * layout.x_scale(), height = std::sqrt(shape.yy) * layout.y_scale();
  const double pad = 9 * layout.unit;
  const double side = std::max(width, height) + 2 * pad;
  // A beam that fills the picture is no help.
  if (!(side < 0.3 * std::min(layout.width, layout.height))) return;
  const double gap = 12 * layout.unit;
  const Point corner{layout.left + gap, layout.top + layout.height - gap - side};
  canvas.fill_rectangle(corner, side, side, {20, 20, 30, 0.7});
  canvas.rectangle(corner, side, side, {255, 255, 255, 0.8}, layout.unit);
  DrawnEllipse beam = layout.ellipse(0, 0, shape, 1);
  beam.centre = {corner.x + 0.5 * side, corner.y + 0.5 * side};
  canvas.fill({beam}, {255, 255, 255, 0.9});
  canvas.outlines({beam}, kWhite, 0.6);
}

/// Ticks of the two labelled edges and what they show.
struct Axes {
  std::vector<Tick> bottom, left;
  std::string bottom_name, left_name;
  SkyAxis bottom_axis = SkyAxis::longitude, left_axis = SkyAxis::latitude;
  bool sky = false;
};

/// Lines of both axes, in one layer.
void draw_grid(Canvas& canvas, const SkyLayout& layout, const Wcs& wcs, const Axes& axes) {
  std::vector<std::vector<Point>> paths;
  for (const bool bottom : {true, false}) {
    for (const Tick& tick : bottom ? axes.bottom : axes.left) {
      for (const auto& piece : sky_line(wcs, layout.shape, bottom ? axes.bottom_axis : axes.left_axis, tick.value)) {
        paths.emplace_back();
        for (const PixelPosition& p : piece) paths.back().push_back(layout.point(p.x, p.y));
      }
    }
  }
  canvas.polylines(paths, kGrid, layout.unit, false);
}

/// Dark below and bright above, so that they are seen on any colour.
void draw_outlines(Canvas& canvas, const OutlineMarks& marks) {
  canvas.polylines(marks.paths, {0, 0, 0, 0.6}, 2 * marks.thickness, false);
  canvas.polylines(marks.paths, kOutline, marks.thickness, false);
}

/// What of the marks is not drawn, in a line for the reader.
std::string note_of(const SourceMarks& sources, const OutlineMarks& outlines) {
  const std::string of_sources = note_of(sources), of_outlines = note_of(outlines);
  return of_sources + (of_sources.empty() || of_outlines.empty() ? "" : "; ") + of_outlines;
}

double tick_length(const SkyLayout& layout) { return 7 * layout.unit; }

/// The ticks of both edges, which touch the outermost pixels of the sky.
void draw_ticks(Canvas& canvas, const SkyLayout& layout, const std::vector<Tick>& bottom,
                const std::vector<Tick>& left) {
  const double length = tick_length(layout), base = layout.top + layout.height;
  for (const Tick& tick : bottom) {
    const double x = layout.point(tick.at, 0).x;
    canvas.line({x, base}, {x, base + length}, kBlack, layout.unit);
  }
  for (const Tick& tick : left) {
    const double y = layout.point(0, tick.at).y;
    canvas.line({layout.left - length, y}, {layout.left + 0.0, y}, kBlack, layout.unit);
  }
}

/// Their labels; those that would run into the one before are left out.
void draw_tick_labels(Canvas& canvas, const SkyLayout& layout, const std::vector<Tick>& bottom,
                      const std::vector<Tick>& left) {
  const double length = tick_length(layout), size = 12 * layout.unit;
  const double base = layout.top + layout.height;
  std::vector<std::pair<double, double>> taken;
  for (const Tick& tick : bottom) {
    const double x = layout.point(tick.at, 0).x;
    const double half = 0.5 * text_width(tick.label, size);
    const bool free = std::none_of(taken.begin(), taken.end(),
                                   [&](const auto& t) { return x - half < t.second && x + half > t.first; });
    if (!free) continue;
    taken.emplace_back(x - half - size, x + half + size);
    canvas.text({x, base + length + 1.4 * size}, tick.label, size, kBlack, Align::centre);
  }
  taken.clear();
  for (const Tick& tick : left) {
    const double y = layout.point(0, tick.at).y;
    const bool free =
        std::none_of(taken.begin(), taken.end(), [&](const auto& t) { return y > t.first && y < t.second; });
    if (!free) continue;
    taken.emplace_back(y - 2 * size, y + 2 * size);
    canvas.text({layout.left - length - 0.5 * size, y}, tick.label, size, kBlack, Align::right);
  }
}

struct AxisNames {
  std::string longitude, latitude;
};

AxisNames axis_names(const Wcs& wcs) {
  const std::string frame = " (" + wcs.frame_name() + ")";
  switch (wcs.frame()) {
    case Wcs::Frame::galactic:
      return {"Galactic longitude", "Galactic latitude"};
    case Wcs::Frame::ecliptic:
      return {"Ecliptic longitude", "Ecliptic latitude"};
    case Wcs::Frame::icrs:
    case Wcs::Frame::fk5:
    case Wcs::Frame::fk4:
      return {"Right ascension" + frame, "Declination" + frame};
    default:
      return {"Longitude" + frame, "Latitude" + frame};
  }
}

Axes make_axes(const SkyLayout& layout, const Wcs& wcs) {
  Axes axes;
  const int across = std::max(1, static_cast<int>(layout.width / (190 * layout.unit))),
            up = std::max(1, static_cast<int>(layout.height / (150 * layout.unit)));
  const auto matrix = wcs.centre_geometry(layout.shape);
  if (wcs.celestial()) {
    // In an image on its side the bottom edge shows the latitude.
    const bool turned = matrix && std::abs(matrix->a) < std::abs(matrix->b);
    if (turned) std::swap(axes.bottom_axis, axes.left_axis);
    axes.bottom = sky_ticks(wcs, layout.shape, axes.bottom_axis, true, across);
    axes.left = sky_ticks(wcs, layout.shape, axes.left_axis, false, up);
    const AxisNames names = axis_names(wcs);
    axes.bottom_name = turned ? names.latitude : names.longitude;
    axes.left_name = turned ? names.longitude : names.latitude;
    axes.sky = true;
  }
  if (axes.bottom.empty() && axes.left.empty()) {
    axes.sky = false;
    axes.bottom = round_ticks(0, static_cast<double>(layout.shape.nx - 1), across);
    axes.left = round_ticks(0, static_cast<double>(layout.shape.ny - 1), up);
    axes.bottom_name = "x (pixels)";
    axes.left_name = "y (pixels)";
  }
  return axes;
}

void draw_bar(Canvas& canvas, const SkyLayout& layout, const Unit& unit, const DisplayLimits& limits) {
  const int width = static_cast<int>(20 * layout.unit),
            x = layout.left + layout.width + static_cast<int>(22 * layout.unit);
  std::array<Rgb, 256> colours;
  for (int s = 0; s < 256; ++s) colours[static_cast<std::size_t>(255 - s)] = sky_colour(s);
  canvas.image({colours.data(), 1, 256, 1}, {double(x), double(layout.top)}, width, layout.height);
  frame(canvas, x, layout.top, width, layout.height, layout.unit);
  const auto [name, factor] = unit.readable(std::max(std::abs(limits.low), std::abs(limits.high)));
  const double size = 12 * layout.unit;
  double widest = 0;
  for (int i = 0; i < 5; ++i) {
    const double s = 0.25 * i, y = layout.top + layout.height * (1 - s);
    const double range = (limits.high - limits.low) * factor;
    const double value = limits.low * factor + range * unstretched(kSkyCurve, s);
    // Three digits of the range: equal steps of the label then look equal.
    const int digits = std::clamp(static_cast<int>(std::ceil(2 - std::log10(range) - 1e-9)), 0, 9);
    const bool plain = std::abs(value) < 1e5 && range > 1e-6;
    std::string label = plain ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.3g}", value);
    if (label.find_first_not_of("-0.") == std::string::npos) label.assign(1, '0');
    canvas.line({x + width + 0.0, y}, {x + width + 5 * layout.unit, y}, kBlack, layout.unit);
    canvas.text({x + width + 10 * layout.unit, y}, label, size, kBlack);
    widest = std::max(widest, text_width(label, size));
  }
  if (name.empty()) return;
  canvas.text({x + width + 10 * layout.unit + widest + 1.7 * size, layout.top + 0.5 * layout.height}, name, size,
              kBlack, Align::centre, true);
}

/// All of a picture but what its pixels decide.
struct Figure {
  SkyLayout layout;
  Axes axes;
  SourceMarks marks;
  OutlineMarks outlines;
  std::string note;  ///< of marks that are not drawn
  std::unique_ptr<Canvas> canvas;
  std::future<void> lettered = {};  ///< text is put on the canvas, outside of the sky
};

/// All text but the bar's.
void draw_text(Figure& figure, const std::string& title) {
  const trace::Span span("host", "letters");
  const SkyLayout& layout = figure.layout;
  Canvas& canvas = *figure.canvas;
  const double middle = layout.left + 0.5 * layout.width, base = layout.top + layout.height;
  draw_tick_labels(canvas, layout, figure.axes.bottom, figure.axes.left);
  canvas.text({middle, base + 58 * layout.unit}, figure.axes.bottom_name, 13 * layout.unit, kBlack, Align::centre);
  canvas.text({20 * layout.unit, layout.top + 0.5 * layout.height}, figure.axes.left_name, 13 * layout.unit, kBlack,
              Align::centre, true);
  canvas.text({middle, layout.top - 24 * layout.unit}, title, 15 * layout.unit, kBlack, Align::centre);
  canvas.text({middle, base + 84 * layout.unit}, figure.note, 11 * layout.unit, kBlack, Align::centre);
}

std::unique_ptr<Figure> make_figure(const std::string& path, SkyLayout layout, const ImageHeader& header,
                                    const Catalogue* sources, const PictureOptions& options) {
  const trace::Span span("host", "axes and marks");
  Axes axes = make_axes(layout, header.wcs);
  const double size = 12 * layout.unit;
  double widest = 0;
  for (const Tick& tick : axes.left) widest = std::max(widest, text_width(tick.label, size));
  layout.left = static_cast<int>(std::lround(widest + 60 * layout.unit));
  layout.top = static_cast<int>(std::lround((options.title.empty() ? 24 : 58) * layout.unit));
  SourceMarks marks;
  if (sources != nullptr) marks = mark_sources(layout, *sources, header.wcs, options.progress);
  OutlineMarks outlines = mark_outlines(layout, options.outlines, options.progress);
  std::string note = note_of(marks, outlines);
  const int right = static_cast<int>(std::lround(165 * layout.unit)),
            bottom = static_cast<int>(std::lround((note.empty() ? 78 : 100) * layout.unit));
  auto figure =
      std::make_unique<Figure>(Figure{layout, std::move(axes), std::move(marks), std::move(outlines), std::move(note),
                                      make_canvas(path, layout.left + layout.width + right,
                                                  layout.top + layout.height + bottom, kWhite, options.title)});
  figure->lettered = run_beside([its = figure.get(), &options] { draw_text(*its, options.title); });
  return figure;
}

/// What lies on the sky.
void draw_marks(Figure& figure, const ImageHeader& header) {
  const SkyLayout& layout = figure.layout;
  Canvas& canvas = *figure.canvas;
  canvas.clip({double(layout.left), double(layout.top)}, layout.width, layout.height);
  if (figure.axes.sky) draw_grid(canvas, layout, header.wcs, figure.axes);
  canvas.outlines(figure.marks.outlines, {64, 224, 255, figure.marks.alpha}, figure.marks.thickness);
  draw_outlines(canvas, figure.outlines);
  draw_beam(canvas, layout, header);
  canvas.unclip();
}

/// What lies around it, but for text.
void draw_frame(Figure& figure) {
  const SkyLayout& layout = figure.layout;
  frame(*figure.canvas, layout.left, layout.top, layout.width, layout.height, 1.4 * layout.unit);
  draw_ticks(*figure.canvas, layout, figure.axes.bottom, figure.axes.left);
}

}  // namespace

std::unique_ptr<Canvas> draw_sky_picture(const std::string& path, Shape shape, const PixelRows& rows,
                                         const ImageHeader& header, const Catalogue* sources,
                                         const PictureOptions& options) {
  if (shape.nx < 1 || shape.ny < 1) throw InternalError("draw_sky_picture: an image needs pixels");
  ThreadPool pool(options.threads);
  const SkyLayout layout = make_sky_layout(shape, options.max_side_px);
  auto figured = run_beside([&] { return make_figure(path, layout, header, sources, options); });
  const auto prepared = run_beside(prepare_to_paint);
  const Image values = [&] {
    const trace::Span span("host", "reduce the image for the picture");
    // One to one the rows are as good.
    if (options.peaks && layout.reduce > 1)
      if (const auto peaks = options.peaks(layout.reduce)) return upright_peaks(shape, *peaks, layout.reduce, pool);
    return reduced_peaks(shape, rows, layout.reduce, pool, options.progress);
  }();
  const std::unique_ptr<Figure> figure = figured.get();
  {
    const trace::Span span("host", "draw the picture");
    const DisplayLimits limits = limits_of(values.view(), options, pool);
    const SkyLayout& at = figure->layout;
    prepared.wait();
    const int nx = static_cast<int>(values.shape().nx), ny = static_cast<int>(values.shape().ny);
    const auto pixels = make_large<Rgb>(static_cast<std::size_t>(values.shape().count()));
    const RgbView sky{pixels.get(), nx, ny, nx};
    paint_sky(values.view(), limits, pool, sky);
    figure->lettered.get();
    figure->canvas->image(sky, {double(at.left), double(at.top)}, at.width, at.height);
    draw_marks(*figure, header);
    draw_frame(*figure);
    draw_bar(*figure->canvas, at, header.unit, limits);
  }
  return std::move(figure->canvas);
}

void write_sky_picture(const std::string& path, Shape shape, const PixelRows& rows, const ImageHeader& header,
                       const Catalogue* sources, const PictureOptions& options) {
  save(*draw_sky_picture(path, shape, rows, header, sources, options), path, options.file,
       {options.threads, options.progress});
}

}  // namespace reber
