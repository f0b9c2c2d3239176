// SPDX-License-Identifier: BSD-3-Clause
// Blocks are reduced by rows first, which vector units do; colours come from a table.
#include "core/picture/picture_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace reber {
namespace {

const cv::Vec3b kBlank(150, 146, 146);
/// Entries of the table from place in the range to colour: two hundred per colour.
constexpr int kSteps = 1 << 16;

/// Larger of two values; what is not finite loses.
float larger(float best, float value) {
  return value > best && value <= std::numeric_limits<float>::max() ? value : best;
}

std::vector<cv::Vec3b> colour_table() {
  cv::Mat levels(1, kSteps, CV_8UC1), colours;
  for (int i = 0; i < kSteps; ++i)
    levels.at<std::uint8_t>(0, i) =
        static_cast<std::uint8_t>(std::lround(255 * stretched(kPictureCurve, static_cast<double>(i) / (kSteps - 1))));
  cv::applyColorMap(levels, colours, cv::COLORMAP_INFERNO);
  return {colours.ptr<cv::Vec3b>(0), colours.ptr<cv::Vec3b>(0) + kSteps};
}

}  // namespace

cv::Mat reduced_peaks(ConstImageView image, int reduce, ThreadPool& pool) {
  const auto nx = static_cast<int>((image.shape.nx + reduce - 1) / reduce),
             ny = static_cast<int>((image.shape.ny + reduce - 1) / reduce);
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  cv::Mat out(ny, nx, CV_32FC1);
  pool.for_each(ny, [&](std::int64_t block) {
    std::vector<float> best(static_cast<std::size_t>(image.shape.nx), kNone);
    const std::int64_t last = std::min(image.shape.ny, (block + 1) * reduce);
    for (std::int64_t y = block * reduce; y < last; ++y) {
      const float* const row = image.row(y);
      for (std::size_t x = 0; x < best.size(); ++x) best[x] = larger(best[x], row[x]);
    }
    auto* const to = out.ptr<float>(ny - 1 - static_cast<int>(block));
    for (int cell = 0; cell < nx; ++cell) {
      const auto first = best.begin() + static_cast<std::ptrdiff_t>(cell) * reduce;
      const auto end = cell + 1 < nx ? first + reduce : best.end();
      const float value = *std::max_element(first, end);
      to[cell] = value == kNone ? std::numeric_limits<float>::quiet_NaN() : value;
    }
  });
  return out;
}

cv::Mat coloured(const cv::Mat& values, const DisplayLimits& limits) {
  const std::vector<cv::Vec3b> table = colour_table();
  const double scale = (kSteps - 1) / (limits.high - limits.low);
  cv::Mat out(values.size(), CV_8UC3);
  for (int y = 0; y < values.rows; ++y) {
    const auto* const from = values.ptr<float>(y);
    auto* const to = out.ptr<cv::Vec3b>(y);
    for (int x = 0; x < values.cols; ++x) {
      const double at = std::clamp((from[x] - limits.low) * scale + 0.5, 0.0, kSteps - 1.0);
      to[x] = std::isfinite(from[x]) ? table[static_cast<std::size_t>(at)] : kBlank;
    }
  }
  return out;
}

}  // namespace reber
