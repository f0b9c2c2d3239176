// SPDX-License-Identifier: BSD-3-Clause
// Device calls that fail, each once and for good: the run gives the same sources, or a CardError, never others.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/card_error.hpp"
#include "kernels/backends.hpp"
#include "tests/support/testing.hpp"
#ifdef REBER_HAVE_CUDA
#include "kernels/cuda/device/faults.hpp"
#endif

namespace reber::testing {
namespace {

class CardFaults : public ::testing::Test {
 protected:
  CardFaults() : image_(random_image({200, 180}, 0.01, 33)) {
    for (int i = 0; i < 5; ++i)
      for (int d = -2; d <= 2; ++d) image_.at(20 + 36 * i, 30 + 28 * i + d) = 60;
    auto header = std::make_shared<ImageHeader>();
    header->shape = image_.shape();
    header->bitpix = -32;
    header->beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
    input_ = {"noise", {}, memory_source(image_.data(), image_.shape()), header};
    request_.input = input_.path;
    request_.program = "reber test";
    request_.convolve.emplace();
    request_.convolve->kernel = GaussianPixels{2, 3, 20};
    request_.background.emplace();
    request_.background->box = 32;
    request_.detect.emplace();
    request_.detect->seed = 6;
    request_.fit.method = FitRequest::Method::gaussian;
    request_.fit.threads = 2;
  }

  static void SetUpTestSuite() { ::setenv("REBER_CUDA_TIMEOUT", "2", 0); }
  static void TearDownTestSuite() { ::unsetenv("REBER_CUDA_FITS"); }
  void SetUp() override {
    ::setenv("REBER_CUDA_FITS", "both", 1);  // few fits would be the host's alone
    if (std::ranges::count(tested_backends(), "cuda") == 0) GTEST_SKIP() << "no card";
  }

  /// Peak and place of every source, from a backend of its own.
  [[nodiscard]] std::vector<double> found() const {
    BackendOptions options;
    options.threads = 2;
    const std::shared_ptr<Backend> card = make_backend("cuda", options, LogSink());
    const Result result = Pipeline(card, input_).run(request_);
    std::vector<double> numbers;
    for (const Source& source : result.sources()) numbers.insert(numbers.end(), {source.peak, source.x, source.y});
    return numbers;
  }

  Image image_;
  Input input_;
  Request request_;
};

#ifdef REBER_HAVE_CUDA
TEST_F(CardFaults, of_every_call_end_in_the_same_sources_or_in_a_card_error) {
  const std::vector<double> right = found();
  ASSERT_FALSE(right.empty());
  cuda::plan_fault({});
  ASSERT_EQ(found(), right);
  const std::int64_t calls = cuda::checked_calls();
  ASSERT_GT(calls, 100);
  // Memory, a card in use elsewhere, ECC, an illegal address, a launch that failed, unknown.
  constexpr int kCodes[] = {2, 46, 214, 700, 719, 999};
  std::map<std::string, int> ends;
  int turn = 0;
  for (std::int64_t call = 1; call <= calls; ++call)
    for (const bool for_good : {false, true}) {
      const int code = kCodes[turn++ % 6];
      cuda::plan_fault({call, code, for_good});
      try {
        const std::vector<double> numbers = found();
        EXPECT_EQ(numbers, right) << "call " << call << " gave " << code;
        ++ends["the same sources"];
      } catch (const CardError& error) {
        const bool memory = error.kind == CardError::Kind::memory;
        EXPECT_EQ(memory, code == 2) << error.what();
        ++ends["a CardError"];
      } catch (const DeviceError& error) {
        // The card was refused before it was used.
        EXPECT_NE(std::string(error.what()).find("cannot run here"), std::string::npos) << error.what();
        ++ends["refused"];
      } catch (const std::exception& error) {
        ADD_FAILURE() << "call " << call << " gave " << code << ": " << error.what();
      }
    }
  cuda::plan_fault({});
  EXPECT_EQ(found(), right) << "after all faults";
  for (const auto& [end, count] : ends) std::printf("%s: %d\n", end.c_str(), count);
  EXPECT_GT(ends["a CardError"], calls);
}

/// Every wait but the first calls of a run, so that a card is given up while it is opened, loads and computes.
TEST_F(CardFaults, of_a_card_that_hangs_end_in_a_card_error_after_the_time_allowed) {
  cuda::plan_fault({});
  const std::vector<double> right = found();
  const std::int64_t calls = cuda::checked_calls();
  int refused = 0, errors = 0, nothing_left = 0;
  for (const std::int64_t call : {std::int64_t{1}, calls / 4, calls / 2, calls - 2}) {
    cuda::plan_fault({call, cuda::PlannedFault::kHang, true});
    const auto start = std::chrono::steady_clock::now();
    try {
      // Right where the run waits for nothing after that call.
      EXPECT_EQ(found(), right) << "call " << call << " of " << calls << " hung and nothing was said";
      ++nothing_left;
    } catch (const CardError& error) {
      EXPECT_NE(std::string(error.what()).find("not answered"), std::string::npos) << error.what();
      ++errors;
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot run here"), std::string::npos) << error.what();
      ++refused;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_LT(seconds, 10) << "call " << call;
  }
  cuda::plan_fault({});
  EXPECT_EQ(refused + errors + nothing_left, 4);
  EXPECT_LE(nothing_left, 1);
  EXPECT_GE(errors, 2);
  EXPECT_EQ(found(), right) << "after all hangs";
}
#endif

}  // namespace
}  // namespace reber::testing
