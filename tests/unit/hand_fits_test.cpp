// SPDX-License-Identifier: BSD-3-Clause
// Fits by hand: rows added, merged, split and moved against a known sky, and what is refused.
#include "core/run/pipeline/hand_fits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/run/pipeline/pipeline.hpp"
#include "kernels/backends.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

constexpr std::int64_t kSide = 160;
constexpr double kFwhm = 6;

/// A pair, a single source and one below the threshold, in noise of unit rms smoothed by the beam.
class HandFitTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing_files::TemporaryFolder();
    const std::string path = folder_->file("sky.fits");
    std::vector<float> pixels = noise();
    for (const GaussianComponent& one : truth())
      for (std::int64_t y = 0; y < kSide; ++y)
        for (std::int64_t x = 0; x < kSide; ++x) {
          std::array<double, 6> unused{};
          pixels[static_cast<std::size_t>(y * kSide + x)] +=
              static_cast<float>(one.evaluate(static_cast<double>(x), static_cast<double>(y), unused));
        }
    const std::vector<std::string> cards = testing_files::joined(
        {"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 160", "NAXIS2  = 160"}, testing_files::sky_cards());
    testing_files::save(
        path, testing_files::header(testing_files::joined(cards, {"BUNIT   = 'Jy/beam'", "BMAJ    = 0.0166666666667",
                                                                  "BMIN    = 0.0166666666667", "BPA     = 0.0"})) +
                  testing_files::data_blocks(pixels));
    result_ = new Result(found());
  }
  static Result found() {
    Request request;
    request.input = folder_->file("sky.fits");
    request.program = "reber test";
    request.background.emplace();
    request.detect.emplace();
    request.deepen = 0;
    request.fit.method = FitRequest::Method::gaussian;
    Pipeline pipeline(make_backend("cpu", {}, LogSink()), input_of(request));
    return pipeline.run(request, {});
  }
  static void TearDownTestSuite() {
    delete result_;
    delete folder_;
  }

  static std::vector<GaussianComponent> truth() {
    const Covariance beam{kFwhm * kFwhm, 0, kFwhm * kFwhm};
    return {{60, 60, 60, beam}, {45, 67, 60, beam}, {40, 120, 60, beam}, {4.6, 60, 120, beam}};
  }

  static std::vector<float> noise() {
    testing::Random random(5);
    std::vector<double> now(kSide * kSide), next(now.size());
    for (double& value : now) value = random.normal();
    const double sigma = kFwhm / 2.3548200450309493;
    double power = 0;
    for (int axis = 0; axis < 2; ++axis) {
      for (std::int64_t y = 0; y < kSide; ++y)
        for (std::int64_t x = 0; x < kSide; ++x) {
          double sum = 0;
          for (std::int64_t k = -9; k <= 9; ++k) {
            const std::int64_t at =
                axis == 0 ? y * kSide + (x + k + kSide) % kSide : (y + k + kSide) % kSide * kSide + x;
            sum += std::exp(-0.5 * static_cast<double>(k * k) / (sigma * sigma)) * now[static_cast<std::size_t>(at)];
          }
          next[static_cast<std::size_t>(y * kSide + x)] = sum;
        }
      now.swap(next);
    }
    for (const double value : now) power += value * value / static_cast<double>(now.size());
    std::vector<float> made;
    for (const double value : now) made.push_back(static_cast<float>(value / std::sqrt(power)));
    return made;
  }

  /// The row that stands at a place.
  static const Source* at(const HandRows& rows, double x, double y, double reach = 1) {
    for (std::size_t k = 0; k < rows.sources.size(); ++k)
      if (rows.replaced[k] == 0 && std::hypot(rows.sources[k].x - x, rows.sources[k].y - y) < reach)
        return &rows.sources[k];
    return nullptr;
  }
  static Origin origin(const HandRows& rows, const Source* of) {
    return rows.origin[static_cast<std::size_t>(of - rows.sources.data())];
  }

  static testing_files::TemporaryFolder* folder_;
  static Result* result_;
};
testing_files::TemporaryFolder* HandFitTest::folder_ = nullptr;
Result* HandFitTest::result_ = nullptr;

const HandFit kMerged{Origin::merged, {{60, 60}, {67, 60}}, {}};

TEST_F(HandFitTest, without_any_the_rows_are_the_finders) {
  const HandRows rows = fit_by_hand(*result_, {});
  ASSERT_EQ(rows.sources.size(), 3u);
  EXPECT_EQ(rows.found, 3u);
  EXPECT_EQ(rows.standing().size(), 3u);
  EXPECT_TRUE(rows.rows.empty());
}

TEST_F(HandFitTest, a_source_below_the_threshold_is_added_where_it_is) {
  const HandRows rows = fit_by_hand(*result_, std::vector<HandFit>{{Origin::added, {}, HandPlace{61, 119}}});
  ASSERT_EQ(rows.why_not, std::vector<std::string>{""});
  const Source* added = at(rows, 60, 120, 2);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(origin(rows, added), Origin::added);
  EXPECT_TRUE(added->fitted);
  EXPECT_FALSE(!(std::abs(added->peak - 4.6) <= 3 * added->e_peak)) << added->peak << " +- " << added->e_peak;
  EXPECT_FALSE(!(std::hypot(added->x - 60, added->y - 120) <= 4 * std::hypot(added->e_x, added->e_y)));
  EXPECT_EQ(rows.standing().size(), 4u);
}

