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
  Image slope = random_image({64, 64}, 0, 8);  // within a bright source: no pixel below the tiniest ones
  for (std::int64_t i = 0; i < slope.shape().count(); ++i) {
    float& pixel = slope.data()[i];
    pixel = i % 61 == 0 ? 1e-7f * pixel : 2e-3f + 1e-3f * std::tanh(pixel);
  }
  all.push_back({"some tiny among bright ones", std::move(slope)});
  return all;
}

void expect_same(double some, double all) {
  EXPECT_TRUE(some == all || (std::isnan(some) && std::isnan(all))) << some << " " << all;
}

/// Parts asked for alone have the bits that they have among all statistics, and nothing else is set.
void expect_same_parts(Backend& backend, const Plane& plane, const PlaneStatistics& all) {
  const PlaneStatistics some = backend.statistics(plane, StatisticsParts::mean_and_std);
  EXPECT_EQ(some.finite, all.finite);
  EXPECT_EQ(some.blank, all.blank);
  expect_same(some.mean, all.mean);
  expect_same(some.std, all.std);
  EXPECT_TRUE(std::isnan(some.min) && std::isnan(some.max) && std::isnan(some.median));
  const PlaneStatistics middle = backend.statistics(plane, StatisticsParts::median);
  EXPECT_EQ(middle.finite, all.finite);
  EXPECT_EQ(middle.blank, all.blank);
  expect_same(middle.median, all.median);
  EXPECT_TRUE(std::isnan(middle.min) && std::isnan(middle.max) && std::isnan(middle.mean) && std::isnan(middle.std));
}

