// SPDX-License-Identifier: BSD-3-Clause
// Sums of products are pooled, so that a patch counts by its pixels.
#include "core/measure/sources/noise_by_place.hpp"

#include <algorithm>
#include <cmath>

#include "core/seam/compute/beam_classes.hpp"

namespace reber {
namespace {

/// A table of sums as one of a correlation, by its offsets.
NoiseCorrelation table(std::int64_t reach, const std::vector<double>& sums) {
  return NoiseCorrelation::of_table(reach, sums);
}

struct Pool {
  explicit Pool(std::int64_t to) : reach(to) {
    sums.product.resize(static_cast<std::size_t>((to + 1) * (2 * to + 1)));
    sums.count = sums.product;
  }
  void add(const NoiseCorrelation& product, const NoiseCorrelation& count) {
    std::size_t slot = 0;
    for (std::int64_t dy = 0; dy <= reach; ++dy)
      for (std::int64_t dx = -reach; dx <= reach; ++dx, ++slot)
        sums.product[slot] += product.at(dy, dx), sums.count[slot] += count.at(dy, dx);
  }
  std::int64_t reach;
  NoiseSums sums;
};

}  // namespace

std::optional<NoiseReach> noise_reach(double width) {
  constexpr double kReachInBeams = 2.2;
  constexpr std::int64_t kReachWithoutBeam = 12;
  // A patch holds no more.
  if (!(kReachInBeams * width < kMostNoiseSide - 2)) return std::nullopt;
  return NoiseReach{width > 0 ? static_cast<std::int64_t>(std::ceil(kReachInBeams * width)) : kReachWithoutBeam,
                    static_cast<std::int64_t>(std::ceil(std::max(width, 2.0)))};
}

NoiseByPlace measure_noise_by_place(const NoiseOf& of, const BeamField& beams, const Covariance& middle, float limit,
                                    ThreadPool& pool, const Job& job) {
  const auto reach = noise_reach(ellipse_of(middle).major);
  if (!reach) return {};
  const std::vector<Rect> patches = noise_patches(of.background.grid.part());
  const std::int64_t longest = std::min(patches.front().nx, patches.front().ny) - 1;
  BeamClasses classes({}, {}, middle, BeamClasses::Errors::of_beam);
  for (const Rect& one : patches)
    classes.add(beams
                    .at(static_cast<double>(one.x0) + 0.5 * static_cast<double>(one.nx - 1),
                        static_cast<double>(one.y0) + 0.5 * static_cast<double>(one.ny - 1))
                    .pixels);
  Pool as_it_is(std::min(reach->reach, longest)), at_middle(as_it_is.reach);
  std::optional<LabelRuns> labels;
  for (std::size_t k = 0; k < classes.count(); ++k) {
    const auto its = noise_reach(ellipse_of(classes.beam(k)).major);
    if (!its) continue;
    NoiseQuestion question{{}, std::min(its->reach, longest), limit, its->grow};
    for (std::size_t i = 0; i < patches.size(); ++i)
      if (classes.of(i) == k) question.patches.push_back(patches[i]);
    const NoiseSums sums = sum_noise(of, question, labels, pool, job);
    const NoiseCorrelation product = table(question.reach, sums.product), count = table(question.reach, sums.count);
    as_it_is.add(product, count);
    at_middle.add(stretched(product, classes.beam(k), middle), stretched(count, classes.beam(k), middle));
  }
  return {correlation_of(as_it_is.sums, as_it_is.reach), correlation_of(at_middle.sums, at_middle.reach)};
}

}  // namespace reber
