// SPDX-License-Identifier: BSD-3-Clause
// One walk over the rows that hold islands.
#include "kernels/cpu/islands/run_pixels.hpp"

#include <algorithm>

#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {
namespace {

std::shared_ptr<const KeptPixels> walk(const CpuPlane& plane, const CpuIslands& islands, const JobThreads& threads) {
  auto kept = std::make_shared<KeptPixels>();
  kept->of = plane.maker();
  const auto runs = static_cast<std::int64_t>(islands.by_island.size());
  kept->first.reserve(islands.by_island.size() + 1);
  kept->first.push_back(0);
  for (const rules::Run& run : islands.by_island) kept->first.push_back(kept->first.back() + run.x1 - run.x0);
  kept->pixels.resize(static_cast<std::size_t>(kept->first.back()));
  if (runs == 0) return kept;
  // Runs of an island lie in ascending rows, so the next one of each is all that must be known of it.
  std::vector<std::int64_t> next(islands.first_run.begin(), islands.first_run.end());
  const std::int64_t y_first = islands.by_row.front().y, y_last = islands.by_row.back().y;
  for_each_band(plane, y_first, y_last + 1, 1, threads, [&](const HeldRows& rows, std::int64_t y0, std::int64_t y1) {
    for (std::int64_t k = islands.row_begin[y0]; k < islands.row_begin[y1]; ++k) {
      const rules::Run& run = islands.by_row[k];
      const std::int64_t to = next[islands.label[k] - 1]++;
      std::copy(rows.row(run.y) + run.x0, rows.row(run.y) + run.x1, kept->pixels.data() + kept->first[to]);
    }
  });
  return kept;
}

}  // namespace

RunPixels::RunPixels(const CpuPlane& plane, const CpuIslands& islands, const JobThreads& threads)
    : plane_(plane), islands_(islands) {
  if (plane.resident()) return;
  kept_ = islands.kept;
  if (kept_ && kept_->of == plane.maker()) return;
  kept_ = walk(plane, islands, threads);
  if (!islands.kept) islands.kept = kept_;
}

}  // namespace reber::cpu
