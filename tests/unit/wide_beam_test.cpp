// SPDX-License-Identifier: BSD-3-Clause
// The noise of an image whose beam is tens of pixels wide is measured like that of any other.
#include <cmath>

#include "core/measure/fitting/noise_weights.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kLarge = 640;

/// Of white noise and a beam of so many pixels.
SourceFitter fitter_for(double beam_px, std::int64_t side) {
  Backend& cpu = backend("cpu");
  Image image({side, side});
  Random random(8);
  for (std::int64_t k = 0; k < image.shape().count(); ++k) image.data()[k] = static_cast<float>(random.normal());
  ImageHeader header = header_of();
  header.shape = image.shape();
  header.beam = Beam{0.001 * beam_px, 0.001 * beam_px, 0};
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header, header.beam);
  fitter.measure_noise(cpu, *plane, background, *cpu.label(*plane, background, {}));
  return fitter;
}

TEST(WideBeam, its_noise_is_measured) {
  for (const double width : {12.0, 20.5, 30.0}) {
    const SourceFitter fitter = fitter_for(width, kLarge);
    ASSERT_TRUE(fitter.noise_measured()) << width;
    EXPECT_NEAR(fitter.errors_noise().at(0, 1), 0, 0.02) << width;
    EXPECT_NEAR(fitter.errors_noise().at(3, -2), 0, 0.02) << width;
    EXPECT_TRUE(ordinary_weights_are_better(backend("cpu"), *fitter.beam_px(), fitter.weights_noise(),
                                            fitter.errors_noise(), {}))
        << width;
  }
}

TEST(WideBeam, says_nothing_where_few_beams_of_noise_are_known) {
  EXPECT_FALSE(fitter_for(50, 200).noise_measured());
  EXPECT_FALSE(fitter_for(60, kLarge).noise_measured());
}

}  // namespace
}  // namespace reber::testing
