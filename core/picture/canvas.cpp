// SPDX-License-Identifier: BSD-3-Clause
// Shapes by their coverage, letters by OpenCV.
#include "core/picture/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <opencv2/imgproc.hpp>

#include "core/io/atomic_file.hpp"

namespace reber {
namespace {

/// Text is drawn on half pixels and averaged down, which makes small letters smooth.
constexpr int kScale = 2;
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
/// Height of this font's capitals at scale 1.
constexpr double kCapitals = 21.0;

int refuse(int status, const char*, const char*, const char*, int, void*) {
  if (status == cv::Error::StsNoMem) throw std::bad_alloc();
  return 0;
}

/// Before any picture. OpenCV's own threads throw where the system gives none, and would not keep to --threads; its
/// word for memory that is not there is one of its own.
[[maybe_unused]] const bool kOpencvIsReady = [] {
  cv::setNumThreads(0);  // none, without a start of its library of threads
  cv::redirectError(refuse);
  return true;
}();

/// One run of text of one size.
struct Run {
  std::string text;
  bool raised = false;
  enum class Sign { none, degree, micro } sign = Sign::none;
};

std::vector<Run> split_runs(const std::string& text) {
  std::vector<Run> runs;
  bool raised = false, grouped = false;
  const auto add = [&](char c) {
    if (runs.empty() || runs.back().raised != raised || runs.back().sign != Run::Sign::none)
      runs.push_back({"", raised, Run::Sign::none});
    runs.back().text += c;
    if (raised && !grouped) raised = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == '^') {
      raised = true;
      grouped = next == '{';
      if (grouped) ++i;
    } else if (c == '}' && grouped) {
      raised = grouped = false;
    } else if (c == 0xC2 && (next == 0xB0 || next == 0xB5)) {
      runs.push_back({"", raised, next == 0xB0 ? Run::Sign::degree : Run::Sign::micro});
      ++i;
    } else if (c < 0x80 || c >= 0xC0) {
      add(c >= 32 && c < 127 ? static_cast<char>(c) : '?');
    }
  }
  return runs;
}

double run_size(const Run& run, double size) { return run.raised ? 0.68 * size : size; }

double run_width(const Run& run, double size) {
  const double height = run_size(run, size);
  if (run.sign == Run::Sign::degree) return 0.55 * height;
  int baseline = 0;
  const std::string text = run.sign == Run::Sign::micro ? "u" : run.text;
  return cv::getTextSize(text, kFont, height / kCapitals * 8, 8, &baseline).width / 8.0;
}

/// Draws runs into a single-channel mask whose baseline stands at (x, y) in fine pixels; size in fine pixels.
void draw_runs(cv::Mat& mask, const std::vector<Run>& runs, double x, double y, double size) {
  const int thickness = std::max(1, static_cast<int>(std::lround(size / 10.5)));
  for (const Run& run : runs) {
    const double height = run_size(run, size);
    const double base = run.raised ? y - 0.5 * size : y;
    const cv::Point origin(static_cast<int>(std::lround(x)), static_cast<int>(std::lround(base)));
    if (run.sign == Run::Sign::degree) {
      const double radius = 0.15 * size;
      const cv::Point centre(static_cast<int>(std::lround((x + 0.27 * height) * 16)),
                             static_cast<int>(std::lround((base - height + radius) * 16)));
      cv::circle(mask, centre, static_cast<int>(std::lround(radius * 16)), 255, thickness, cv::LINE_AA, 4);
    } else {
      const std::string text = run.sign == Run::Sign::micro ? "u" : run.text;
      const int weight = thickness;
      cv::putText(mask, text, origin, kFont, height / kCapitals, 255, weight, cv::LINE_AA);
      if (run.sign == Run::Sign::micro) {
        // A micro sign is a u with a tail on its left.
        const cv::Point top(origin.x + static_cast<int>(std::lround(0.19 * height)),
                            origin.y - static_cast<int>(0.5 * height));
        cv::line(mask, top,
                 cv::Point(top.x - static_cast<int>(0.04 * height), origin.y + static_cast<int>(0.3 * height)), 255,
                 weight, cv::LINE_AA);
      }
    }
    x += run_width(run, size);
  }
}

}  // namespace

Canvas::Canvas(int width, int height, Ink background, ThreadPool* pool)
    : memory_(make_large<std::uint8_t>(std::size_t{3} * static_cast<std::size_t>(width) *
                                       static_cast<std::size_t>(height))),
      pixels_(height, width, CV_8UC3, memory_.get()),
      layer_(width, height),
      pool_(pool) {
  const cv::Scalar colour(background.red, background.green, background.blue);
  constexpr int kRows = 64;  // of a thread's turn
  const auto fill = [&](std::int64_t i) {
    const int first = static_cast<int>(i) * kRows;
    pixels_.rowRange(first, std::min(first + kRows, height)).setTo(colour);
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

double Canvas::text_width(const std::string& text, double size) {
  double width = 0;
  for (const Run& run : split_runs(text)) width += run_width(run, size);
  return width;
}

void Canvas::text(Point at, const std::string& text, double size, Ink ink, Align align, bool turned) {
  const std::vector<Run> runs = split_runs(text);
  const double fine = size * kScale;
  double width = 0;
  for (const Run& run : runs) width += run_width(run, fine);
  const int margin = static_cast<int>(std::ceil(fine));
  cv::Mat mask(4 * margin, static_cast<int>(std::ceil(width)) + 2 * margin, CV_8UC1, cv::Scalar(0));
  const double centre = 2.0 * margin;
  draw_runs(mask, runs, margin, centre + 0.5 * fine, fine);
  const double shift = align == Align::left ? 0 : align == Align::centre ? 0.5 * width : width;
  cv::Point corner;
  if (turned) {
    cv::rotate(mask, mask, cv::ROTATE_90_COUNTERCLOCKWISE);
    corner = {static_cast<int>(std::lround(at.x * kScale - centre)),
              static_cast<int>(std::lround(at.y * kScale - (mask.rows - margin - shift)))};
  } else {
    corner = {static_cast<int>(std::lround(at.x * kScale - margin - shift)),
              static_cast<int>(std::lround(at.y * kScale - centre))};
  }
  layer_.stamp(mask, corner.x, corner.y);
  blend(ink);
}

void Canvas::clip(Point corner, double w, double h) {
  const cv::Rect wanted(static_cast<int>(std::lround(corner.x)), static_cast<int>(std::lround(corner.y)),
                        static_cast<int>(std::lround(w)), static_cast<int>(std::lround(h)));
  layer_.limit(wanted & cv::Rect(0, 0, pixels_.cols, pixels_.rows));
}

void Canvas::unclip() { layer_.limit(cv::Rect(0, 0, pixels_.cols, pixels_.rows)); }

void Canvas::write_png(const std::string& path, const FileOptions& how, const PngOptions& options) const {
  AtomicFile file(path, how);
  const std::string encoded = encode_png(pixels_.ptr<std::uint8_t>(), width(), height(), options);
  file.write(encoded);
  options.progress.check();
  file.commit(static_cast<std::int64_t>(encoded.size()));
}

}  // namespace reber
