// SPDX-License-Identifier: BSD-3-Clause
// Host code: what a problem needs, before it is given to a thread or a block.
#include "kernels/shared/fit_sizes.hpp"

#include <limits>

#include "core/base/error.hpp"

namespace reber {

int parameters_of(const FitBatch& batch, const FitProblem& problem) {
  int parameters = 0;
  for (std::int64_t k = 0; k < problem.components; ++k)
    parameters += batch.bounds[static_cast<std::size_t>(problem.first_component + k)].shape_free ? 6 : 3;
  return parameters;
}

namespace {

bool in_raster_order(const FitPixels& pixels, const FitProblem& problem) {
  const auto end = static_cast<std::size_t>(problem.first_pixel + problem.pixels);
  for (auto i = static_cast<std::size_t>(problem.first_pixel) + 1; i < end; ++i) {
    const bool next =
        pixels.y[i] > pixels.y[i - 1] || (pixels.y[i] == pixels.y[i - 1] && pixels.x[i] > pixels.x[i - 1]);
    if (!next) return false;
  }
  return true;
}

}  // namespace

void check_batch(const FitBatch& batch) {
  const auto pixels = static_cast<std::int64_t>(batch.pixels.value.size());
  const auto components = static_cast<std::int64_t>(batch.start.size());
  const auto within = [](std::int64_t first, std::int64_t count, std::int64_t all) {
    return first >= 0 && count >= 0 && first <= all && count <= all - first &&
           count <= std::numeric_limits<std::int32_t>::max() / 64;
  };
  bool holds = batch.pixels.y.size() == batch.pixels.value.size() &&
               batch.pixels.x.size() == batch.pixels.value.size() &&
               batch.pixels.rms.size() == batch.pixels.value.size() && batch.bounds.size() == batch.start.size();
  for (const FitProblem& problem : batch.problems)
    holds = holds && within(problem.first_pixel, problem.pixels, pixels) &&
            within(problem.first_component, problem.components, components);
  if (!holds) throw InternalError("a batch of fits refers to pixels or components that it does not hold");
  for (const FitProblem& problem : batch.problems)
    if (!in_raster_order(batch.pixels, problem))
      throw InternalError("pixels of a problem to fit are not in raster order, or one is there twice");
}

}  // namespace reber
