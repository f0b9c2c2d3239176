// SPDX-License-Identifier: BSD-3-Clause
// Measuring a background: size of the boxes, passes without the sources, two scales, maps of the user, several scales.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/detection_planes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Noise of the given rms a pixel and round sources of 5 px FWHM, 40 px apart.
Image field(Shape shape, double rms, double peak, std::uint64_t seed) {
  Random random(seed);
  Image image(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const double dy = static_cast<double>(y % 40) - 20, dx = static_cast<double>(x % 40) - 20;
      image.at(y, x) =
          static_cast<float>(rms * random.normal() + peak * std::exp(-2.772589 * (dx * dx + dy * dy) / 25));
    }
  return image;
}

double middle(std::vector<float> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(background_stage, boxes_follow_beam_and_image) {
  BackgroundRequest request;
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, 5.0).box, 64);
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, 10.0).box, 120);
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, std::nullopt).box, 64);
  EXPECT_EQ(choose_boxes(request, {200, 4096}, 10.0).box, 100);  // ten beams
  EXPECT_EQ(choose_boxes(request, {100, 100}, 1.0).box, 25);     // a quarter of the side
  request.method = BackgroundRequest::Method::grid;
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, 10.0).box, 240);
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, 10.0).step, 120);
  request.box = 50;
  EXPECT_EQ(choose_boxes(request, {4096, 4096}, 10.0).step, 25);
  request.step = 60;
  EXPECT_THROW((void)choose_boxes(request, {4096, 4096}, 10.0), InputError);
}

TEST(background_stage, a_second_pass_frees_the_noise_of_the_sources) {
  Backend& cpu = backend("cpu");
  const Image image = field({400, 400}, 1, 8, 3);
  const auto plane = load(cpu, image);
  BackgroundRequest request;
  request.passes = 1;
  const double once = middle(measure_background(cpu, *plane, request, 5.0, {}).model.rms);
  request.passes = 2;
  const MeasuredBackground twice = measure_background(cpu, *plane, request, 5.0, {});
  EXPECT_GT(once, 1.02);
  EXPECT_NEAR(middle(twice.model.rms), 1, 0.01);
  EXPECT_NEAR(middle(twice.model.mean), 0, 0.02);
}

/// Noise of unit rms a pixel and exponentials of 18 px, 256 px apart.
Image haloes(Shape shape, double peak) {
  Image image = field(shape, 1, 0, 5);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const double dy = static_cast<double>(y % 256) - 128, dx = static_cast<double>(x % 256) - 128;
      image.at(y, x) += static_cast<float>(peak * std::exp(-std::hypot(dy, dx) / 18));
    }
  return image;
}

TEST(background_stage, what_surrounds_wide_sources_is_no_background) {
  Backend& cpu = backend("cpu");
  const Image image = haloes({1024, 1024}, 30);
  const auto plane = load(cpu, image);
  const BackgroundModel expected = measure_background(cpu, *plane, {}, 5.0, {}).model;
  EXPECT_LT(std::abs(middle(expected.mean)), 0.06);
  EXPECT_LT(std::ranges::max(expected.mean), 0.17);
  EXPECT_NEAR(middle(expected.rms), 1, 0.02);
  for (const std::string& name : tested_backends())
    for (const std::int64_t band : {0, 37}) {
      const auto own = load(backend(name), image, band);
      EXPECT_EQ(measure_background(backend(name), *own, {}, 5.0, {}).model.mean, expected.mean) << name;
    }
}

TEST(background_stage, what_surrounds_sources_on_a_level_that_varies_stays) {
  Backend& cpu = backend("cpu");
  Image image = haloes({1024, 1024}, 30);
  for (std::int64_t y = 0; y < 1024; ++y)
    for (std::int64_t x = 0; x < 1024; ++x) image.at(y, x) += static_cast<float>(static_cast<double>(y) / 200);
  const auto plane = load(cpu, image);
  const BackgroundModel model = measure_background(cpu, *plane, {}, 5.0, {}).model;
  EXPECT_GT(std::ranges::max(model.mean), 5);
}

TEST(background_stage, backends_and_bands_agree_for_every_method) {
  const Image image = field({300, 280}, 1, 60, 4);
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, image);
  for (const auto method : {BackgroundRequest::Method::mesh, BackgroundRequest::Method::grid})
    for (const bool adaptive : {false, true}) {
      BackgroundRequest request;
      request.method = method;
      request.box = 90;
      request.adaptive = adaptive;
      const BackgroundModel expected = measure_background(cpu, *plane, request, 5.0, {}).model;
      EXPECT_TRUE(std::ranges::all_of(expected.rms, [](float rms) { return rms > 0; }));
      for (const std::string& name : tested_backends())
        for (const std::int64_t band : {0, 37}) {
          const auto own = load(backend(name), image, band);
          const BackgroundModel got = measure_background(backend(name), *own, request, 5.0, {}).model;
          EXPECT_EQ(got.mean, expected.mean) << name;
          EXPECT_EQ(got.rms, expected.rms) << name;
        }
    }
}

