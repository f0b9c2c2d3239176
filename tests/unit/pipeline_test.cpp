// SPDX-License-Identifier: BSD-3-Clause
// Decisions of the pipeline that no single stage shows.
#include "core/run/pipeline/pipeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/error.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/seam/plan/algorithm_choice.hpp"
#include "kernels/backends.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

std::vector<ConvolutionQuote> quotes(double direct_ms, double fft_ms) {
  return {{Algorithm::direct, true, "", direct_ms, 0},
          {Algorithm::separable, false, "rotated", 0, 0},
          {Algorithm::fft, true, "", fft_ms, 0}};
}

TEST(AlgorithmChoice, takes_the_cheapest_and_says_what_the_others_cost) {
  const AlgorithmChoice choice = choose_algorithm(quotes(10, 2), {}, 0);
  EXPECT_EQ(choice.algorithm, Algorithm::fft);
  EXPECT_NE(choice.reason.find("direct"), std::string::npos) << choice.reason;
}

TEST(AlgorithmChoice, spares_bright_sources_the_rounding_of_an_fft_at_a_bearable_cost) {
  EXPECT_EQ(choose_algorithm(quotes(10, 2), {}, 2 * kFftDynamicRange).algorithm, Algorithm::direct);
  EXPECT_EQ(choose_algorithm(quotes(100, 2), {}, 2 * kFftDynamicRange).algorithm, Algorithm::fft);
}