TEST_F(HandFitTest, where_there_is_nothing_it_says_so) {
  const HandRows rows = fit_by_hand(
      *result_, std::vector<HandFit>{{Origin::added, {}, HandPlace{20, 100}}, {Origin::added, {}, HandPlace{-9, 20}}});
  ASSERT_EQ(rows.why_not.size(), 2u);
  EXPECT_NE(rows.why_not[0], "");
  EXPECT_NE(rows.why_not[1].find("blank or off the image"), std::string::npos) << rows.why_not[1];
  EXPECT_EQ(rows.sources.size(), 3u);
}

TEST_F(HandFitTest, merged_rows_hold_the_flux_of_both_and_split_they_are_themselves_again) {
  const HandRows merged = fit_by_hand(*result_, std::vector<HandFit>{kMerged});
  ASSERT_EQ(merged.why_not, std::vector<std::string>{""});
  EXPECT_EQ(merged.standing().size(), 2u);
  const Source* both = at(merged, 63, 60, 2);
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(origin(merged, both), Origin::merged);
  // One Gaussian leaves a tenth of the two: its error says so.
  EXPECT_FALSE(!(std::abs(both->total - 105) <= 1.5 * both->e_total)) << both->total << " +- " << both->e_total;
  EXPECT_FALSE(!(both->e_total <= 0.2 * 105)) << both->e_total;
  const HandRows split =
      fit_by_hand(*result_, std::vector<HandFit>{kMerged, {Origin::split, {{both->x, both->y}}, {}, 2}});
  ASSERT_EQ(split.why_not, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(split.standing().size(), 3u);
  for (const auto& [x, peak] : {std::pair(60.0, 60.0), std::pair(67.0, 45.0)}) {
    const Source* one = at(split, x, 60);
    ASSERT_NE(one, nullptr) << x;
    EXPECT_EQ(origin(split, one), Origin::split);
    EXPECT_FALSE(!(std::abs(one->peak - peak) <= 4 * one->e_peak)) << one->peak;
  }
}

TEST_F(HandFitTest, a_point_source_is_not_split) {
  const HandRows rows = fit_by_hand(*result_, std::vector<HandFit>{{Origin::split, {{120, 60}}, {}, 2}});
  ASSERT_EQ(rows.why_not.size(), 1u);
  EXPECT_NE(rows.why_not[0], "");
  EXPECT_EQ(rows.standing().size(), 3u);
}

TEST_F(HandFitTest, a_fit_from_another_place_ends_at_the_source) {
  const HandRows none = fit_by_hand(*result_, {});
  const Source found = *at(none, 120, 60);
  const HandRows rows = fit_by_hand(*result_, std::vector<HandFit>{{Origin::moved, {{120, 60}}, HandPlace{121.5, 61}}});
  ASSERT_EQ(rows.why_not, std::vector<std::string>{""});
  const Source* moved = at(rows, 120, 60);
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(origin(rows, moved), Origin::moved);
  EXPECT_FALSE(!(std::abs(moved->total - found.total) <= 0.3 * found.e_total)) << moved->total << " " << found.total;
  EXPECT_FALSE(!(std::abs(moved->e_peak / found.e_peak - 1) <= 0.05)) << moved->e_peak << " " << found.e_peak;
}

TEST_F(HandFitTest, one_added_beside_others_fits_these_again) {
  // The pair as one by hand, then the fainter one pointed at: its island is fitted whole.
  const HandRows rows = fit_by_hand(*result_, std::vector<HandFit>{{Origin::moved, {{67, 60}}, HandPlace{68, 61}}});
  ASSERT_EQ(rows.why_not, std::vector<std::string>{""});
  const Source *moved = at(rows, 67, 60), *beside = at(rows, 60, 60);
  ASSERT_NE(moved, nullptr);
  ASSERT_NE(beside, nullptr);
  EXPECT_EQ(origin(rows, moved), Origin::moved);
  EXPECT_EQ(origin(rows, beside), Origin::refitted);
  EXPECT_EQ(beside->island, moved->island);
}

TEST_F(HandFitTest, rows_that_are_gone_and_requests_that_cannot_be_are_told) {
  const HandRows rows = fit_by_hand(*result_, std::vector<HandFit>{{Origin::split, {{20, 20}}, {}, 2},
                                                                   {Origin::merged, {{60, 60}, {20, 20}}, {}},
                                                                   {Origin::split, {{60, 60}}, {}, 99},
                                                                   {Origin::merged, {{60, 60}, {120, 60}}, {}}});
  ASSERT_EQ(rows.why_not.size(), 4u);
  EXPECT_EQ(rows.why_not[0], "its row is no longer there");
  EXPECT_EQ(rows.why_not[1], "its rows are one already");
  EXPECT_EQ(rows.why_not[2], "that is not a fit by hand");
  EXPECT_EQ(rows.why_not[3], "its rows are of several islands");
  EXPECT_EQ(rows.standing().size(), 3u);
}

}  // namespace
}  // namespace reber
