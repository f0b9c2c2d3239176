// SPDX-License-Identifier: BSD-3-Clause
// Statistics, clip, mesh and maps of every backend against the reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Relative difference; equal values (two NaNs too) differ by 0.
double relative(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double difference = std::abs(got - expected) / std::abs(expected);
  return std::isnan(difference) ? kInf : difference;
}

struct NamedImage {
  std::string name;
  Image image;
};

std::vector<NamedImage> images() {
  std::vector<NamedImage> all;
  const auto filled = [](Shape shape, float value) {
    Image image(shape);
    std::fill_n(image.data(), shape.count(), value);
    return image;
  };
  all.push_back({"noise", random_image({257, 303}, 0, 1)});
  all.push_back({"noise with blanks", random_image({128, 128}, 0.4, 2)});
  all.push_back({"one pixel", random_image({1, 1}, 0, 3)});
  all.push_back({"a row", random_image({1, 200}, 0.1, 4)});
  all.push_back({"a column", random_image({200, 1}, 0.1, 5)});
  all.push_back({"constant", filled({70, 70}, 3.25f)});
  all.push_back({"zero", filled({70, 70}, 0.0f)});
  all.push_back({"blank", filled({70, 70}, std::nanf(""))});
  all.push_back({"one finite pixel", filled({70, 70}, std::nanf(""))});
  all.back().image.at(30, 31) = 7;
  Image offset = random_image({200, 200}, 0, 6);
  for (std::int64_t i = 0; i < offset.shape().count(); ++i) offset.data()[i] = 1e6f + 0.25f * offset.data()[i];
  all.push_back({"offset 1e6", std::move(offset)});
  Image huge = random_image({90, 90}, 0, 7);
  for (std::int64_t i = 0; i < huge.shape().count(); ++i)
    huge.data()[i] = std::clamp(huge.data()[i], -3.0f, 3.0f) * 1e38f;
  huge.at(0, 0) = 1e-42f;
  all.push_back({"extremes and denormals", std::move(huge)});
  Image two(Shape{64, 64});
  for (std::int64_t i = 0; i < two.shape().count(); ++i) two.data()[i] = i % 3 == 0 ? -1.0f : 1.0f;
  all.push_back({"two values", std::move(two)});
  return all;
}

TEST(Statistics, agree_with_the_reference_to_1e_12) {
  Backend& reference = backend("reference");
  for (const auto& [label, image] : images()) {
    const auto expected = reference.statistics(*load(reference, image));
    for (const std::string& name : tested_backends())
      for (const std::int64_t band : {std::int64_t{0}, std::int64_t{33}}) {
        SCOPED_TRACE(fmt::format("{}: {} band {}", name, label, band));
        const auto got = backend(name).statistics(*load(backend(name), image, band));
        EXPECT_EQ(got.finite, expected.finite);
        EXPECT_EQ(got.blank, expected.blank);
        EXPECT_EQ(relative(got.min, expected.min), 0);
        EXPECT_EQ(relative(got.max, expected.max), 0);
        EXPECT_EQ(relative(got.median, expected.median), 0);
        // The mean may cancel to nothing: it is held to the spread instead of to itself.
        if (expected.finite > 0) {
          EXPECT_LE(std::abs(got.mean - expected.mean), 1e-12 * (std::abs(expected.mean) + expected.std));
          EXPECT_LE(std::abs(got.std - expected.std), 1e-9 * expected.std + 1e-15 * std::abs(expected.mean));
        }
      }
  }
}

TEST(Clip, keeps_the_same_pixels_in_the_same_rounds_as_the_reference) {
  Backend& reference = backend("reference");
  for (const auto& [label, image] : images())
    for (const double kappa : {3.0, 2.0, 1.5, 5.0}) {
      const ClipOptions options{kappa, 100};
      const auto expected = reference.clip(*load(reference, image), options);
      for (const std::string& name : tested_backends()) {
        SCOPED_TRACE(fmt::format("{}: {} kappa {}", name, label, kappa));
        const auto got = backend(name).clip(*load(backend(name), image), options);
        EXPECT_EQ(got.kept, expected.kept);
        EXPECT_EQ(got.rounds, expected.rounds);
        EXPECT_EQ(got.converged, expected.converged);
        EXPECT_EQ(relative(got.median, expected.median), 0);
        if (expected.kept > 0) {
          EXPECT_LE(std::abs(got.mean - expected.mean), 1e-9 * expected.std + 1e-15 * std::abs(expected.mean));
          EXPECT_LE(std::abs(got.std - expected.std), 1e-9 * expected.std + 1e-15 * std::abs(expected.mean));
        }
      }
    }
}

