// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits: every backend ends where the reference ends; cpu and cuda give the same bits, whatever else is in the
// batch.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/backends.hpp"
#include "kernels/shared/fit_problem.hpp"
#include "kernels/shared/fit_sizes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Pixels where the components stand above `level`, with white noise of unit rms and local rms between 0.8 and 1.2.
FitPixels island(const std::vector<GaussianComponent>& truth, double level, std::int32_t side, double noise,
                 Random& random) {
  FitPixels pixels;
  std::array<double, 6> unused{};
  for (std::int32_t y = 0; y < side; ++y)
    for (std::int32_t x = 0; x < side; ++x) {
      double value = 0;
      for (const GaussianComponent& one : truth) value += one.evaluate(x, y, unused);
      if (!(value > level)) continue;
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.value.push_back(value + noise * random.normal());
      pixels.rms.push_back(0.8 + 0.4 * random.uniform());
    }
  return pixels;
}

FitBatch empty_batch() {
  FitBatch batch;
  batch.weights = NoiseCorrelation::of_shape(sky_covariance(5, 4, 30));
  batch.errors = NoiseCorrelation::of_shape(sky_covariance(6.5, 6, 10));
  return batch;
}

void add_random(FitBatch& batch, Random& random, std::int32_t side, int components, bool correlated, bool shape_free) {
  std::vector<GaussianComponent> truth, start;
  std::vector<FitBounds> bounds;
  for (int k = 0; k < components; ++k) {
    const double middle = 0.5 * side, spread = 0.12 * side * (components > 1 ? 1 : 0.2);
    const auto around = [&](double at, double by) { return at + by * (2 * random.uniform() - 1); };
    GaussianComponent one{20 + 80 * random.uniform(), around(middle, spread), around(middle, spread),
                          sky_covariance(5 + 0.1 * side * random.uniform(), 4.5, 180 * random.uniform())};
    truth.push_back(one);
    one.peak *= around(1, 0.2);
    one.x = around(one.x, 0.6), one.y = around(one.y, 0.6);
    one.fwhm2 = shape_free ? sky_covariance(5.5, 5, 0) : one.fwhm2;
    start.push_back(one);
    bounds.push_back({3, 3, 2.0 * side, shape_free});
  }
  batch.add(island(truth, 3, side, 1, random), start, bounds, correlated);
}

/// Two sources wider than their bounds allow: steps are cut back and refused until the rounds end.
void add_cramped(FitBatch& batch, Random& random) {
  const std::vector<GaussianComponent> truth{{90, 14, 15, sky_covariance(9, 5, 20)},
                                             {60, 22, 19, sky_covariance(8, 6, 70)}};
  std::vector<GaussianComponent> start = truth;
  for (GaussianComponent& one : start) one.x += 0.7, one.fwhm2 = sky_covariance(5.5, 5, 40);
  for (const bool correlated : {true, false})
    for (const double most : {5.6, 6.5, 7.5})
      batch.add(island(truth, 3, 37, 1, random), start, {{0.8, 4, most, true}, {0.4, 4, most, true}}, correlated);
}

/// Who solves the fits of a card while it lives: as in REBER_CUDA_FITS. Nothing to other backends.
class SolvedBy {
 public:
  explicit SolvedBy(const char* who) { ::setenv("REBER_CUDA_FITS", who, 1); }
  ~SolvedBy() { ::unsetenv("REBER_CUDA_FITS"); }
  SolvedBy(const SolvedBy&) = delete;
  SolvedBy& operator=(const SolvedBy&) = delete;
};
constexpr const char* kSolvers[] = {"card", "host", "both", "cost"};

