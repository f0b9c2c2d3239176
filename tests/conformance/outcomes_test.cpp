// SPDX-License-Identifier: BSD-3-Clause
// One request through two pipelines: every backend's outcomes against the reference's, stage by stage.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/run/pipeline/pipeline.hpp"
#include "tests/support/outcome_comparison.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

TEST(Outcomes, every_stage_of_a_run_is_compared) {
  for (const auto& [stage, word] : kStageWords)
    EXPECT_EQ(std::ranges::count(stage_comparisons(), stage, &StageComparison::stage), 1) << word;
  EXPECT_EQ(stage_comparisons().size(), kStageWords.size());
}

class OutcomesTest : public ::testing::Test {
 protected:
  OutcomesTest() : image_(random_image({260, 240}, 0.01, 21)) {
    for (int i = 0; i < 7; ++i) {
      image_.at(20 + 32 * i, 30 + 28 * i) = 60;
      image_.at(36 + 30 * i, 20 + 28 * i) = -50;
    }
    auto header = std::make_shared<ImageHeader>();
    header->shape = image_.shape();
    header->bitpix = -32;
    header->beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
    input_ = {"noise", {}, memory_source(image_.data(), image_.shape()), header};
    request_.input = input_.path;
    request_.program = "reber test";
    request_.background.emplace();
    request_.background->passes = 1;
    request_.detect.emplace();
    request_.detect->seed = 8;
    request_.fit.method = FitRequest::Method::gaussian;
    request_.negative_too = true;
  }
  [[nodiscard]] Result run(const std::string& name) const {
    return Pipeline(shared_backend(name), input_).run(request_);
  }

  Image image_;
  Input input_;
  Request request_;
};

TEST_F(OutcomesTest, of_every_backend_are_the_references_within_their_bounds) {
  for (const bool convolved : {false, true}) {
    if (convolved) {
      request_.convolve.emplace();
      request_.convolve->kernel = GaussianPixels{2, 2, 0};
    }
    const Result oracle = run("reference");
    for (const std::string& name : tested_backends()) {
      for (const StageCheck& check : compare_outcomes(run(name), oracle))
        EXPECT_TRUE(check.passed) << name << ", " << check.stage << ": " << check.metric << " " << check.worst
                                  << " above " << check.bound;
    }
  }
}

TEST_F(OutcomesTest, that_differ_fail_the_check_of_their_stage) {
  const Result oracle = run("reference");
  const auto failed = [&](const Result& tested) {
    std::vector<std::string> stages;
    for (const StageCheck& check : compare_outcomes(tested, oracle))
      if (!check.passed && std::ranges::find(stages, check.stage) == stages.end()) stages.push_back(check.stage);
    return stages.empty() ? std::string() : stages.front();
  };
  const Request same = request_;
  request_.background->box = 90;
  EXPECT_EQ(failed(run("cpu")), "background");
  request_ = same;
  request_.detect->min_area = 2;
  EXPECT_EQ(failed(run("cpu")), "detect");
  request_ = same;
  request_.calibration.clean_bias = 3;
  EXPECT_EQ(failed(run("cpu")), "judge");
  request_ = same;
  image_.at(0, 0) += 1;
  EXPECT_EQ(failed(run("cpu")), "read");
}

}  // namespace
}  // namespace reber::testing