TEST(Clip, bias_of_gaussian_data_is_as_published) {
  EXPECT_NEAR(clip_bias(3), 0.98485, 1e-5);
  EXPECT_NEAR(clip_bias(2.5), 0.93656, 1e-5);
  EXPECT_NEAR(clip_bias(2), 0.72574, 1e-5);
}

struct Boxes {
  std::int64_t box, step;
};

TEST(Mesh, cells_agree_with_the_reference_and_between_backends) {
  Backend& reference = backend("reference");
  for (const auto& [label, image] : images())
    for (const auto& [box, step] : {Boxes{16, 16}, {50, 50}, {64, 64}, {100, 100}, {130, 130}, {1000, 1000},
                                    {50, 25}, {64, 20}, {150, 60}, {300, 70}}) {
      const MeshGrid grid = MeshGrid::sliding(image.shape(), box, step);
      MeshOptions options;
      options.centre = step < box ? 1 : 2.5;
      const auto expected = reference.mesh(*load(reference, image), grid, options, {});
      MeshCells first;
      for (const std::string& name : tested_backends())
        for (const std::int64_t band : {std::int64_t{0}, std::int64_t{40}}) {
          SCOPED_TRACE(fmt::format("{}: {} box {} step {} band {}", name, label, box, step, band));
          const auto got = backend(name).mesh(*load(backend(name), image, band), grid, options, {});
          ASSERT_EQ(got.mean.size(), expected.mean.size());
          for (std::size_t i = 0; i < got.mean.size(); ++i) {
            ASSERT_EQ(std::isnan(got.rms[i]), std::isnan(expected.rms[i])) << "cell " << i;
            if (std::isnan(got.rms[i])) continue;
            // Both are rounded to float from doubles that agree to 1e-13: a last-bit flip is all that can differ.
            const double size = std::abs(expected.mean[i]) + expected.rms[i];
            ASSERT_LE(std::abs(got.mean[i] - expected.mean[i]), 1.2e-7 * size) << "cell " << i;
            ASSERT_LE(std::abs(got.rms[i] - expected.rms[i]), 1.2e-7 * expected.rms[i] + 1e-14 * size) << "cell " << i;
          }
          if (first.mean.empty()) first = got;
          for (std::size_t i = 0; i < got.mean.size(); ++i) {
            ASSERT_TRUE(got.mean[i] == first.mean[i] || std::isnan(first.mean[i])) << "between backends, cell " << i;
            ASSERT_TRUE(got.rms[i] == first.rms[i] || std::isnan(first.rms[i])) << "between backends, cell " << i;
          }
        }
    }
}

TEST(Maps, background_rms_and_snr_have_the_same_bits_everywhere) {
  Backend& reference = backend("reference");
  for (const Shape shape : {Shape{257, 303}, Shape{1, 200}, Shape{64, 64}, Shape{130, 65}}) {
    const Image image = random_image(shape, 0.05, 8);
    const auto plane = load(reference, image);
    const MeshGrid grid = MeshGrid::sliding(shape, 48, 32);
    const BackgroundModel model = finish_mesh(grid, reference.mesh(*plane, grid, {}, {}), {});
    for (const std::string& name : tested_backends())
      for (const std::int64_t band : {std::int64_t{0}, std::int64_t{19}}) {
        const auto tested = load(backend(name), image, band);
        for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr}) {
          SCOPED_TRACE(fmt::format("{} {}x{} map {} band {}", name, shape.ny, shape.nx, static_cast<int>(kind), band));
          EXPECT_TRUE(same_bits(render(backend(name), kind, *tested, model), render(reference, kind, *plane, model)));
        }
      }
  }
}

TEST(Maps, an_interpolated_rms_lies_between_its_nodes) {
  Backend& cpu = backend("cpu");
  const Shape shape{100, 90};
  const MeshGrid grid = MeshGrid::make(shape, 20);
  BackgroundModel model;
  model.grid = grid;
  Random random(3);
  for (std::int64_t i = 0; i < grid.ny() * grid.nx(); ++i) {
    model.mean.push_back(0);
    model.rms.push_back(i % 2 == 0 ? 1e-6f : static_cast<float>(random.uniform()));
  }
  const auto plane = load(cpu, random_image(shape, 0, 1));
  const Image rms = render(cpu, MapKind::rms, *plane, model);
  const auto [low, high] = std::ranges::minmax(model.rms);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    ASSERT_GE(rms.data()[i], low * (1 - 1e-6f));
    ASSERT_LE(rms.data()[i], high * (1 + 1e-6f));
  }
}

}  // namespace
}  // namespace reber::testing
