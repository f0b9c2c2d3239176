// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of a smooth plane from fewer pixels: as near to the truth as from all.
#include "core/measure/extended/smooth_background.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/detection_planes.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{1203, 1301};

double slope(std::int64_t y, std::int64_t x) {
  return 3 + 0.004 * static_cast<double>(x) - 0.006 * static_cast<double>(y);
}

/// White noise that rises to the right, smoothed down to c_4 (FWHM 21.7 px), on a slope.
std::unique_ptr<Plane> smooth_plane(Backend& backend, std::uint64_t seed) {
  Image image(kShape);
  Random random(seed);
  for (std::int64_t y = 0; y < kShape.ny; ++y)
    for (std::int64_t x = 0; x < kShape.nx; ++x)
      image.at(y, x) = static_cast<float>(40 * (1 + static_cast<double>(x) / 1300) * random.normal());
  std::unique_ptr<Plane> plane = load(backend, image);
  for (int j = 1; j <= 4; ++j) plane = smoothed_by_b3(backend, *plane, j, {});
  Image smooth = store(backend, *plane);
  for (std::int64_t y = 0; y < kShape.ny; ++y)
    for (std::int64_t x = 0; x < kShape.nx; ++x) smooth.at(y, x) += static_cast<float>(slope(y, x));
  return load(backend, smooth);
}

/// Mean and scatter of a map less `truth`, within the outermost nodes.
template <class Truth>
std::pair<double, double> against(const Image& map, const Truth& truth) {
  constexpr std::int64_t kMargin = 140;
  double sum = 0, squares = 0, count = 0;
  for (std::int64_t y = kMargin; y < kShape.ny - kMargin; y += 7)
    for (std::int64_t x = kMargin; x < kShape.nx - kMargin; x += 7) {
      const double off = static_cast<double>(map.at(y, x)) - truth(y, x);
      sum += off, squares += off * off, count += 1;
    }
  return {sum / count, std::sqrt(squares / count - sum / count * (sum / count))};
}

TEST(SmoothBackground, is_as_well_known_from_fewer_pixels) {
  Backend& cpu = *shared_backend("cpu");
  const double wide = 21.7;
  EXPECT_EQ(pixels_apart(wide), 11);
  BackgroundRequest request;
  request.mesh.filter = 1;
  double rms = 0, own = 0, all_scatter = 0, own_scatter = 0, all_noise = 0, own_noise = 0, off = 0;
  constexpr int kSkies = 4;
  for (int sky = 0; sky < kSkies; ++sky) {
    const auto plane = smooth_plane(cpu, 50 + static_cast<std::uint64_t>(sky));
    const BackgroundModel all = measure_background(cpu, *plane, request, wide, {}).model,
                          fewer = thinned_background(cpu, *plane, request, wide, pixels_apart(wide), {});
    EXPECT_EQ(fewer.grid.image, kShape);
    EXPECT_EQ(fewer.grid.ny(), all.grid.ny());
    EXPECT_EQ(fewer.grid.nx(), all.grid.nx());
    const auto rise = [](std::int64_t, std::int64_t x) { return 1 + static_cast<double>(x) / 1300; };
    const auto of = [&](const BackgroundModel& model, MapKind kind) { return render(cpu, kind, *plane, model); };
    const auto level = [&](const BackgroundModel& model) {
      const Image map = of(model, MapKind::rms);
      double sum = 0, squares = 0, count = 0;
      for (std::int64_t y = 140; y < kShape.ny - 140; y += 7)
        for (std::int64_t x = 140; x < kShape.nx - 140; x += 7) {
          const double ratio = static_cast<double>(map.at(y, x)) / rise(y, x);
          sum += ratio, squares += ratio * ratio, count += 1;
        }
      return std::pair(sum / count, std::sqrt(squares / count - sum / count * sum / count) * count / sum);
    };
    const auto [one, its] = level(all);
    const auto [other, others] = level(fewer);
    rms += one, own += other, all_noise += its, own_noise += others;
    const auto [mean, scatter] = against(of(all, MapKind::mean), slope);
    const auto [thin_mean, thin_scatter] = against(of(fewer, MapKind::mean), slope);
    off += thin_mean - mean, all_scatter += scatter, own_scatter += thin_scatter;
  }
  EXPECT_NEAR(own / rms, 1, 0.01) << "the noise is the same";
  EXPECT_LT(own_noise / all_noise, 1.1) << "and scatters no more";
  EXPECT_LT(own_scatter / all_scatter, 1.15) << "so does the background, slope included";
  EXPECT_LT(std::abs(off) / kSkies, 0.02 * rms / kSkies);
}

TEST(SmoothBackground, keeps_to_the_boxes_that_were_asked_for) {
  Backend& cpu = *shared_backend("cpu");
  const auto plane = smooth_plane(cpu, 9);
  BackgroundRequest request;
  request.box = 240;
  const BackgroundModel model = thinned_background(cpu, *plane, request, 21.7, 11, {});
  EXPECT_EQ(model.grid.ny(), 5 + 2) << "of boxes, and at the image's ends, to which the slope is carried on";
  request.box = 40;  // two beams have no noise to measure
  const BackgroundModel chosen = thinned_background(cpu, *plane, {}, 21.7, 11, {});
  EXPECT_EQ(thinned_background(cpu, *plane, request, 21.7, 11, {}).rms, chosen.rms);
  EXPECT_EQ(chosen.grid.ny(), 5 + 2);
  request.box = 20;
  EXPECT_EQ(thinned_background(cpu, *plane, request, 2, 11, {}).rms,
            measure_background(cpu, *plane, request, 2, {}).model.rms)
      << "no fewer than 16 pixels along a side";
  request = {};
  request.method = BackgroundRequest::Method::clip;
  EXPECT_EQ(thinned_background(cpu, *plane, request, 21.7, 11, {}).rms,
            measure_background(cpu, *plane, request, 21.7, {}).model.rms);
}

}  // namespace
}  // namespace reber::testing
