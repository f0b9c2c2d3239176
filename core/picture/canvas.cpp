// SPDX-License-Identifier: BSD-3-Clause
// Drawing by OpenCV's imgproc, encoding by libpng.
#include "core/picture/canvas.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <opencv2/imgproc.hpp>

#include "core/base/error.hpp"
#include "core/io/atomic_file.hpp"

namespace reber {
namespace {

constexpr int kScale = 2;
/// OpenCV takes coordinates with this many binary digits after the point.
constexpr int kShift = 4;
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

cv::Scalar bgr(Ink ink) { return {double(ink.blue), double(ink.green), double(ink.red)}; }

/// Lines are drawn between centres of fine pixels; a final pixel (x, y) is centred on x + 1/2 in both grids.
cv::Point fixed(Point p) {
  const double unit = 1 << kShift;
  const auto clamp = [](double v) { return std::clamp(v, -4e6, 4e6); };
  return {static_cast<int>(std::lround(clamp((p.x * kScale - 0.5) * unit))),
          static_cast<int>(std::lround(clamp((p.y * kScale - 0.5) * unit)))};
}

int fine_thickness(double thickness) { return std::max(1, static_cast<int>(std::lround(thickness * kScale))); }

/// What points span, in fine pixels.
class Extent {
 public:
  void hold(const std::vector<Point>& points) {
    for (const Point& p : points) {
      const cv::Point at = fixed(p);
      low_ = {std::min(low_.x, at.x), std::min(low_.y, at.y)};
      high_ = {std::max(high_.x, at.x), std::max(high_.y, at.y)};
    }
  }
  /// Empty where there was no point.
  [[nodiscard]] cv::Rect grown(int by) const {
    if (low_.x > high_.x) return {};
    const cv::Point from((low_.x >> kShift) - by, (low_.y >> kShift) - by);
    return {from, cv::Point((high_.x >> kShift) + by + 1, (high_.y >> kShift) + by + 1)};
  }