/// Problems of every kind and size, some of which cannot be solved.
const FitBatch& zoo() {
  static const FitBatch batch = [] {
    FitBatch all = empty_batch();
    Random random(2718);
    for (int i = 0; i < 60; ++i)
      add_random(all, random, 16 + i % 20, 1 + (i % 5 == 4 ? i % 3 : 0), i % 4 != 3, i % 7 != 6);
    for (const bool correlated : {true, false}) {
      add_random(all, random, 60, 3, correlated, true);
      add_random(all, random, 60, 12, correlated, true);
      add_random(all, random, 90, 1, correlated, true);
    }
    const GaussianComponent round{50, 10, 10, sky_covariance(5, 5, 0)};
    const FitBounds bounds{3, 3, 30, true};
    const FitPixels clean = island({round}, 3, 21, 0, random);
    FitPixels odd = clean;
    odd.value[5] = std::numeric_limits<double>::quiet_NaN();
    all.add(odd, {round}, {bounds}, true);
    odd = clean, odd.rms[3] = 0;
    all.add(odd, {round}, {bounds}, false);
    odd = clean, std::ranges::fill(odd.value, 0.0);  // nothing there: the peak falls to its bound
    all.add(odd, {round}, {bounds}, true);
    all.add(clean, {round, round}, {bounds, bounds}, false);  // two in one place: no unique answer
    all.add(island({round}, 46, 21, 0, random), {round}, {bounds}, true);
    all.add({}, {round}, {bounds}, true);
    all.add(clean, {}, {}, true);
    FitPixels far = clean;
    for (std::int32_t& x : far.x) x += 90000;
    all.add(far, {{40, 90010.4, 9.7, sky_covariance(6, 6, 0)}}, {bounds}, true);
    add_cramped(all, random);
    return all;
  }();
  return batch;
}

::testing::AssertionResult same_component(const FittedGaussian& a, const FittedGaussian& b) {
  const GaussianComponent &g = a.component, &h = b.component;
  const double left[] = {g.peak, g.x, g.y, g.fwhm2.xx, g.fwhm2.xy, g.fwhm2.yy};
  const double right[] = {h.peak, h.x, h.y, h.fwhm2.xx, h.fwhm2.xy, h.fwhm2.yy};
  if (std::memcmp(left, right, sizeof(left)) == 0 && a.at_bound == b.at_bound &&
      std::memcmp(a.covariance.data(), b.covariance.data(), sizeof(a.covariance)) == 0)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format("peak {} {} x {} {} Cxx {} {}", g.peak, h.peak, g.x, h.x,
                                                      g.fwhm2.xx, h.fwhm2.xx);
}

void expect_same_problem(const FitResults& got, const FitProblem& here, std::size_t i, const FitResults& expected,
                         const FitProblem& there, std::size_t j) {
  const FitOutcome &a = got.problems[i], &b = expected.problems[j];
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.rounds, b.rounds);
  if (a.status != FitStatus::settled) return;
  EXPECT_EQ(a.chi2, b.chi2);
  EXPECT_EQ(a.rest, b.rest);
  EXPECT_EQ(a.rest_over_rms2, b.rest_over_rms2);
  for (std::int64_t k = 0; k < here.components; ++k)
    EXPECT_TRUE(same_component(got.components[static_cast<std::size_t>(here.first_component + k)],
                               expected.components[static_cast<std::size_t>(there.first_component + k)]));
}

TEST(Fits, end_where_the_reference_ends) {
  const SolvedBy card("card");
  const FitBatch& batch = zoo();
  const FitResults expected = backend("reference").fits().fit(batch, {});
  EXPECT_GT(std::ranges::count(expected.problems, FitStatus::settled, &FitOutcome::status), 60);
  for (const std::string& name : tested_backends()) {
    const FitResults got = backend(name).fits().fit(batch, {});
    ASSERT_EQ(got.problems.size(), expected.problems.size());
    for (std::size_t i = 0; i < batch.problems.size(); ++i) {
      SCOPED_TRACE(fmt::format("{} problem {} of {} pixels", name, i, batch.problems[i].pixels));
      const FitOutcome &a = got.problems[i], &b = expected.problems[i];
      ASSERT_EQ(a.status, b.status);
      if (a.status != FitStatus::settled) continue;
      EXPECT_LE(std::abs(a.chi2 - b.chi2), 1e-6 * std::max(1.0, b.chi2));
      EXPECT_LE(std::abs(a.rest - b.rest), 1e-4 * std::max(1.0, b.rest));
      for (std::int64_t k = 0; k < batch.problems[i].components; ++k) {
        const auto at = static_cast<std::size_t>(batch.problems[i].first_component + k);
        const FittedGaussian &g = got.components[at], &h = expected.components[at];
        EXPECT_EQ(g.at_bound, h.at_bound);
        const double sigma[] = {std::sqrt(h.covariance[0][0]), std::sqrt(h.covariance[1][1]),
                                std::sqrt(h.covariance[2][2]), std::sqrt(h.covariance[3][3])};
        EXPECT_LE(std::abs(g.component.peak - h.component.peak), 1e-3 * sigma[0]);
        EXPECT_LE(std::abs(g.component.x - h.component.x), 1e-3 * sigma[1]);
        EXPECT_LE(std::abs(g.component.y - h.component.y), 1e-3 * sigma[2]);
        EXPECT_LE(std::abs(g.component.fwhm2.xx - h.component.fwhm2.xx), 1e-3 * sigma[3] + 1e-9);
        for (std::size_t a6 = 0; a6 < 6; ++a6) {
          const double error = h.covariance[a6][a6];
          EXPECT_LE(std::abs(g.covariance[a6][a6] - error), 1e-3 * error);
        }
      }
    }
  }
}

