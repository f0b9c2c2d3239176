// SPDX-License-Identifier: BSD-3-Clause
// Decisions of the pipeline that no single stage shows.
#include "core/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/fits/fits_writer.hpp"
#include "core/plan/algorithm_choice.hpp"
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
  explicit NoiseFile(float peak) : path_(::testing::TempDir() + "reber_bright.fits") {
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

PipelineResult smoothed(const std::string& path, const KernelSpec& kernel) {
  Request request;
  request.input = path;
  request.convolve.emplace();
  request.convolve->kernel = kernel;
  request.program = "reber test";
  return run_pipeline(request, backend("cpu"), {}, {});
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

// Which of the two happens depends on the number of threads, by which the quotes differ.
TEST(Pipeline, replaces_an_fft_or_warns_of_it_where_a_source_is_too_bright) {
  const KernelSpec wide = GaussianPixels{60, 45, 20};
  const Report bright = smoothed(NoiseFile(1e7f).path(), wide).report;
  EXPECT_EQ(warns_of_fft(bright), used_fft(bright));
  EXPECT_EQ(gave_up_fft(bright), !used_fft(bright));
  const Report ordinary = smoothed(NoiseFile(100).path(), wide).report;
  EXPECT_TRUE(used_fft(ordinary));
  EXPECT_FALSE(warns_of_fft(ordinary));
}

TEST(Pipeline, finds_nothing_and_says_why_where_there_is_no_noise) {
  Request request;
  const NoiseFile file(5);
  request.input = file.path();
  request.background = BackgroundRequest{};
  request.background->mesh.min_valid = 2;  // no cell can be good
  request.detect = DetectOptions{};
  request.fit.method = FitRequest::Method::moments;
  request.program = "reber test";
  const PipelineResult result = run_pipeline(request, backend("cpu"), {}, {});
  EXPECT_TRUE(result.sources.empty());
  EXPECT_TRUE(std::ranges::any_of(result.report.warnings, [](const std::string& text) {
    return text.find("no cell of the background mesh") != std::string::npos;
  }));
}

}  // namespace
}  // namespace reber::testing