/// Unit noise with one pixel of `peak`, as a FITS file that is removed at the end.
class NoiseFile {
 public:
  explicit NoiseFile(float peak) : path_(::testing::TempDir() + fmt::format("reber_bright_{}.fits", ::getpid())) {
    Image image = random_image({256, 256}, 0, 4);
    image.at(128, 128) = peak;
    write_fits(path_, image.shape(), {}, FloatRows([&](std::int64_t y0, std::int64_t ny, float* out) {
                 std::copy_n(image.data() + y0 * image.shape().nx, ny * image.shape().nx, out);
               }),
               true);
  }
  ~NoiseFile() { std::filesystem::remove(path_); }
  NoiseFile(const NoiseFile&) = delete;
  NoiseFile& operator=(const NoiseFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result smoothed(const std::string& path, const KernelSpec& kernel) {
  Request request;
  request.input = path;
  request.convolve.emplace();
  request.convolve->kernel = kernel;
  request.program = "reber test";
  return run_once(shared_backend("cpu"), request);
}

bool warns_of_fft(const Report& report) {
  return std::ranges::any_of(report.warnings,
                             [](const std::string& text) { return text.find("FFT") != std::string::npos; });
}

bool used_fft(const Report& report) {
  return std::ranges::any_of(report.stages,
                             [](const StageReport& stage) { return stage.algorithm.starts_with("fft"); });
}

bool gave_up_fft(const Report& report) {
  return std::ranges::any_of(
      report.facts, [](const Fact& fact) { return fact.second.find("too much for a float FFT") != std::string::npos; });
}

bool took_bright_pixels_apart(const Report& report) {
  return std::ranges::any_of(report.facts, [](const Fact& fact) { return fact.first == "bright pixels"; });
}

// Which of the two happens depends on the number of threads, by which the quotes differ.
TEST(Pipeline, replaces_an_fft_or_takes_bright_pixels_apart_where_a_source_is_too_bright) {
  const KernelSpec wide = GaussianPixels{60, 45, 20};
  const Report bright = smoothed(NoiseFile(1e7f).path(), wide).report;
  EXPECT_EQ(took_bright_pixels_apart(bright), used_fft(bright));
  EXPECT_FALSE(warns_of_fft(bright));
  EXPECT_EQ(gave_up_fft(bright), !used_fft(bright));
  const Report ordinary = smoothed(NoiseFile(100).path(), wide).report;
  EXPECT_TRUE(used_fft(ordinary));
  EXPECT_FALSE(warns_of_fft(ordinary));
  EXPECT_FALSE(took_bright_pixels_apart(ordinary));
}

TEST(Pipeline, finds_nothing_and_says_why_where_there_is_no_noise) {
  Request request;
  const NoiseFile file(std::numeric_limits<float>::quiet_NaN());
  request.input = file.path();
  request.background = BackgroundRequest{};
  request.background->box = 256;
  request.background->mesh.min_valid = 1;  // the one cell has a blank pixel
  request.detect = DetectOptions{};
  request.fit.method = FitRequest::Method::moments;
  request.program = "reber test";
  const Result result = run_once(shared_backend("cpu"), request);
  EXPECT_TRUE(result.sources().empty());
  EXPECT_TRUE(std::ranges::any_of(result.report.warnings, [](const std::string& text) {
    return text.find("no cell of the background mesh") != std::string::npos;
  }));
}

/// Noise with sources of either sign, in memory.
class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() : image_(random_image({200, 180}, 0.01, 3)) {
    for (int i = 0; i < 5; ++i) {
      image_.at(20 + 30 * i, 30 + 25 * i) = 40;
      image_.at(30 + 30 * i, 20 + 25 * i) = -35;
    }
    auto header = std::make_shared<ImageHeader>();
    header->unit = Unit::parse("Jy/beam");
    header->shape = image_.shape();
    header->bitpix = -32;
    header->beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
    input_ = {"noise", {}, memory_source(image_.data(), image_.shape()), header};
    request_.input = input_.path;
    request_.program = "reber test";
    request_.background.emplace();
    request_.detect.emplace();
    request_.fit.method = FitRequest::Method::gaussian;
  }

  using Names = std::vector<std::string>;
  Image image_;
  Input input_;
  Request request_;
};

TEST_F(PipelineTest, runs_the_stages_from_the_first_changed_one_on) {
  Pipeline pipeline(shared_backend("cpu"), input_);
  request_.negative_too = true;
  const Names all{"read", "background", "detect", "measure", "fit", "detect-neg", "measure-neg", "fit-neg"};
  EXPECT_EQ(pipeline.run(request_).stages_run, all);
  EXPECT_EQ(pipeline.run(request_).stages_run, Names{});
  const auto from = [&](std::size_t first) {
    return Names(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  };
  request_.background->box = 40;
  EXPECT_EQ(pipeline.run(request_).stages_run, from(1));
  request_.detect->seed = 6;
  EXPECT_EQ(pipeline.run(request_).stages_run, from(2));
  request_.deblend.contrast = 0.01;
  EXPECT_EQ(pipeline.run(request_).stages_run, (Names{"measure", "fit", "measure-neg", "fit-neg"}));
  request_.fit.keep_noise_peaks = true;
  EXPECT_EQ(pipeline.run(request_).stages_run, (Names{"fit", "fit-neg"}));
  request_.calibration.flux_error = 0.1;
  EXPECT_EQ(pipeline.run(request_).stages_run, Names{});
  request_.convolve.emplace();
  request_.convolve->kernel = GaussianPixels{3, 3, 0};
  EXPECT_EQ(pipeline.run(request_).stages_run.front(), "convolve");
}

TEST_F(PipelineTest, a_kept_stage_tells_in_a_later_result_all_that_it_told_before) {
  image_.at(3, 3) = INFINITY;
  Pipeline pipeline(shared_backend("cpu"), input_);
  const Result first = pipeline.run(request_);
  request_.deblend.contrast = 0.01;
  const Result second = pipeline.run(request_);
  ASSERT_EQ(first.report.warnings.size(), 2U);
  EXPECT_EQ(first.report.warnings[0], "1 infinite pixels count as blank");
  EXPECT_EQ(first.report.warnings[1].find("5 negative peaks above 5 sigma"), 0U)
      << "there are five of -35 in the image";
  EXPECT_EQ(second.report.warnings, first.report.warnings);
  ASSERT_EQ(second.report.stages.size(), first.report.stages.size());
  EXPECT_EQ(second.report.stages[1].wall_ms, first.report.stages[1].wall_ms) << "the time of the run that made it";
  EXPECT_EQ(second.outcomes.background, first.outcomes.background);
  EXPECT_NE(second.outcomes.positive.measured->id, first.outcomes.positive.measured->id);
}

TEST_F(PipelineTest, gives_after_changes_what_a_fresh_one_gives) {
  Pipeline pipeline(shared_backend("cpu"), input_);
  request_.negative_too = request_.reliability = true;
  (void)pipeline.run(request_);
  request_.negative_too = request_.reliability = false;
  (void)pipeline.run(request_);
  request_.negative_too = true;
  request_.background->passes = 1;
  const Result kept = pipeline.run(request_), fresh = Pipeline(shared_backend("cpu"), input_).run(request_);
  EXPECT_EQ(kept.history, fresh.history);
  EXPECT_EQ(kept.report.facts, fresh.report.facts);
  ASSERT_EQ(kept.sources().size(), fresh.sources().size());
  for (std::size_t i = 0; i < kept.sources().size(); ++i) EXPECT_EQ(kept.sources()[i].peak, fresh.sources()[i].peak);
}

TEST_F(PipelineTest, a_result_keeps_its_backend_alive) {
  std::shared_ptr<Backend> own = make_backend("cpu", {}, LogSink());
  const std::weak_ptr<Backend> watched = own;
  Result result = Pipeline(std::move(own), input_).run(request_);
  ASSERT_FALSE(watched.expired());
  EXPECT_FALSE(std::isnan(store(*result.backend, *result.plane()).at(20, 30)));
  result = {};
  EXPECT_TRUE(watched.expired());
}

TEST_F(PipelineTest, several_convolutions_give_what_each_gives_alone) {
  std::vector<Request> requests(3, request_);
  for (int i = 1; i < 3; ++i) {
    requests[i].convolve.emplace();
    requests[i].convolve->kernel = GaussianPixels{2.0 + i, 3, 20};
  }
  Pipeline pipeline(shared_backend("cpu"), input_);
  std::vector<std::size_t> taken;
  const Report all = pipeline.run_each(requests, [&](std::size_t index, const Result& result) {
    taken.push_back(index);
    const Result alone = Pipeline(shared_backend("cpu"), input_).run(requests[index]);
    EXPECT_TRUE(same_bits(store(*result.backend, *result.plane()), store(*alone.backend, *alone.plane())));
    EXPECT_EQ(result.history, alone.history);
    EXPECT_EQ(result.sources().size(), alone.sources().size());
  });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(std::ranges::count(all.stages, "read", &StageReport::name), 1);
}

TEST_F(PipelineTest, tells_each_stage_that_runs_and_leaves_the_backend_free_between_them) {
  Names told;
  int idle = 0;
  RunEvents events;
  events.began = [&](StageId stage, Sign sign) { told.push_back(stage_name(stage, sign)); };
  events.ended = [&](const StageReport& stage) { EXPECT_EQ(stage.name, told.back()); };
  events.idle = [&] { ++idle; };
  request_.fit.method = FitRequest::Method::moments;
  (void)Pipeline(shared_backend("cpu"), input_).run(request_, events);
  EXPECT_EQ(told, (Names{"open", "read", "convolve", "background", "detect", "measure", "judge"}));
  EXPECT_EQ(idle, static_cast<int>(told.size()));
}

TEST_F(PipelineTest, a_stopped_run_keeps_what_was_done) {
  Pipeline pipeline(shared_backend("cpu"), input_);
  std::atomic<bool> stop{false};
  RunEvents events;
  events.progress = Progress({}, &stop);
  events.began = [&](StageId stage, Sign) { stop = stage == StageId::detect; };
  EXPECT_THROW((void)pipeline.run(request_, events), Cancelled);
  EXPECT_EQ(pipeline.run(request_).stages_run.front(), "detect");
}

TEST_F(PipelineTest, refuses_a_request_for_another_image) {
  request_.input = "another";
  EXPECT_THROW((void)Pipeline(shared_backend("cpu"), input_).run(request_), InternalError);
}

}  // namespace
}  // namespace reber::testing