TEST(background_stage, an_adaptive_background_follows_noise_that_rises_near_a_bright_source) {
  Backend& cpu = backend("cpu");
  const Shape shape{600, 600};
  BackgroundRequest request;
  request.box = 120;
  request.mesh.filter = 1;
  const auto error = [&](double peak) {
    Random random(9);
    Image image(shape);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        const double d = std::hypot(static_cast<double>(y - 300), static_cast<double>(x - 300));
        image.at(y, x) = static_cast<float>((1 + 4 * std::exp(-d * d / 1800)) * random.normal() +
                                            peak * std::exp(-2.772589 * d * d / 25));
      }
    const auto plane = load(cpu, image);
    const BackgroundModel model = measure_background(cpu, *plane, request, 3.0, {}).model;
    return std::abs(render(cpu, MapKind::rms, *plane, model).at(300, 330) / (1 + 4 * std::exp(-0.5)) - 1);
  };
  const double plain = error(600);  // 200 sigma of the noise about it: the default asks for 500
  EXPECT_GT(plain, 0.3);
  EXPECT_LT(error(6000), 0.1);
  request.adaptive = true;
  EXPECT_LT(error(600), 0.5 * plain);
}

TEST(background_stage, an_rms_map_without_noise_is_refused_and_its_bad_pixels_are_told) {
  Backend& cpu = backend("cpu");
  Image map({10, 10});
  std::fill_n(map.data(), 100, 2.0f);
  EXPECT_EQ(check_rms_map(cpu, *load(cpu, map), "m.fits"), "");
  map.at(0, 0) = -1;
  map.at(0, 1) = 0;
  map.at(0, 2) = std::nanf("");
  EXPECT_NE(check_rms_map(cpu, *load(cpu, map), "m.fits").find("m.fits: 3 pixels"), std::string::npos);
  std::fill_n(map.data(), 100, 0.0f);
  EXPECT_THROW((void)check_rms_map(cpu, *load(cpu, map), "m.fits"), DataError);
}

TEST(detection_planes, a_faint_wide_source_is_found_on_a_smoothed_plane) {
  Backend& cpu = backend("cpu");
  const Shape shape{300, 300};
  Image image = field(shape, 1, 0, 6);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x)
      image.at(y, x) += static_cast<float>(
          1.5 *
          std::exp(-2.772589 * (std::pow(static_cast<double>(y - 150), 2) + std::pow(static_cast<double>(x - 140), 2)) /
                   400));
  const auto plane = load(cpu, image);
  const BackgroundRequest boxes;
  const BackgroundModel model = measure_background(cpu, *plane, boxes, 5.0, {}).model;
  EXPECT_EQ(cpu.label(*plane, model, {5, 3}, {})->count(), 0);
  const BackgroundModel flat = BackgroundModel::constant(shape, 0, 1);
  ScaleRequest scales;
  scales.fwhm = {0, 3, 10};
  ScaleRequest wavelets;
  wavelets.wavelets = 4;
  for (const ScaleRequest& request : {scales, wavelets}) {
    const DetectionPlane found = make_detection_plane(cpu, *plane, model, request, boxes, 5.0, false, {});
    const auto islands = cpu.label(*found.snr, flat, {5, 3}, {});
    ASSERT_EQ(islands->count(), 1);
    const IslandSums sums = cpu.measure(*plane, model, *islands)[0];
    EXPECT_NEAR(sums.sx / sums.s + sums.first_x, 140, 3);
    EXPECT_NEAR(sums.sy / sums.s + sums.first_y, 150, 3);
    const DetectionPlane negative = make_detection_plane(cpu, *plane, model, request, boxes, 5.0, true, {});
    EXPECT_EQ(cpu.label(*negative.snr, flat, {5, 3, 1, Connectivity::eight, true}, {})->count(), 0);
  }
  scales.in_beams = true;
  EXPECT_THROW((void)make_detection_plane(cpu, *plane, model, scales, boxes, std::nullopt, false, {}), InputError);
}

TEST(detection_planes, boxes_on_a_wavelet_plane_have_five_filters_a_side) {
  BackgroundRequest asked;
  EXPECT_EQ(boxes_of_wavelet(asked, 5), asked);  // chosen for the plane
  asked.box = 120;
  asked.step = 40;
  asked.adaptive = true;
  EXPECT_EQ(boxes_of_wavelet(asked, 3), asked);
  asked.bright_box = 21;
  asked.bright_step = 5;
  const auto on_plane = [&](int j, std::int64_t box, std::int64_t step, std::int64_t bright_box,
                            std::int64_t bright_step, bool adaptive) {
    BackgroundRequest expected = asked;
    expected.box = box;
    expected.step = step;
    expected.bright_box = bright_box;
    expected.bright_step = bright_step;
    expected.adaptive = adaptive;
    return boxes_of_wavelet(asked, j) == expected;
  };
  // Filters of 5, 9, 17 and 33 px.
  EXPECT_TRUE(on_plane(1, 120, 40, 25, 8, true));
  EXPECT_TRUE(on_plane(2, 120, 40, 45, 15, true));
  EXPECT_TRUE(on_plane(3, 120, 40, 85, 28, false));  // hardly smaller
  EXPECT_TRUE(on_plane(4, 165, 55, 165, 55, false));
}

TEST(detection_planes, scale_zero_alone_is_the_image) {
  Backend& cpu = backend("cpu");
  const Image image = random_image({100, 110}, 0.05, 2);
  const auto plane = load(cpu, image);
  const BackgroundRequest boxes;
  const BackgroundModel model = measure_background(cpu, *plane, boxes, 5.0, {}).model;
  ScaleRequest scales;
  scales.fwhm = {0};
  const DetectionPlane found = make_detection_plane(cpu, *plane, model, scales, boxes, 5.0, false, {});
  EXPECT_TRUE(same_bits(store(cpu, *found.snr), render(cpu, MapKind::snr, *plane, model)));
}

}  // namespace
}  // namespace reber::testing