TEST(Statistics, agree_with_the_reference_to_1e_12) {
  Backend& reference = backend("reference");
  for (const auto& [label, image] : images()) {
    const auto expected = reference.statistics(*load(reference, image));
    for (const std::string& name : tested_backends())
      for (const std::int64_t band : {std::int64_t{0}, std::int64_t{33}}) {
        SCOPED_TRACE(fmt::format("{}: {} band {}", name, label, band));
        const auto plane = load(backend(name), image, band);
        const auto got = backend(name).statistics(*plane);
        expect_same_parts(backend(name), *plane, got);
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

/// Too large to be sorted whole: a sample decides which pixels need a closer look, and may mislead.
std::vector<NamedImage> large_images() {
  constexpr Shape kShape{520, 513};
  std::vector<NamedImage> all;
  const auto add = [&](const char* name, const auto& rule) {
    Image image = random_image(kShape, 0.02, all.size() + 11);
    for (std::int64_t i = 0; i < kShape.count(); ++i) image.data()[i] = rule(image.data()[i], i);
    all.push_back({name, std::move(image)});
  };
  add("noise", [](float v, std::int64_t) { return v; });
  add("noise about half a sigma", [](float v, std::int64_t) { return v + 0.5f; });
  add("noise on a large offset", [](float v, std::int64_t) { return 1e6f + 0.25f * v; });
  add("many sources", [](float v, std::int64_t i) { return i % 37 < 3 ? v + static_cast<float>(i % 5000) : v; });
  add("few finite pixels", [](float v, std::int64_t i) { return i % 3000 == 7 ? v : std::nanf(""); });
  add("whole numbers", [](float v, std::int64_t) { return std::round(4 * v); });
  add("mostly zeros", [](float v, std::int64_t i) { return i % 5 == 0 ? v : 0.0f; });
  add("zeros of both signs", [](float v, std::int64_t i) { return i % 50 == 0 ? (i % 100 == 0 ? 0.0f : -0.0f) : v; });
  add("positive", [](float v, std::int64_t) { return std::exp(v); });
  add("noise that grows", [](float v, std::int64_t i) { return v * static_cast<float>(1 + i / 513 / 100); });
  add("noise of two depths", [](float v, std::int64_t i) { return i / 513 / 50 % 2 == 0 ? v : v * 1e9f; });
  add("far too tiny", [](float v, std::int64_t) { return v * 1e-37f; });
  add("far too large", [](float v, std::int64_t) { return std::clamp(v, -3.0f, 3.0f) * 1e37f; });
  add("a few huge pixels", [](float v, std::int64_t i) { return i % 90001 == 5 ? 1e30f : v; });
  add("a few tiny pixels", [](float v, std::int64_t i) { return i % 9001 == 5 ? 1e-30f : v; });
  add("brightest pixels last", [](float v, std::int64_t i) { return i > 250000 ? v + 100 : v; });
  add("fine steps", [](float v, std::int64_t) { return std::round(64 * v) / 64; });
  add("the same value often", [](float v, std::int64_t i) {
    return i % 200 == 0 ? 4.0f : (i % 200 == 1 ? -3.5f : (i % 200 == 2 ? 0.001f : v));
  });
  add("two heaps", [](float v, std::int64_t i) { return i % 2 == 0 ? v : v + 6; });
  add("infinite pixels",
      [](float v, std::int64_t i) { return i % 31 == 0 ? (i % 2 == 0 ? HUGE_VALF : -HUGE_VALF) : v; });
  add("one value", [](float, std::int64_t) { return 3.0f; });
  add("two values", [](float, std::int64_t i) { return i % 3 == 0 ? 2.0f : 1.0f; });
  add("mostly blank", [](float v, std::int64_t i) { return i % 20 == 0 ? v : std::nanf(""); });
  add("sources of every size",
      [](float v, std::int64_t i) { return i % 97 == 0 ? std::ldexp(v, static_cast<int>(i / 97 % 240) - 120) : v; });
  add("below the normal floats", [](float v, std::int64_t) { return v * 1e-40f; });
  return all;
}

std::vector<double> numbers_of(Backend& backend, const Plane& plane, const ClipOptions& options) {
  const PlaneStatistics all = backend.statistics(plane);
  expect_same_parts(backend, plane, all);
  const ClipStatistics kept = backend.clip(plane, options);
  return {static_cast<double>(all.finite),
          static_cast<double>(all.blank),
          all.min,
          all.max,
          all.mean,
          all.std,
          all.median,
          static_cast<double>(kept.kept),
          static_cast<double>(kept.rounds),
          kept.converged ? 1.0 : 0.0,
          kept.median,
          kept.mean,
          kept.std};
}

TEST(Clip, of_large_images_has_the_same_bits_on_all_backends_resident_and_streamed) {
  Backend& cpu = backend("cpu");
  for (const auto& [label, image] : large_images())
    for (const ClipOptions options : {ClipOptions{3, 100}, ClipOptions{2.2, 2}}) {
      const std::vector<double> expected = numbers_of(cpu, *load(cpu, image), options);
      for (const std::string& name : tested_backends())
        for (const std::int64_t band : {std::int64_t{0}, std::int64_t{67}}) {
          SCOPED_TRACE(fmt::format("{}: {} band {} kappa {}", name, label, band, options.kappa));
          const auto got = numbers_of(backend(name), *load(backend(name), image, band), options);
          for (std::size_t k = 0; k < got.size(); ++k)
            EXPECT_TRUE(got[k] == expected[k] || (std::isnan(got[k]) && std::isnan(expected[k])))
                << "number " << k << ": " << got[k] << " " << expected[k];
        }
      const auto reference = backend("reference").clip(*load(backend("reference"), image), options);
      EXPECT_EQ(expected[7], static_cast<double>(reference.kept)) << label;
      EXPECT_EQ(expected[8], static_cast<double>(reference.rounds)) << label;
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
    for (const auto& [box, step] : {Boxes{16, 16},
                                    {50, 50},
                                    {64, 64},
                                    {100, 100},
                                    {130, 130},
                                    {1000, 1000},
                                    {50, 25},
                                    {64, 20},
                                    {150, 60},
                                    {300, 70}}) {
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

TEST(Mesh, finished_on_any_backend_has_the_bits_of_the_host) {
  const Image image = random_image({300, 420}, 0.0, 21);
  Image holed = random_image({300, 420}, 0.0, 21);
  for (std::int64_t y = 100; y < 140; ++y)
    for (std::int64_t x = 0; x < 200; ++x) holed.at(y, x) = std::nanf("");
  for (const Image* sky : {&image, static_cast<const Image*>(&holed)})
    for (const int filter : {1, 3, 5, 9, 11}) {
      MeshOptions options;
      options.filter = filter;
      const MeshGrid grid = MeshGrid::make(image.shape(), 20);
      for (const std::string& name : tested_backends()) {
        SCOPED_TRACE(fmt::format("{}: filter {} holes {}", name, filter, sky == &holed));
        const MeshCells cells = backend(name).mesh(*load(backend(name), *sky), grid, options, {});
        const BackgroundModel got = finish_mesh(grid, cells, options);
        const BackgroundModel expected = finish_mesh(grid, {cells.mean, cells.rms}, options);
        EXPECT_EQ(got.mean, expected.mean);
        EXPECT_EQ(got.rms, expected.rms);
      }
    }
}

TEST(Mesh, of_pixels_that_are_hard_to_sort_has_the_same_bits_on_all_backends) {
  constexpr Shape kShape{260, 264};
  for (const std::int64_t box : {12, 32, 64, 128, 200})
    for (const NamedImage& hard : large_images()) {
      Image image(kShape);
      for (std::int64_t y = 0; y < kShape.ny; ++y)
        std::copy_n(hard.image.data() + y * hard.image.shape().nx, kShape.nx, image.data() + y * kShape.nx);
      const MeshGrid grid = MeshGrid::make(kShape, box);
      for (const ClipOptions clip : {ClipOptions{3, 100}, ClipOptions{2, 100}, ClipOptions{3, 1}, ClipOptions{5, 3}}) {
        MeshOptions options;
        options.clip = clip;
        const MeshCells expected = backend("cpu").mesh(*load(backend("cpu"), image), grid, options, {});
        for (const std::string& name : tested_backends()) {
          const MeshCells got = backend(name).mesh(*load(backend(name), image), grid, options, {});
          for (std::size_t i = 0; i < got.mean.size(); ++i) {
            const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
            ASSERT_TRUE(same(got.mean[i], expected.mean[i]) && same(got.rms[i], expected.rms[i]))
                << name << ": " << hard.name << ", box " << box << ", kappa " << clip.kappa << ", cell " << i << ": "
                << got.mean[i] << " " << expected.mean[i] << ", " << got.rms[i] << " " << expected.rms[i];
          }
        }
      }
    }
}

/// Boxes that share their pixels: as wide as a block of a card holds, wider, and of no whole number of steps.
TEST(Mesh, of_boxes_that_overlap_on_hard_pixels_has_the_same_bits_on_all_backends) {
  constexpr Shape kShape{260, 264};
  for (const Boxes& boxes : {Boxes{150, 50}, Boxes{170, 40}, Boxes{96, 32}, Boxes{100, 31}, Boxes{230, 60}})
    for (const NamedImage& hard : large_images()) {
      Image image(kShape);
      for (std::int64_t y = 0; y < kShape.ny; ++y)
        std::copy_n(hard.image.data() + y * hard.image.shape().nx, kShape.nx, image.data() + y * kShape.nx);
      const MeshGrid grid = MeshGrid::sliding(kShape, boxes.box, boxes.step);
      for (const ClipOptions clip : {ClipOptions{3, 100}, ClipOptions{2, 3}}) {
        MeshOptions options;
        options.clip = clip;
        // Each box by itself, as the only one of its grid.
        for (const std::string& name : tested_backends()) {
          SCOPED_TRACE(fmt::format("{}: {}, box {} step {}", name, hard.name, boxes.box, boxes.step));
          const auto plane = load(backend(name), image), host = load(backend("cpu"), image);
          const MeshCells got = backend(name).mesh(*plane, grid, options, {});
          for (std::int64_t j = 0; j < grid.ny(); ++j)
            for (std::int64_t i = 0; i < grid.nx(); ++i) {
              const MeshCells one = backend("cpu").mesh(*host, {kShape, {grid.rows[j]}, {grid.cols[i]}}, options, {});
              const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
              ASSERT_TRUE(same(got.mean[j * grid.nx() + i], one.mean[0])) << "mean of box " << j << ", " << i;
              ASSERT_TRUE(same(got.rms[j * grid.nx() + i], one.rms[0])) << "rms of box " << j << ", " << i;
            }
        }
      }
    }
}

/// Pixels of which most cells need wide lists, and more cells than a card would sort at once.
TEST(Mesh, of_many_skewed_cells_has_the_same_bits_on_all_backends) {
  Image image = random_image({720, 960}, 0.02, 22);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] = std::exp(image.data()[i]);
  const MeshGrid grid = MeshGrid::make(image.shape(), 48);
  for (const ClipOptions clip : {ClipOptions{3, 100}, ClipOptions{2, 100}, ClipOptions{3, 1}}) {
    MeshOptions options;
    options.clip = clip;
    const MeshCells expected = backend("cpu").mesh(*load(backend("cpu"), image), grid, options, {});
    for (const std::string& name : tested_backends())
      for (const std::int64_t band : {std::int64_t{0}, std::int64_t{100}}) {
        SCOPED_TRACE(fmt::format("{} band {} kappa {}", name, band, clip.kappa));
        const MeshCells got = backend(name).mesh(*load(backend(name), image, band), grid, options, {});
        EXPECT_EQ(got.mean, expected.mean);
        EXPECT_EQ(got.rms, expected.rms);
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