 private:
  static constexpr int kFar = 1 << 30;
  cv::Point low_{kFar, kFar}, high_{-kFar, -kFar};
};

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

Canvas::Canvas(int width, int height, Ink background)
    : width_(width),
      height_(height),
      pixels_(height * kScale, width * kScale, CV_8UC3, bgr(background)),
      clip_(0, 0, width * kScale, height * kScale) {}

template <class Draw>
void Canvas::lay(cv::Rect touched, Ink ink, const Draw& draw) {
  touched &= clip_;
  if (touched.empty()) return;
  const cv::Point offset(-touched.x * (1 << kShift), -touched.y * (1 << kShift));
  cv::Mat cover(touched.size(), CV_8UC1, cv::Scalar(0));
  draw(cover, offset);
  // Weights in 1/65536 by coverage.
  std::array<int, 256> weights{};
  for (int c = 0; c < 256; ++c)
    weights[static_cast<std::size_t>(c)] = static_cast<int>(std::lround(ink.alpha * c / 255 * 65536));
  const std::array<int, 3> colour{ink.blue, ink.green, ink.red};
  cv::Mat under = pixels_(touched);
  for (int y = 0; y < cover.rows; ++y) {
    const auto* from = cover.ptr<std::uint8_t>(y);
    auto* to = under.ptr<std::uint8_t>(y);
    for (int x = 0; x < cover.cols; ++x) {
      if (from[x] == 0) continue;
      const int weight = weights[from[x]];
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint8_t& value = to[3 * static_cast<std::size_t>(x) + c];
        value = static_cast<std::uint8_t>((value * (65536 - weight) + colour[c] * weight + 32768) >> 16);
      }
    }
  }
}

void Canvas::line(Point a, Point b, Ink ink, double thickness) { polyline({a, b}, ink, thickness); }

void Canvas::polyline(const std::vector<Point>& points, Ink ink, double thickness, bool closed) {
  polylines({points}, ink, thickness, closed);
}

void Canvas::polylines(const std::vector<std::vector<Point>>& paths, Ink ink, double thickness, bool closed) {
  const int wide = fine_thickness(thickness);
  Extent extent;
  for (const std::vector<Point>& path : paths) extent.hold(path);
  lay(extent.grown(wide + 2), ink, [&](cv::Mat& on, cv::Point offset) {
    std::vector<cv::Point> path;
    for (const std::vector<Point>& points : paths) {
      path.clear();
      for (const Point& p : points) path.push_back(fixed(p) + offset);
      cv::polylines(on, path, closed, 255, wide, cv::LINE_AA, kShift);
    }
  });
}

void Canvas::fill(const std::vector<Point>& points, Ink ink) {
  Extent extent;
  extent.hold(points);
  lay(extent.grown(2), ink, [&](cv::Mat& on, cv::Point offset) {
    std::vector<cv::Point> path;
    for (const Point& p : points) path.push_back(fixed(p) + offset);
    cv::fillPoly(on, std::vector<std::vector<cv::Point>>{path}, 255, cv::LINE_AA, kShift);
  });
}

void Canvas::rectangle(Point c, double w, double h, Ink ink, double thickness) {
  polyline({c, {c.x + w, c.y}, {c.x + w, c.y + h}, {c.x, c.y + h}}, ink, thickness, true);
}

void Canvas::fill_rectangle(Point c, double w, double h, Ink ink) {
  fill({c, {c.x + w, c.y}, {c.x + w, c.y + h}, {c.x, c.y + h}}, ink);
}

void Canvas::disc(Point centre, double radius, Ink ink) {
  Extent extent;
  extent.hold({{centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}});
  lay(extent.grown(2), ink, [&](cv::Mat& on, cv::Point offset) {
    cv::circle(on, fixed(centre) + offset, static_cast<int>(std::lround(radius * kScale * (1 << kShift))), 255,
               cv::FILLED, cv::LINE_AA, kShift);
  });
}

void Canvas::place(const cv::Mat& picture, int x, int y) {
  cv::Mat twice;
  cv::resize(picture, twice, {}, kScale, kScale, cv::INTER_NEAREST);
  twice.copyTo(pixels_(cv::Rect(x * kScale, y * kScale, twice.cols, twice.rows)));
}

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
  const cv::Rect target = cv::Rect(corner, mask.size()) & clip_;
  if (target.empty()) return;
  const cv::Mat part = mask(target - corner);
  cv::Mat under = pixels_(target);
  for (int y = 0; y < part.rows; ++y) {
    for (int x = 0; x < part.cols; ++x) {
      const double weight = ink.alpha * part.at<std::uint8_t>(y, x) / 255.0;
      auto& pixel = under.at<cv::Vec3b>(y, x);
      const double colour[3] = {double(ink.blue), double(ink.green), double(ink.red)};
      for (int c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + weight * (colour[c] - pixel[c])));
    }
  }
}

void Canvas::clip(Point corner, double w, double h) {
  const cv::Rect wanted(static_cast<int>(std::lround(corner.x * kScale)),
                        static_cast<int>(std::lround(corner.y * kScale)), static_cast<int>(std::lround(w * kScale)),
                        static_cast<int>(std::lround(h * kScale)));
  clip_ = wanted & cv::Rect(0, 0, pixels_.cols, pixels_.rows);
}

void Canvas::unclip() { clip_ = cv::Rect(0, 0, pixels_.cols, pixels_.rows); }

void Canvas::write_png(const std::string& path, bool overwrite) const {
  AtomicFile file(path, overwrite);
  cv::Mat small, rgb;
  cv::resize(pixels_, small, {width_, height_}, 0, 0, cv::INTER_AREA);
  cv::cvtColor(small, rgb, cv::COLOR_BGR2RGB);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  // Encoded in memory first, so that every byte then goes through the checked writes of AtomicFile.
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<char> encoded(bytes);
  const auto stride = static_cast<png_int_32>(rgb.step[0]);
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, rgb.data, stride, nullptr) == 0) {
    // The room is large enough and nothing is a file: memory is all that can be missing.
    throw DeviceError(std::string("libpng cannot encode the picture: ") + image.message);
  }
  file.write(encoded.data(), bytes);
  file.commit(static_cast<std::int64_t>(bytes));
}

}  // namespace reber
