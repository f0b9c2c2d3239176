// SPDX-License-Identifier: BSD-3-Clause
// Which wavelet plane found a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/files/catalogue/catalogue_io.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/run/pipeline/products.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kWide = 320;

/// A round Gaussian.
GaussianComponent round(double peak, double x, double y, double fwhm) {
  return {peak, x, y, {fwhm * fwhm, 0, fwhm * fwhm}};
}

/// The row nearest to a place, within some pixels.
const Source* near(const std::vector<Source>& rows, double x, double y, double reach) {
  const auto away = [&](const Source& s) { return std::hypot(s.x - x, s.y - y); };
  const auto found = std::ranges::min_element(rows, {}, away);
  return found == rows.end() || away(*found) > reach ? nullptr : &*found;
}

class WaveId : public ::testing::Test {
 protected:
  WaveId() : image_({kWide, kWide}), header_(header_of()) {
    const std::array scene{round(60, 60, 60, 4), round(4, 230, 70, 14), round(1.2, 110, 220, 50)};
    Random random(5);
    std::array<double, 6> unused{};
    for (std::int64_t y = 0; y < kWide; ++y)
      for (std::int64_t x = 0; x < kWide; ++x) {
        double value = random.normal();
        for (const GaussianComponent& one : scene)
          value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
        image_.at(y, x) = static_cast<float>(value);
      }
    header_.shape = image_.shape();
    header_.beam = Beam{0.004, 0.004, 0};
    request_.input = "waves";
    request_.program = "reber test";
    request_.background.emplace().method = BackgroundRequest::Method::clip;
    request_.detect.emplace().seed = 9;
    request_.scales.wavelets = 5;
  }
  [[nodiscard]] Result run() const {
    const Input input{
        "waves", {}, memory_source(image_.data(), image_.shape()), std::make_shared<const ImageHeader>(header_)};
    return Pipeline(shared_backend("cpu"), input).run(request_);
  }

  Image image_;
  ImageHeader header_;
  Request request_;
};

TEST_F(WaveId, is_0_for_what_the_image_shows_and_grows_with_the_size_of_the_rest) {
  for (const auto method : {FitRequest::Method::gaussian, FitRequest::Method::moments}) {
    request_.fit.method = method;
    const Result result = run();
    const std::vector<Source>& rows = result.sources();
    const Source *point = near(rows, 60, 60, 2), *small = near(rows, 230, 70, 8), *wide = near(rows, 110, 220, 25);
    ASSERT_TRUE(point != nullptr && small != nullptr && wide != nullptr) << rows.size();
    EXPECT_EQ(point->wave, 0);
    EXPECT_GE(small->wave, 2);
    EXPECT_LE(small->wave, 4);
    EXPECT_EQ(wide->wave, 5);

    const SourceList list = source_list_of(result, {});
    const ListedSources listed{list, result.header()};
    const Catalogue gaul =
        in_columns(make_catalogue(rows, result.header(), {}), rows, ColumnSet::gaul, result.beams(), &listed);
    const auto& ids = std::get<std::vector<std::int64_t>>(gaul.find("Wave_id")->values);
    EXPECT_EQ(*std::ranges::max_element(ids), 5);
    EXPECT_EQ(std::ranges::count(ids, 0), std::ranges::count(rows, 0, &Source::wave));
  }
}

TEST_F(WaveId, is_0_without_wavelets) {
  request_.scales.wavelets = 0;
  request_.scales.fwhm = {0, 20};
  const Result result = run();
  for (const Source& one : result.sources()) EXPECT_EQ(one.wave, 0);
}

}  // namespace
}  // namespace reber::testing
