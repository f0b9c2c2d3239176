// SPDX-License-Identifier: BSD-3-Clause
// What scripts ask of the pixels on the screen.
#include "gui/script/picture_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/environment.hpp"
#include "gui/render/png.hpp"

namespace reber::gui {
namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

ScreenPicture ScreenPicture::part(const ScreenRect& area) const {
  const int x0 = std::clamp(static_cast<int>(area.x), 0, width), y0 = std::clamp(static_cast<int>(area.y), 0, height);
  ScreenPicture made{std::clamp(static_cast<int>(area.width), 0, width - x0),
                     std::clamp(static_cast<int>(area.height), 0, height - y0),
                     {}};
  for (int y = y0; y < y0 + made.height; ++y) {
    const auto row = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * width + x0);
    made.rgb.insert(made.rgb.end(), row, row + 3 * static_cast<std::ptrdiff_t>(made.width));
  }
  return made;
}

std::string differs_from_file(const ScreenPicture& picture, const std::string& path) {
  constexpr int kMuch = 40;
  constexpr double kPart = 0.01, kMean = 2;
  if (environment(Variable::write_pictures) != nullptr) {
    write_png(path, picture.width, picture.height, 3, picture.rgb.data());
    return "";
  }
  int then_nx = 0, then_ny = 0;
  const auto then = read_png(path, then_nx, then_ny);
  if (then_nx != picture.width || then_ny != picture.height)
    return fmt::format("{}: it is {} x {} pixels, the canvas {} x {}", path, then_nx, then_ny, picture.width,
                       picture.height);
  double sum = 0;
  std::size_t much = 0;
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    const int away = std::abs(static_cast<int>(picture.rgb[i]) - static_cast<int>(then[i]));
    sum += away;
    if (away > kMuch) ++much;
  }
  const auto count = static_cast<double>(picture.rgb.size());
  if (sum / count <= kMean && static_cast<double>(much) / count <= kPart) return "";
  return fmt::format("{}: the canvas differs by {:.2f} of 255 on average, {:.2f} % of it by more than {}", path,
                     sum / count, 100 * static_cast<double>(much) / count, kMuch);
}

double contrast_at(const ScreenPicture& picture, ScreenPoint at) {
  constexpr int kReach = 20, kInner = 3, kNear = 1;
  const int x0 = static_cast<int>(std::lround(at.x)), y0 = static_cast<int>(std::lround(at.y));
  double best = 0;
  std::vector<double> around;
  for (int y = std::max(0, y0 - kReach); y <= std::min(picture.height - 1, y0 + kReach); ++y)
    for (int x = std::max(0, x0 - kReach); x <= std::min(picture.width - 1, x0 + kReach); ++x) {
      const unsigned char* rgb =
          &picture.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                            static_cast<std::size_t>(x))];
      const double luminance = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
      const int away = std::max(std::abs(x - x0), std::abs(y - y0));
      if (away <= kNear) best = std::max(best, luminance);
      if (away > kInner) around.push_back(luminance);
    }
  const double middle = median_of(around);
  for (double& value : around) value = std::abs(value - middle);
  return (best - middle) / std::max(1.0, 1.4826 * median_of(around));
}

int colour_at(const ScreenPicture& picture, ScreenPoint at, char colour) {
  const int x = static_cast<int>(at.x), y = static_cast<int>(at.y);
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return -1;
  const std::size_t channel = colour == 'r' ? 0 : colour == 'g' ? 1 : 2;
  return picture
      .rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)) +
           channel];
}

}  // namespace reber::gui
