// SPDX-License-Identifier: BSD-3-Clause
// Pixels: a layer is drawn as coverage, by OpenCV or Cairo, and then blended.
#include "modules/drawing/raster_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/large_vectors.hpp"
#include "modules/drawing/letters.hpp"

namespace reber::drawn {
namespace {

/// Coordinates that OpenCV takes: 64ths of a pixel.
constexpr int kShift = 6;
constexpr double kParts = 1 << kShift;
/// What OpenCV's smooth line of thickness 1 covers across, and how far a filled shape's rim reaches outwards.
constexpr double kLine = 1.35, kRim = 0.55;
constexpr double kDot = 12;        ///< pixels; smaller discs are dots
constexpr double kFarthest = 1e5;  ///< pixels; larger shapes are no ellipses that a picture shows

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

/// The first x of [x, end) that is covered, or end: most of a row between two lines is not.
int next_covered(const std::uint8_t* covered, int x, int end) {
  for (std::uint64_t eight = 0; x + 8 <= end; x += 8) {
    std::memcpy(&eight, covered + x, sizeof(eight));
    if (eight != 0) break;
  }
  while (x < end && covered[x] == 0) ++x;
  return x;
}

class RasterCanvas final : public Canvas {
 public:
  RasterCanvas(int width, int height, Ink background)
      : stride_((width + 3) / 4 * 4),
        memory_(make_large<Rgb>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))),
        coverage_(make_zeroed(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height))),
        pixels_{memory_.get(), width, height, width},
        window_(0, 0, width, height),
        layer_(height, width, CV_8UC1, coverage_.get(), static_cast<std::size_t>(stride_)),
        surface_(cairo_image_surface_create_for_data(coverage_.get(), CAIRO_FORMAT_A8, width, height, stride_)),
        painter_(cairo_create(surface_.get())) {
    check(cairo_status(painter_.get()));
    const std::unique_ptr<cairo_font_options_t, Destroy> fonts(cairo_font_options_create());
    cairo_font_options_set_antialias(fonts.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(fonts.get(), CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(fonts.get(), CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(painter_.get(), fonts.get());
    std::fill_n(memory_.get(), static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                Rgb{background.red, background.green, background.blue});
  }

  [[nodiscard]] double width() const override { return pixels_.width; }
  [[nodiscard]] double height() const override { return pixels_.height; }

  void polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness, bool closed) override {
    for (const std::vector<Point>& path : paths) {
      for (std::size_t i = 1; i < path.size(); ++i) segment(path[i - 1], path[i], thickness);
      if (closed && path.size() > 1) segment(path.back(), path.front(), thickness);
    }
    blend(ink);
  }

  void outlines(const std::vector<DrawnEllipse>& ellipses, Ink ink, double thickness) override {
    // A line that is thicker than OpenCV's is several beside each other.
    const double wider = std::max(0.0, thickness - kLine);
    const int rings = 1 + static_cast<int>(std::ceil(wider / 0.8));
    for (const DrawnEllipse& ellipse : ellipses)
      for (int k = 0; k < rings; ++k) {
        const double off = rings > 1 ? wider * (k / (rings - 1.0) - 0.5) : 0;
        if (!corners_of(ellipse, off)) continue;
        cv::polylines(layer_(window_), corners_, true, weight_of(thickness), 1, cv::LINE_AA, kShift);
      }
    blend(ink);
  }

  void fill(const std::vector<DrawnEllipse>& ellipses, Ink ink) override {
    for (const DrawnEllipse& ellipse : ellipses) {
      if (ellipse.xx == ellipse.yy && ellipse.xy == 0 && ellipse.xx < kDot * kDot)
        dot(ellipse.centre, std::sqrt(ellipse.xx));
      else if (corners_of(ellipse, -kRim))
        cv::fillConvexPoly(layer_(window_), corners_, 255, cv::LINE_AA, kShift);
    }
    blend(ink);
  }

  void fill_rectangle(Point corner, double width, double height, Ink ink) override {
    if (!finite(corner) || !std::isfinite(width) || !std::isfinite(height)) return;
    bar(corner.x, corner.y, corner.x + width, corner.y + height, 255);
    blend(ink);
  }

  void fill_triangles(const std::vector<Point>& corners, Ink ink) override {
    cairo_t* const to = begin();
    add_triangles(to, corners);
    double left = 0, top = 0, right = 0, bottom = 0;
    cairo_fill_extents(to, &left, &top, &right, &bottom);
    cairo_fill(to);
    end({left, top, right - left, bottom - top}, ink);
  }

  void write(Point at, const std::string& text, Ink ink, const TextLook& look) override {
    if (!finite(at)) return;
    cairo_t* const to = begin();
    end(Letters(to, text, look).show(at, true), ink);
  }

  void image(RgbView from, Point corner, double width, double height) override {
    const cv::Rect at(static_cast<int>(std::lround(corner.x)), static_cast<int>(std::lround(corner.y)),
                      static_cast<int>(std::lround(width)), static_cast<int>(std::lround(height)));
    const auto bytes_a_row = [](const RgbView& view) { return static_cast<std::size_t>(view.stride) * sizeof(Rgb); };
    const cv::Mat source(from.height, from.width, CV_8UC3, from.pixels, bytes_a_row(from));
    const cv::Mat all(pixels_.height, pixels_.width, CV_8UC3, pixels_.pixels, bytes_a_row(pixels_));
    cv::Mat target = all(at);
    cv::resize(source, target, at.size(), 0, 0, cv::INTER_NEAREST);
  }

  void clip(Point c, double w, double h) override {
    const auto edge = [](double at, int last) {
      return static_cast<int>(std::clamp(std::round(at), 0.0, double(last)));
    };
    const int left = edge(c.x, pixels_.width), top = edge(c.y, pixels_.height);
    window_ = {left, top, edge(std::round(c.x) + std::round(w), pixels_.width) - left,
               edge(std::round(c.y) + std::round(h), pixels_.height) - top};
  }
  void unclip() override { window_ = {0, 0, pixels_.width, pixels_.height}; }

  [[nodiscard]] RgbView pixels() const override { return pixels_; }
  [[nodiscard]] std::string finished() override { return {}; }

 private:
  static cv::Scalar weight_of(double thickness) { return std::round(255 * std::clamp(thickness / kLine, 0.0, 1.0)); }

  void touch(double left, double top, double right, double bottom) {
    const auto whole = [](double at, int last) { return static_cast<int>(std::clamp(at, 0.0, double(last))); };
    const cv::Rect its(cv::Point(whole(std::floor(left), pixels_.width), whole(std::floor(top), pixels_.height)),
                       cv::Point(whole(std::ceil(right), pixels_.width), whole(std::ceil(bottom), pixels_.height)));
    touched_ |= its & window_;
  }

  /// Whole pixels, at least one across.
  void bar(double left, double top, double right, double bottom, const cv::Scalar& weight) {
    const auto whole = [](double at) { return static_cast<int>(std::lround(std::clamp(at, -kFarthest, kFarthest))); };
    const cv::Rect its = cv::Rect(cv::Point(whole(left), whole(top)), cv::Point(whole(right), whole(bottom))) & window_;
    if (its.empty()) return;
    layer_(its).setTo(weight);
    touched_ |= its;
  }

  void segment(Point a, Point b, double thickness) {
    if (!finite(a) || !finite(b)) return;
    if (a.x == b.x || a.y == b.y) {  // sharp
      const double half = 0.5 * std::max(1.0, std::round(thickness));
      return bar(std::min(a.x, b.x) - half, std::min(a.y, b.y) - half, std::max(a.x, b.x) + half,
                 std::max(a.y, b.y) + half, std::round(255 * std::min(1.0, thickness)));
    }
    const double half = 0.5 * std::max(0.0, thickness - kLine), length = std::hypot(b.x - a.x, b.y - a.y);
    // What is far outside is cut off first: OpenCV counts in 32 bits.
    const auto part = [](double at) { return static_cast<std::int64_t>(std::clamp(kParts * at, -1e15, 1e15)); };
    const double margin = thickness + 2;
    cv::Point2l from(part(a.x - window_.x - 0.5 + margin), part(a.y - window_.y - 0.5 + margin));
    cv::Point2l to(part(b.x - window_.x - 0.5 + margin), part(b.y - window_.y - 0.5 + margin));
    if (!cv::clipLine(cv::Size2l(part(window_.width + 2 * margin), part(window_.height + 2 * margin)), from, to))
      return;
    touch(std::min(a.x, b.x) - margin, std::min(a.y, b.y) - margin, std::max(a.x, b.x) + margin,
          std::max(a.y, b.y) + margin);
    const auto placed = [&](const cv::Point2l& p, double side) {
      return cv::Point(
          static_cast<int>(std::lround(static_cast<double>(p.x) - kParts * (margin + side * (b.y - a.y) / length))),
          static_cast<int>(std::lround(static_cast<double>(p.y) - kParts * (margin - side * (b.x - a.x) / length))));
    };
    cv::Mat layer = layer_(window_);
    if (half == 0) {
      cv::line(layer, placed(from, 0), placed(to, 0), weight_of(thickness), 1, cv::LINE_AA, kShift);
      return;
    }
    const std::array<cv::Point, 4> quad{placed(from, -half), placed(to, -half), placed(to, half), placed(from, half)};
    cv::fillConvexPoly(layer, quad, 255, cv::LINE_AA, kShift);
    if (thickness < 2) return;  // round ends, which close the corners of a path
    const int radius = static_cast<int>(std::lround(kParts * half));
    for (const cv::Point2l& end : {from, to}) cv::circle(layer, placed(end, 0), radius, 255, -1, cv::LINE_AA, kShift);
  }

  /// A small disc by the distance of its pixels: OpenCV's would have corners.
  void dot(Point c, double radius) {
    const double reach = radius + 0.5;
    if (!finite(c) || !(radius > 0)) return;
    const auto whole = [](double at) { return static_cast<int>(std::clamp(at, -kFarthest, kFarthest)); };
    const cv::Rect its = cv::Rect(cv::Point(whole(std::floor(c.x - reach)), whole(std::floor(c.y - reach))),
                                  cv::Point(whole(std::ceil(c.x + reach)), whole(std::ceil(c.y + reach)))) &
                         window_;
    for (int y = its.y; y < its.br().y; ++y)
      for (int x = its.x; x < its.br().x; ++x) {
        const double covered = std::clamp(reach - std::hypot(x + 0.5 - c.x, y + 0.5 - c.y), 0.0, 1.0);
        auto& cell = layer_.at<std::uint8_t>(y, x);
        cell = std::max(cell, static_cast<std::uint8_t>(std::lround(255 * covered)));
      }
    touched_ |= its;
  }

  /// Corners of an ellipse `off` pixels larger, into corners_.   returns whether there is something to draw
  bool corners_of(const DrawnEllipse& ellipse, double off) {
    auto [major, minor, angle] = half_axes(ellipse);
    const double reach = major + 4;
    const Point c = ellipse.centre;
    if (!finite(c) || !(major > 0) || !(major < kFarthest) || c.x + reach < window_.x || c.y + reach < window_.y ||
        c.x - reach > window_.br().x || c.y - reach > window_.br().y)
      return false;
    major = std::max(major + off, 0.1);
    minor = std::max(minor + off, 0.1);
    // Corners that stay within a tenth of a pixel of the curve.
    const int count = 4 * std::clamp(static_cast<int>(std::ceil(1.8 * std::sqrt(major))), 3, 64);
    corners_.clear();
    for (int k = 0; k < count; ++k) {
      const double t = 2 * std::numbers::pi * k / count, u = major * std::cos(t), v = minor * std::sin(t);
      const double x = c.x + u * std::cos(angle) - v * std::sin(angle);
      const double y = c.y + u * std::sin(angle) + v * std::cos(angle);
      corners_.emplace_back(static_cast<int>(std::lround(kParts * (x - window_.x - 0.5))),
                            static_cast<int>(std::lround(kParts * (y - window_.y - 0.5))));
    }
    touch(c.x - reach, c.y - reach, c.x + reach, c.y + reach);
    return true;
  }

  /// Cairo draws into the layer until end().
  cairo_t* begin() {
    cairo_t* const to = painter_.get();
    cairo_save(to);
    cairo_rectangle(to, window_.x, window_.y, window_.width, window_.height);
    cairo_clip(to);
    return to;
  }
  void end(const cairo_rectangle_t& box, Ink ink) {
    cairo_restore(painter_.get());
    cairo_surface_flush(surface_.get());
    check(cairo_status(painter_.get()));
    touch(box.x - 1, box.y - 1, box.x + box.width + 1, box.y + box.height + 1);
    blend(ink);
    cairo_surface_mark_dirty(surface_.get());
  }

  /// Lays the ink over the pixels and begins a new layer.
  void blend(Ink ink) {
    const int alpha = static_cast<int>(std::lround(std::clamp(ink.alpha, 0.0, 1.0) * 257));  // 255 * 257 = 65535
    for (int y = touched_.y; y < touched_.y + touched_.height; ++y) {
      std::uint8_t* const covered = coverage_.get() + static_cast<std::ptrdiff_t>(y) * stride_;
      Rgb* const row = pixels_.row(y);
      const int first = touched_.x, last = touched_.x + touched_.width;
      for (int x = next_covered(covered, first, last); x < last; x = next_covered(covered, x + 1, last)) {
        const int weight = covered[x] * alpha;
        const auto mixed = [&](int over, int under) {
          return static_cast<std::uint8_t>(under + (((over - under) * weight + 32768) >> 16));
        };
        row[x] = {mixed(ink.red, row[x].red), mixed(ink.green, row[x].green), mixed(ink.blue, row[x].blue)};
      }
      std::memset(covered + first, 0, static_cast<std::size_t>(touched_.width));
    }
    touched_ = {};
  }

  int stride_;  ///< of the coverage, bytes; Cairo asks for a multiple of four
  LargeArray<Rgb> memory_;
  ZeroedBytes coverage_;
  RgbView pixels_;
  cv::Rect window_, touched_;
  cv::Mat layer_;  ///< all of coverage_, as is the surface
  Surface surface_;
  Painter painter_;
  std::vector<cv::Point> corners_;
};

}  // namespace

std::unique_ptr<Canvas> make_raster_canvas(int width, int height, Ink background) {
  cv::setNumThreads(1);
  return std::make_unique<RasterCanvas>(width, height, background);
}

}  // namespace reber::drawn
