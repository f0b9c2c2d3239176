// SPDX-License-Identifier: BSD-3-Clause
// Simulated skies: the generator's published words, the noise's promised rms, and the truth against the pixels.
#include "core/studies/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/studies/random.hpp"
#include "core/studies/simulation_bounds.hpp"
#include "kernels/backends.hpp"

namespace reber {
namespace {

std::unique_ptr<Backend> backend_named(const char* name) { return make_backend(name, {}, LogSink()); }

void expect_words(const Philox& words, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  EXPECT_EQ(words.word[0], a);
  EXPECT_EQ(words.word[1], b);
  EXPECT_EQ(words.word[2], c);
  EXPECT_EQ(words.word[3], d);
}

const std::vector<double>& numbers(const Catalogue& catalogue, const char* name) {
  return std::get<std::vector<double>>(catalogue.find(name)->values);
}

SimulationOptions quiet_field() {
  SimulationOptions options;
  options.shape = {160, 200};
  options.rms = 0;
  options.point_sources = 0;
  options.extended_sources = 0;
  return options;
}

TEST(Simulation, philox_gives_the_known_answers_of_its_authors) {
  expect_words(philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  const std::uint64_t ones = ~std::uint64_t{0};
  expect_words(philox(ones, ones, ones), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_words(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e), 0xd16cfe09, 0x94fdcceb, 0x5001e420,
               0x24126ea1);
}

TEST(Simulation, normal_numbers_have_zero_mean_and_unit_variance) {
  constexpr int kPairs = 200000;
  double sum = 0, squares = 0, fourth = 0;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    const NormalPair pair = normal_pair(7, RandomStream::noise, i);
    for (const double value : {pair.first, pair.second}) {
      sum += value;
      squares += value * value;
      fourth += value * value * value * value;
    }
  }
  const double n = 2.0 * kPairs;
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
}

TEST(Simulation, noise_has_the_asked_rms_in_the_middle_and_at_the_edges) {
  SimulationOptions options = quiet_field();
  options.shape = {700, 700};
  options.rms = 1e-3;
  options.rms_rise = 0;
  options.beam = {10.0 / 3600, 6.0 / 3600, 30};
  const auto backend = backend_named("cpu");
  const Image image = simulate(options, *backend, {}).image;
  double all = 0, edge = 0;
  std::int64_t edge_pixels = 0;
  for (std::int64_t y = 0; y < 700; ++y) {
    for (std::int64_t x = 0; x < 700; ++x) {
      const double square = static_cast<double>(image.at(y, x)) * image.at(y, x);
      all += square;
      if (std::min(std::min(x, y), std::min(699 - x, 699 - y)) < 2) {
        edge += square;
        ++edge_pixels;
      }
    }
  }
  // About one independent sample a 17 pixels in the image, one a 4 pixels along the edge strip's length.
  EXPECT_NEAR(std::sqrt(all / 490000), 1e-3, 0.03e-3);
  EXPECT_NEAR(std::sqrt(edge / static_cast<double>(edge_pixels)), 1e-3, 0.15e-3);
}

TEST(Simulation, the_same_options_give_the_same_bits_on_every_backend) {
  SimulationOptions options;
  options.shape = {96, 130};
  options.point_sources = 20;
  options.extended_sources = 3;
  options.rings = 2;
  options.blank_corners = true;
  const auto cpu = backend_named("cpu");
  const SimulatedSky first = simulate(options, *cpu, {});
  const SimulatedSky second = simulate(options, *cpu, {});
  EXPECT_EQ(0, std::memcmp(first.image.data(), second.image.data(), 96 * 130 * sizeof(float)));
  for (const BackendEntry& entry : backend_table()) {
    if (std::string(entry.name) == "reference" || !entry.unavailable({}).empty()) continue;
    const auto backend = entry.make({});
    const SimulatedSky other = simulate(options, *backend, {});
    EXPECT_EQ(0, std::memcmp(first.image.data(), other.image.data(), 96 * 130 * sizeof(float))) << entry.name;
  }
  options.seed = 2;
  EXPECT_NE(0, std::memcmp(first.image.data(), simulate(options, *cpu, {}).image.data(), 96 * 130 * sizeof(float)));
}

TEST(Simulation, more_sources_leave_the_noise_as_it_was) {
  SimulationOptions options = quiet_field();
  options.rms = 1e-3;
  const auto backend = backend_named("cpu");
  const Image noise = simulate(options, *backend, {}).image;
  options.point_sources = 1;
  const SimulatedSky sky = simulate(options, *backend, {});
  const double x = numbers(sky.truth, "x").at(0);
  const std::int64_t far = x < 100 ? 199 : 0;
  EXPECT_EQ(noise.at(5, far), sky.image.at(5, far));
}

TEST(Simulation, a_source_has_its_true_peak_and_flux) {
  SimulationOptions options = quiet_field();
  options.shape = {600, 700};  // wide enough for the source to lie inside whole
  options.extended_sources = 1;
  options.beam = {12.0 / 3600, 8.0 / 3600, 40};
  const auto backend = backend_named("cpu");
  const SimulatedSky sky = simulate(options, *backend, {});
  ASSERT_EQ(sky.truth.rows(), 1);
  double sum = 0, peak = 0;
  for (std::int64_t i = 0; i < options.shape.count(); ++i) {
    sum += sky.image.data()[i];
    peak = std::max<double>(peak, sky.image.data()[i]);
  }
  const double pixel = 2.0 / 3600;
  const double flux = numbers(sky.truth, "Total_flux")[0];
  EXPECT_NEAR(sum * pixel * pixel / options.beam.area_deg2(), flux, 1e-5 * flux);
  EXPECT_NEAR(peak, numbers(sky.truth, "Peak_flux")[0], 0.05 * peak);
}

TEST(Simulation, a_ring_keeps_its_flux_behind_the_beam) {
  SimulationOptions options = quiet_field();
  options.shape = {400, 400};
  options.rings = 1;
  const auto backend = backend_named("cpu");
  const SimulatedSky sky = simulate(options, *backend, {});
  ASSERT_EQ(sky.truth.rows(), 1);
  double sum = 0;
  for (std::int64_t i = 0; i < options.shape.count(); ++i) sum += sky.image.data()[i];
  const double flux = numbers(sky.truth, "Total_flux")[0];
  const double pixel = 2.0 / 3600;
  EXPECT_NEAR(sum * pixel * pixel / options.beam.area_deg2(), flux, 0.02 * flux);
}

TEST(Simulation, a_dirac_grid_is_unit_pulses_and_nothing_else) {
  SimulationOptions options;
  options.scene = SimulationOptions::Scene::dirac_grid;
  options.shape = {64, 96};
  options.grid_step = 32;
  options.rms = 0;
  const auto backend = backend_named("cpu");
  const SimulatedSky sky = simulate(options, *backend, {});
  EXPECT_EQ(sky.truth.rows(), 6);
  double sum = 0;
  for (std::int64_t i = 0; i < options.shape.count(); ++i) sum += sky.image.data()[i];
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(sky.image.at(16, 48), 1);
  for (const std::string& card : sky.cards) {
    EXPECT_EQ(card.size(), 80u);
    EXPECT_EQ(card.find("BMAJ"), std::string::npos);
  }
}

TEST(Simulation, positions_follow_the_header) {
  SimulationOptions options = quiet_field();
  options.point_sources = 3;
  const auto backend = backend_named("cpu");
  const SimulatedSky sky = simulate(options, *backend, {});
  for (std::size_t i = 0; i < 3; ++i) {
    const double north = (numbers(sky.truth, "y")[i] - 79.5) * 2 / 3600;
    EXPECT_NEAR(numbers(sky.truth, "DEC")[i], options.dec_deg + north, 1e-5);
  }
}

TEST(Simulation, wrong_options_are_refused_by_name) {
  const auto backend = backend_named("cpu");
  SimulationOptions options = quiet_field();
  options.shape = {4, 4};
  EXPECT_THROW((void)simulate(options, *backend, {}), InputError);
  options = quiet_field();
  options.pixel_arcsec = -1;
  EXPECT_THROW((void)simulate(options, *backend, {}), InputError);
  options = quiet_field();
  options.rms = NAN;
  EXPECT_THROW((void)simulate(options, *backend, {}), InputError);
}

/// Each number at a bound, beyond it, and where no number is.
TEST(Simulation, EveryNumberHasBounds) {
  const auto refused = [](auto set, auto value) {
    SimulationOptions options;
    options.shape = {16, 16};
    options.point_sources = options.extended_sources = 0;
    set(options) = value;
    try {
      check_bounds(options);
      return false;
    } catch (const InputError&) {
      return true;
    }
  };
  using Options = SimulationOptions;
  const auto real = [&](auto set, double least, double most) {
    for (const double value : {least, most}) EXPECT_FALSE(refused(set, value)) << value;
    const double below = least - std::max(1e-9, 1e-6 * std::abs(least)), above = most * (1 + 1e-6) + 1e-9;
    for (const double value : {below, above, 1e300, -1e300, std::nan(""), 1.0 / 0.0})
      EXPECT_TRUE(refused(set, value)) << value;
  };
  real([](Options& o) -> double& { return o.dec_deg; }, -90, 90);
  real([](Options& o) -> double& { return o.ra_deg; }, -360, 360);
  real([](Options& o) -> double& { return o.rms_rise; }, 0, 1e6);
  real([](Options& o) -> double& { return o.beam.pa_deg; }, -360, 360);
  const auto whole = [&](auto set, std::int64_t least, std::int64_t most) {
    for (const std::int64_t value : {least, most}) EXPECT_FALSE(refused(set, value)) << value;
    for (const std::int64_t value : {least - 1, most + 1, std::int64_t{1} << 62})
      EXPECT_TRUE(refused(set, value)) << value;
  };
  whole([](Options& o) -> std::int64_t& { return o.point_sources; }, 0, 100'000'000);
  whole([](Options& o) -> std::int64_t& { return o.extended_sources; }, 0, 100'000'000);
  whole([](Options& o) -> std::int64_t& { return o.rings; }, 0, 100'000'000);
  whole([](Options& o) -> std::int64_t& { return o.grid_step; }, 1, 1 << 20);
  whole([](Options& o) -> std::int64_t& { return o.shape.ny; }, 8, 1 << 20);
  whole([](Options& o) -> std::int64_t& { return o.shape.nx; }, 8, 1 << 20);
  SimulationOptions options;
  options.dec_deg = 91;
  EXPECT_THROW((void)simulate(options, *backend_named("cpu"), {}), InputError);
}

}  // namespace
}  // namespace reber