TEST(Fits, give_the_same_bits_on_every_backend) {
  const FitBatch& batch = zoo();
  const FitResults expected = backend("cpu").fits().fit(batch, {});
  for (const std::string& name : tested_backends())
    for (const char* const who : kSolvers) {
      const SolvedBy solver(who);
      const FitResults got = backend(name).fits().fit(batch, {});
      for (std::size_t i = 0; i < batch.problems.size(); ++i) {
        SCOPED_TRACE(fmt::format("{} by {} problem {} of {} pixels", name, who, i, batch.problems[i].pixels));
        expect_same_problem(got, batch.problems[i], i, expected, batch.problems[i], i);
      }
    }
}

/// What is asked for below a chi^2 ends as it always does where it ends below.
TEST(Fits, of_use_are_what_they_are_where_others_are_of_none) {
  FitBatch batch = zoo();
  const FitResults all = backend("cpu").fits().fit(batch, {});
  for (std::size_t i = 0; i < batch.problems.size(); ++i)
    batch.problems[i].useful_chi2 = all.problems[i].chi2 * (i % 2 == 0 ? 1.001 : 0.999);
  for (const std::string& name : tested_backends())
    for (const char* const who : kSolvers) {
      const SolvedBy solver(who);
      const FitResults got = backend(name).fits().fit(batch, {});
      for (std::size_t i = 0; i < batch.problems.size(); ++i) {
        SCOPED_TRACE(fmt::format("{} by {} problem {} of {} pixels", name, who, i, batch.problems[i].pixels));
        if (i % 2 == 0) {
          expect_same_problem(got, batch.problems[i], i, all, batch.problems[i], i);
        } else if (got.problems[i].status == FitStatus::settled) {
          EXPECT_EQ(got.problems[i].chi2, all.problems[i].chi2);
        }
      }
    }
  // The processor leaves out what it may.
  int left_out = 0;
  const FitResults fewer = backend("cpu").fits().fit(batch, {});
  for (std::size_t i = 1; i < batch.problems.size(); i += 2)
    if (all.problems[i].status == FitStatus::settled)
      left_out += fewer.components[static_cast<std::size_t>(batch.problems[i].first_component)].component.peak == 0;
  EXPECT_GT(left_out, 20);
}

/// The code that backends share, by a team of one without functions of its own: what a card's blocks do.
FitResults by_shared_code(const FitBatch& batch) {
  FitResults results;
  results.problems.resize(batch.problems.size());
  results.components.resize(batch.start.size());
  const auto view = [](const NoiseCorrelation& noise) {
    return CorrelationView{noise.values().data(), static_cast<int>(noise.reach())};
  };
  for (std::size_t i = 0; i < batch.problems.size(); ++i) {
    const FitProblem& problem = batch.problems[i];
    const FitPixels& pixels = batch.pixels;
    const FitInput input{pixels.y.data() + problem.first_pixel,
                         pixels.x.data() + problem.first_pixel,
                         pixels.value.data() + problem.first_pixel,
                         pixels.rms.data() + problem.first_pixel,
                         static_cast<int>(problem.pixels),
                         batch.start.data() + problem.first_component,
                         batch.bounds.data() + problem.first_component,
                         static_cast<int>(problem.components),
                         problem.correlated,
                         problem.useful_chi2,
                         view(batch.weights),
                         view(batch.errors)};
    const int parameters = parameters_of(batch, problem), columns = dense::padded(parameters + 1);
    const FitLayout layout = layout_of(input.pixels, parameters, columns, input.components, input.correlated);
    std::vector<double> memory(static_cast<std::size_t>(layout.size));
    results.problems[i] = ProblemFit<OneThread, int>({}, input, parameters, columns, memory.data())
                              .run(results.components.data() + problem.first_component);
  }
  return results;
}

