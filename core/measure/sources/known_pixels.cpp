// SPDX-License-Identifier: BSD-3-Clause
// Known pixels are one island of a background far below them all: labelling finds them on every backend.
#include "core/measure/sources/known_pixels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace reber {

KnownPixels::KnownPixels(Shape shape, std::vector<LabelRuns::Run> runs)
    : shape_(shape), runs_(std::move(runs)), first_(static_cast<std::size_t>(shape.ny) + 1) {
  for (const LabelRuns::Run& run : runs_) ++first_[static_cast<std::size_t>(run.y) + 1];
  for (std::size_t y = 1; y < first_.size(); ++y) first_[y] += first_[y - 1];
}

bool KnownPixels::covers(std::int64_t y, std::int64_t x0, std::int64_t x1) const {
  if (y < 0 || x0 < 0 || y >= shape_.ny || x1 > shape_.nx) return false;
  if (first_.empty()) return true;
  const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<std::size_t>(y)]);
  const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<std::size_t>(y) + 1]);
  const auto after =
      std::upper_bound(begin, end, x0, [](std::int64_t at, const LabelRuns::Run& run) { return at < run.x0; });
  return after != begin && x1 <= (after - 1)->x1;
}

KnownPixels known_pixels(Backend& backend, const Plane& plane, const Job& job) {
  if (plane.blank() == 0) return KnownPixels(plane.shape());
  const float far_below = -0.25f * std::numeric_limits<float>::max();
  DetectOptions all;
  all.seed = all.flood = 0;
  const auto known = backend.label(plane, BackgroundModel::constant(plane.shape(), far_below, 1), all, job);
  return {plane.shape(), backend.label_runs(*known, job).runs};
}

std::vector<CutPixel> cut_pixels(const LabelRuns& islands, const KnownPixels& known) {
  std::vector<CutPixel> cut;
  const auto surrounded = [&](std::int32_t y, std::int32_t x0, std::int32_t x1) {
    return known.covers(y - 1, x0 - 1, x1 + 1) && known.covers(y, x0 - 1, x1 + 1) &&
           known.covers(y + 1, x0 - 1, x1 + 1);
  };
  for (const LabelRuns::Run& run : islands.runs) {
    if (surrounded(run.y, run.x0, run.x1)) continue;
    for (std::int32_t x = run.x0; x < run.x1; ++x)
      if (!surrounded(run.y, x, x + 1)) cut.push_back({run.y, x, run.label});
  }
  return cut;
}

}  // namespace reber
