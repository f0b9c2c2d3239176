// SPDX-License-Identifier: BSD-3-Clause
// Parts of rows that hold islands are read by themselves; where they are most of the rows, one walk over those is made.
#include "kernels/cpu/islands/run_pixels.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/run_windows.hpp"

namespace reber::cpu {
namespace {

/// Place in by_island of each run of by_row. Runs of an island lie in ascending rows, so the next one of each is all
/// that must be known of it.
std::vector<std::int64_t> places_of(const CpuIslands& islands) {
  std::vector<std::int64_t> next(islands.first_run.begin(), islands.first_run.end());
  std::vector<std::int64_t> places(islands.by_row.size());
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = next[static_cast<std::size_t>(islands.label[k]) - 1]++;
  return places;
}

/// returns false where rows are not read in parts, or are sooner read whole
bool read_windows(const CpuPlane& plane, const CpuIslands& islands, const std::vector<std::int64_t>& places,
                  KeptPixels& kept, const JobThreads& threads) {
  constexpr std::int64_t kPixelBytes = 4, kWindowsATask = 64;
  const RowMaker& maker = *plane.maker();
  if (!maker.reads()) return false;
  const std::vector<RunWindow> windows = windows_of_runs(islands.by_row, plane.shape(), kPixelBytes);
  const auto count = static_cast<std::int64_t>(windows.size());
  std::atomic<bool> all_read{count > 0};
  std::vector<std::vector<float>> buffers(static_cast<std::size_t>(threads.threads()));
  threads.for_each_worker((count + kWindowsATask - 1) / kWindowsATask, [&](std::int64_t task, int worker) {
    std::vector<float>& pixels = buffers[static_cast<std::size_t>(worker)];
    for (std::int64_t w = task * kWindowsATask; w < std::min((task + 1) * kWindowsATask, count) && all_read; ++w) {
      const RunWindow& window = windows[static_cast<std::size_t>(w)];
      pixels.resize(std::max(pixels.size(), static_cast<std::size_t>(window.where.nx)));
      if (!maker.make_rectangle(window.where, pixels.data())) all_read = false;
      for (std::size_t k = window.first; k < window.last && all_read; ++k) {
        const rules::Run& run = islands.by_row[k];
        std::copy_n(pixels.data() + (run.x0 - window.where.x0), run.x1 - run.x0,
                    kept.pixels.data() + kept.first[static_cast<std::size_t>(places[k])]);
      }
    }
  });
  return all_read;
}

/// Bands without a run are not made.
void walk(const CpuPlane& plane, const CpuIslands& islands, const std::vector<std::int64_t>& places, KeptPixels& kept,
          const JobThreads& threads) {
  const std::vector<std::int64_t> edges =
      band_edges(plane, islands.by_row.front().y, islands.by_row.back().y + std::int64_t{1}, 1);
  for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
    threads.job().check();
    const std::int64_t first = islands.row_begin[static_cast<std::size_t>(edges[b])],
                       last = islands.row_begin[static_cast<std::size_t>(edges[b + 1])];
    if (first == last) continue;
    const HeldRows rows = hold_rows(plane, edges[b], edges[b + 1] - edges[b], threads);
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
      const rules::Run& run = islands.by_row[k];
      std::copy(rows.row(run.y) + run.x0, rows.row(run.y) + run.x1,
                kept.pixels.data() + kept.first[static_cast<std::size_t>(places[k])]);
    }
  }
}

std::shared_ptr<const KeptPixels> pixels_of(const CpuPlane& plane, const CpuIslands& islands,
                                            const JobThreads& threads) {
  auto kept = std::make_shared<KeptPixels>();
  kept->of = plane.maker();
  kept->first.reserve(islands.by_island.size() + 1);
  kept->first.push_back(0);
  for (const rules::Run& run : islands.by_island) kept->first.push_back(kept->first.back() + run.x1 - run.x0);
  kept->pixels.resize(static_cast<std::size_t>(kept->first.back()));
  if (islands.by_island.empty()) return kept;
  const std::vector<std::int64_t> places = places_of(islands);
  if (!read_windows(plane, islands, places, *kept, threads)) walk(plane, islands, places, *kept, threads);
  return kept;
}

}  // namespace

RunPixels::RunPixels(const CpuPlane& plane, const CpuIslands& islands, const JobThreads& threads)
    : plane_(plane), islands_(islands) {
  if (plane.resident()) return;
  kept_ = islands.kept;
  if (kept_ && kept_->of == plane.maker()) return;
  kept_ = pixels_of(plane, islands, threads);
  if (!islands.kept) islands.kept = kept_;
}

}  // namespace reber::cpu
