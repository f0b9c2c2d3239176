// SPDX-License-Identifier: BSD-3-Clause
// OpenCV as the judge of convolutions, labels and morphology.
#include "modules/opencv/opencv_judge.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace reber {
namespace {

/// OpenCV's words for what stands beyond the image.
int border_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::reflect:
      return cv::BORDER_REFLECT;
    case Boundary::mirror:
      return cv::BORDER_REFLECT_101;
    case Boundary::nearest:
      return cv::BORDER_REPLICATE;
    case Boundary::wrap:
      return cv::BORDER_WRAP;
    case Boundary::zero:
    case Boundary::blank:
      break;
  }
  return cv::BORDER_CONSTANT;
}

cv::Mat column_of(const std::vector<double>& weights) {
  cv::Mat column;
  cv::flip(cv::Mat(static_cast<int>(weights.size()), 1, CV_64F, const_cast<double*>(weights.data())), column, 0);
  return column;
}

cv::Mat mat_of(const std::vector<std::uint8_t>& mask, Shape shape) {
  return {static_cast<int>(shape.ny), static_cast<int>(shape.nx), CV_8U, const_cast<std::uint8_t*>(mask.data())};
}

class OpenCvJudge final : public Judge {
 public:
  [[nodiscard]] std::string name() const override { return std::string("OpenCV ") + CV_VERSION; }

  /// OpenCV correlates: the kernel is turned about, and its centre with it. The image is padded first, since
  /// filter2D() takes no wrapped border.
  [[nodiscard]] std::vector<double> convolve(const std::vector<double>& pixels, Shape shape, const Kernel& kernel,
                                             Boundary boundary, bool factors) const override {
    const int ny = static_cast<int>(shape.ny), nx = static_cast<int>(shape.nx);
    const int ky = static_cast<int>(kernel.shape.ny), kx = static_cast<int>(kernel.shape.nx);
    const cv::Point anchor(kx - 1 - kx / 2, ky - 1 - ky / 2);
    cv::Mat padded, filtered;
    cv::copyMakeBorder(cv::Mat(ny, nx, CV_64F, const_cast<double*>(pixels.data())), padded, anchor.y, ky / 2, anchor.x,
                       kx / 2, border_of(boundary), cv::Scalar(0));
    if (factors && kernel.separable()) {
      cv::sepFilter2D(padded, filtered, CV_64F, column_of(kernel.row), column_of(kernel.column), anchor);
    } else {
      cv::Mat turned;
      cv::flip(cv::Mat(ky, kx, CV_64F, const_cast<double*>(kernel.weights.data())), turned, -1);
      cv::filter2D(padded, filtered, CV_64F, turned, anchor);
    }
    std::vector<double> made(pixels.size());
    filtered(cv::Rect(anchor.x, anchor.y, nx, ny)).copyTo(cv::Mat(ny, nx, CV_64F, made.data()));
    return made;
  }

  [[nodiscard]] std::vector<Component> components(const std::vector<std::uint8_t>& mask, Shape shape, bool corners,
                                                  std::vector<std::int32_t>& labels) const override {
    cv::Mat numbers, statistics, centres;
    const int count =
        cv::connectedComponentsWithStats(mat_of(mask, shape), numbers, statistics, centres, corners ? 8 : 4, CV_32S);
    labels.assign(numbers.begin<std::int32_t>(), numbers.end<std::int32_t>());
    std::vector<Component> found;
    for (int i = 1; i < count; ++i) {
      const auto of = [&](int what) { return static_cast<std::int64_t>(statistics.at<std::int32_t>(i, what)); };
      const std::int64_t y = of(cv::CC_STAT_TOP), x = of(cv::CC_STAT_LEFT);
      found.push_back({of(cv::CC_STAT_AREA), y, x, y + of(cv::CC_STAT_HEIGHT), x + of(cv::CC_STAT_WIDTH)});
    }
    return found;
  }

  [[nodiscard]] std::vector<std::uint8_t> morphology(const std::vector<std::uint8_t>& mask, Shape shape,
                                                     const std::vector<std::uint8_t>& element, Shape element_shape,
                                                     bool dilate) const override {
    cv::Mat made;
    cv::morphologyEx(mat_of(mask, shape), made, dilate ? cv::MORPH_DILATE : cv::MORPH_ERODE,
                     mat_of(element, element_shape), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
    return {made.begin<std::uint8_t>(), made.end<std::uint8_t>()};
  }
};

}  // namespace
}  // namespace reber

const reber::Judge* reber_judge() {
  static const reber::OpenCvJudge judge;
  return &judge;
}
