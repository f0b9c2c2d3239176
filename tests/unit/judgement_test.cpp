// SPDX-License-Identifier: BSD-3-Clause
// Another library judges the processor's backend: OpenCV agrees, and one that is wrong in an operation is heard.
#include "core/studies/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/files/fits/fits_writer.hpp"
#include "modules/opencv/opencv_judge.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::testing {
namespace {

/// OpenCV, but for one pixel or part of each answer.
class WrongJudge final : public Judge {
 public:
  [[nodiscard]] std::string name() const override { return "wrong"; }
  [[nodiscard]] std::vector<double> convolve(const std::vector<double>& pixels, Shape shape, const Kernel& kernel,
                                             Boundary boundary, bool factors) const override {
    std::vector<double> made = reber_judge()->convolve(pixels, shape, kernel, boundary, factors);
    made[made.size() / 2] += 1e-3;
    return made;
  }
  [[nodiscard]] std::vector<Component> components(const std::vector<std::uint8_t>& mask, Shape shape, bool corners,
                                                  std::vector<std::int32_t>& labels) const override {
    return reber_judge()->components(mask, shape, !corners, labels);
  }
  [[nodiscard]] std::vector<std::uint8_t> morphology(const std::vector<std::uint8_t>& mask, Shape shape,
                                                     const std::vector<std::uint8_t>& element, Shape element_shape,
                                                     bool dilate) const override {
    std::vector<std::uint8_t> made = reber_judge()->morphology(mask, shape, element, element_shape, dilate);
    made.front() ^= 1;
    return made;
  }
};

class JudgementTest : public ::testing::Test {
 protected:
  JudgementTest() : image_(random_image({121, 134}, 0.02, 5)) {
    for (int i = 0; i < 400; ++i)
      image_.at(10 + i / 20, 20 + i % 20) = (i + i / 20) % 3 == 0 ? 30.0f : -30.0f;  // touch at their corners alone
    for (int i = 0; i < 60; ++i)
      image_.at(60 + i / 10, 60 + i % 10) = i / 10 % 5 == 0 || i % 10 % 9 == 0 ? 50.0f : 0.0f;
    write_fits(folder_.file("image.fits"), image_.shape(), {},
               FloatRows([&](std::int64_t y0, std::int64_t ny, float* out) {
                 std::copy_n(image_.data() + y0 * image_.shape().nx, ny * image_.shape().nx, out);
               }),
               true);
    request_.input = folder_.file("image.fits");
  }
  [[nodiscard]] VerificationReport judged_by(const Judge& library) const {
    return judge(request_, backend("cpu"), library, {});
  }

  testing_files::TemporaryFolder folder_;
  Image image_;
  Request request_;
};

TEST_F(JudgementTest, opencv_agrees_at_every_border) {
  for (const Word<Boundary>& row : words<Boundary>)
    for (const char* kernel : {"gaussian:5", "gaussian:9,4,30", "box:4", "tophat:3.5"}) {
      request_.convolve.emplace();
      request_.convolve->kernel = parse_kernel(kernel);
      request_.convolve->boundary = row.value;
      const VerificationReport report = judged_by(*reber_judge());
      EXPECT_TRUE(report.passed()) << row.word << " " << kernel << "\n" << to_text(report);
      EXPECT_GE(report.checks.size(), 12u);
      EXPECT_NE(to_text(report).find("against OpenCV"), std::string::npos);
    }
}

TEST_F(JudgementTest, what_a_judge_says_otherwise_is_told) {
  std::set<std::string> failed;
  for (const StageCheck& check : judged_by(WrongJudge()).checks)
    if (!check.passed) failed.insert(check.stage.substr(0, check.stage.find(' ')));
  EXPECT_EQ(failed, (std::set<std::string>{"convolve", "labels", "mask"}));
}

}  // namespace
}  // namespace reber::testing