TEST(Fits, of_the_processor_have_the_bits_of_the_shared_code) {
  const FitBatch& batch = zoo();
  const FitResults expected = by_shared_code(batch), got = backend("cpu").fits().fit(batch, {});
  for (std::size_t i = 0; i < batch.problems.size(); ++i) {
    SCOPED_TRACE(fmt::format("problem {} of {} pixels", i, batch.problems[i].pixels));
    expect_same_problem(got, batch.problems[i], i, expected, batch.problems[i], i);
  }
}

TEST(Fits, few_of_each_kind_for_checkers_that_are_slow) {
  const SolvedBy card("card");
  FitBatch batch = empty_batch();
  Random random(31);
  for (const bool correlated : {true, false})
    for (const int components : {1, 2}) add_random(batch, random, 11, components, correlated, true);
  add_random(batch, random, 11, 1, true, false);
  // Too many pixels and parameters for a block's shared memory.
  const std::vector<GaussianComponent> pair{{100, 12.3, 17.8, sky_covariance(9, 9, 0)},
                                            {60, 26.1, 21.2, sky_covariance(8, 8, 0)}};
  const FitBounds bounds{3, 3, 30, true};
  batch.add(island(pair, -1, 41, 1, random), pair, {bounds, bounds}, false);
  const FitResults expected = backend("cpu").fits().fit(batch, {});
  for (const std::string& name : tested_backends()) {
    const FitResults got = backend(name).fits().fit(batch, {});
    for (std::size_t i = 0; i < batch.problems.size(); ++i) {
      SCOPED_TRACE(fmt::format("{} problem {}", name, i));
      expect_same_problem(got, batch.problems[i], i, expected, batch.problems[i], i);
    }
  }
}

TEST(Fits, do_not_depend_on_their_neighbours) {
  const SolvedBy card("card");
  const FitBatch& batch = zoo();
  for (const std::string& name : tested_backends()) {
    const FitResults all = backend(name).fits().fit(batch, {});
    FitBatch reversed = batch;
    std::ranges::reverse(reversed.problems);
    const FitResults other = backend(name).fits().fit(reversed, {});
    const std::size_t count = batch.problems.size();
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE(fmt::format("{} problem {}", name, i));
      expect_same_problem(other, reversed.problems[count - 1 - i], count - 1 - i, all, batch.problems[i], i);
    }
    FitBatch alone = batch;
    alone.problems = {batch.problems[17]};
    expect_same_problem(backend(name).fits().fit(alone, {}), batch.problems[17], 0, all, batch.problems[17], 17);
  }
}

TEST(Fits, are_the_same_for_any_number_of_threads) {
  const FitBatch& batch = zoo();
  const FitResults one = make_backend("cpu", {0, 1, 0}, LogSink{})->fits().fit(batch, {});
  const FitResults five = make_backend("cpu", {0, 5, 0}, LogSink{})->fits().fit(batch, {});
  for (std::size_t i = 0; i < batch.problems.size(); ++i)
    expect_same_problem(five, batch.problems[i], i, one, batch.problems[i], i);
}

TEST(Fits, of_nothing_are_nothing) {
  for (const std::string& name : tested_backends()) {
    const FitResults none = backend(name).fits().fit(empty_batch(), {});
    EXPECT_TRUE(none.problems.empty());
    EXPECT_TRUE(none.components.empty());
  }
}

TEST(Fits, stop_when_told) {
  const std::atomic<bool> stop{true};
  for (const std::string& name : tested_backends())
    for (const char* const who : kSolvers) {
      const SolvedBy solver(who);
      EXPECT_THROW((void)backend(name).fits().fit(zoo(), Progress({}, &stop)), Cancelled) << name << " by " << who;
    }
}

/// Told by the first report, once the card is at work; the next batch is solved as ever.
TEST(Fits, stop_between_the_problems_of_the_host) {
  for (const std::string& name : tested_backends())
    for (const char* const who : {"host", "both"}) {
      const SolvedBy solver(who);
      std::atomic<bool> stop{false};
      const Progress progress([&](const std::string&, double done) { stop = done > 0; }, &stop);
      EXPECT_THROW((void)backend(name).fits().fit(zoo(), progress), Cancelled) << name << " by " << who;
      EXPECT_EQ(backend(name).fits().fit(zoo(), {}).problems.size(), zoo().problems.size());
    }
}

TEST(Fits, refuse_a_batch_that_does_not_hold_together) {
  FitBatch batch = zoo();
  batch.problems[3].pixels += 1 << 20;
  for (const std::string& name : tested_backends())
    EXPECT_THROW((void)backend(name).fits().fit(batch, {}), InternalError) << name;
}

}  // namespace
}  // namespace reber::testing
