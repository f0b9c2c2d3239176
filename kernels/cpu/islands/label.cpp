// SPDX-License-Identifier: BSD-3-Clause
// One pass over the pixels finds runs, or they were foretold; all that follows works on runs alone.
#include "kernels/cpu/islands/label.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "kernels/cpu/background_rows.hpp"
#include "kernels/cpu/islands/strips.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {
namespace {

/// Runs of all rows in raster order.
struct Runs {
  std::vector<rules::Run> run;
  std::vector<std::uint8_t> seeded;     ///< whether the run holds a pixel above the seed threshold
  std::vector<std::int64_t> row_begin;  ///< of each row; one more at the end
};

/// All strips.
void scan(const CpuPlane& plane, const CpuBackground& background, const DetectOptions& options,
          std::vector<Strip>& strips, PixelKeeper& keeper, const JobThreads& threads) {
  const std::int64_t ny = plane.shape().ny, nx = plane.shape().nx;
  BackgroundRows rows(background);
  const auto count = static_cast<std::int64_t>(strips.size());
  std::vector<StripScratch> scratch(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::int64_t> done{0};
  for_each_band(plane, 0, ny, kStripRows, threads, [&](const HeldRows& held, std::int64_t y0, std::int64_t y1) {
    rows.hold(y0, y1 - y0, threads);
    threads.for_each_worker((y1 - y0 + kStripRows - 1) / kStripRows, [&](std::int64_t task, int worker) {
      const std::int64_t first = y0 + task * kStripRows;
      Strip& strip = strips[static_cast<std::size_t>(first / kStripRows)];
      for (std::int64_t y = first; y < std::min(first + kStripRows, y1); ++y)
        scan_row(held.row(y), y, nx, rows, options, keeper, scratch[static_cast<std::size_t>(worker)], strip);
      const std::int64_t finished = ++done;
      if (worker == 0) threads.job().report("label", static_cast<double>(finished) / static_cast<double>(count));
    });
  });
}

Runs joined(std::vector<Strip>& strips, Shape shape) {
  Runs runs;
  std::size_t total = 0;
  for (const Strip& strip : strips) total += strip.run.size();
  if (total > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("more than 2^31 runs of pixels above the flood threshold; raise the threshold");
  runs.run.reserve(total);
  runs.seeded.reserve(total);
  runs.row_begin.reserve(static_cast<std::size_t>(shape.ny) + 1);
  runs.row_begin.push_back(0);
  for (Strip& strip : strips) {
    runs.run.insert(runs.run.end(), strip.run.begin(), strip.run.end());
    runs.seeded.insert(runs.seeded.end(), strip.seeded.begin(), strip.seeded.end());
    for (const std::int64_t found : strip.in_row) runs.row_begin.push_back(runs.row_begin.back() + found);
    strip = {};
  }
  return runs;
}

/// Sets of runs; the root of a set is its smallest run.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    for (std::size_t k = 0; k < count; ++k) parent_[k] = static_cast<std::int32_t>(k);
  }
  void unite(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }
  /// Points every run at its root. Parents are smaller than their children, so one ascending pass does it.
  std::vector<std::int32_t> roots() && {
    for (std::int32_t& parent : parent_) parent = parent_[parent];
    return std::move(parent_);
  }

 private:
  std::int32_t root(std::int32_t run) {
    while (parent_[run] != run) {
      parent_[run] = parent_[parent_[run]];
      run = parent_[run];
    }
    return run;
  }
  std::vector<std::int32_t> parent_;
};

/// Joins the runs of row y with those of row y - 1 that they touch.
void unite_row(const Runs& runs, std::int64_t y, std::int32_t reach, UnionFind& sets) {
  std::int64_t above = runs.row_begin[y - 1], here = runs.row_begin[y];
  const std::int64_t above_end = runs.row_begin[y], here_end = runs.row_begin[y + 1];
  while (above < above_end && here < here_end) {
    const rules::Run& a = runs.run[above];
    const rules::Run& b = runs.run[here];
    if (rules::touch(a, b, reach)) sets.unite(static_cast<std::int32_t>(above), static_cast<std::int32_t>(here));
    (a.x1 < b.x1 ? above : here) += 1;
  }
}

std::vector<std::int32_t> connect(const Runs& runs, Shape shape, Connectivity connectivity, const JobThreads& threads) {
  UnionFind sets(runs.run.size());
  const std::int32_t reach = connectivity == Connectivity::eight ? 1 : 0;
  const std::int64_t count = (shape.ny + kStripRows - 1) / kStripRows;
  // Within a strip only that strip's runs are read and written, so strips run side by side; then the seams.
  threads.for_each(count, [&](std::int64_t strip) {
    for (std::int64_t y = strip * kStripRows + 1; y < std::min((strip + 1) * kStripRows, shape.ny); ++y)
      unite_row(runs, y, reach, sets);
  });
  for (std::int64_t strip = 1; strip < count; ++strip) unite_row(runs, strip * kStripRows, reach, sets);
  return std::move(sets).roots();
}

/// Number of each run's island, 1..count in the order of the roots; 0 for runs of rejected sets.
std::vector<std::int32_t> number_islands(const Runs& runs, const std::vector<std::int32_t>& root,
                                         const DetectOptions& options) {
  std::vector<std::int64_t> area(root.size(), 0);
  std::vector<std::uint8_t> seeded(root.size(), 0);
  for (std::size_t k = 0; k < root.size(); ++k) {
    area[root[k]] += runs.run[k].x1 - runs.run[k].x0;
    seeded[root[k]] |= runs.seeded[k];
  }
  std::vector<std::int32_t> label(root.size());
  std::int32_t count = 0;
  for (std::size_t k = 0; k < root.size(); ++k) {
    const bool is_root = root[k] == static_cast<std::int32_t>(k);
    if (!is_root) {
      label[k] = label[root[k]];
    } else {
      label[k] = seeded[k] != 0 && area[k] >= options.min_area ? ++count : 0;
    }
  }
  return label;
}

/// by_island and first_run, of by_row and label.
void order_by_island(std::int64_t count, CpuIslands& islands) {
  islands.first_run.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int32_t number : islands.label) ++islands.first_run[number];
  for (std::int64_t k = 1; k <= count; ++k) islands.first_run[k] += islands.first_run[k - 1];
  islands.by_island.resize(islands.by_row.size());
  std::vector<std::int64_t> next(islands.first_run.begin(), islands.first_run.end());
  for (std::size_t k = 0; k < islands.by_row.size(); ++k)
    islands.by_island[next[islands.label[k] - 1]++] = islands.by_row[k];
}

void keep_accepted(const Runs& runs, const std::vector<std::int32_t>& label, CpuIslands& islands) {
  islands.row_begin.push_back(0);
  for (std::size_t y = 0; y + 1 < runs.row_begin.size(); ++y) {
    for (std::int64_t k = runs.row_begin[y]; k < runs.row_begin[y + 1]; ++k) {
      if (label[k] == 0) continue;
      islands.by_row.push_back(runs.run[k]);
      islands.label.push_back(label[k]);
    }
    islands.row_begin.push_back(static_cast<std::int64_t>(islands.by_row.size()));
  }
  std::int32_t count = 0;
  for (const std::int32_t number : islands.label) count = std::max(count, number);
  order_by_island(count, islands);
}

/// Pixels of the accepted runs in the order of by_island, out of those of all runs.
std::shared_ptr<const KeptPixels> keep_pixels(const CpuPlane& plane, const Runs& runs,
                                              const std::vector<std::int32_t>& label,
                                              const std::vector<std::vector<float>>& pixels,
                                              const CpuIslands& islands) {
  auto kept = std::make_shared<KeptPixels>();
  kept->of = plane.maker();
  kept->first.reserve(islands.by_island.size() + 1);
  kept->first.push_back(0);
  for (const rules::Run& run : islands.by_island) kept->first.push_back(kept->first.back() + run.x1 - run.x0);
  kept->pixels.resize(static_cast<std::size_t>(kept->first.back()));
  std::vector<std::int64_t> next(islands.first_run.begin(), islands.first_run.end());
  const std::int64_t ny = plane.shape().ny;
  for (std::int64_t strip = 0; strip * kStripRows < ny; ++strip) {
    const float* from = pixels[strip].data();
    for (std::int64_t k = runs.row_begin[strip * kStripRows];
         k < runs.row_begin[std::min((strip + 1) * kStripRows, ny)]; ++k) {
      const std::int64_t length = runs.run[k].x1 - runs.run[k].x0;
      if (label[k] != 0) std::copy_n(from, length, kept->pixels.data() + kept->first[next[label[k] - 1]++]);
      from += length;
    }
  }
  return kept;
}

}  // namespace

std::unique_ptr<CpuIslands> find_islands(const CpuPlane& plane, const CpuBackground& background,
                                         const DetectOptions& options, std::unique_ptr<Foretold> foretold,
                                         const JobThreads& threads) {
  const bool known = foretold && foretold->become(plane, background, options, threads);
  Scanned found = known ? std::move(*foretold).take() : Scanned(plane);
  foretold.reset();
  if (!known) scan(plane, background, options, found.strips, *found.keeper, threads);
  std::vector<Strip>& strips = found.strips;
  PixelKeeper& keeper = *found.keeper;
  std::vector<std::vector<float>> pixels;
  for (Strip& strip : strips) {
    if (keeper.whole()) pixels.push_back(std::move(strip.pixels));
    strip.pixels = {};
  }
  const Runs runs = joined(strips, plane.shape());
  const std::vector<std::int32_t> root = connect(runs, plane.shape(), options.connectivity, threads);
  threads.job().check();
  auto islands = std::make_unique<CpuIslands>(plane.shape(), options);
  const std::vector<std::int32_t> label = number_islands(runs, root, options);
  keep_accepted(runs, label, *islands);
  if (keeper.whole()) islands->kept = keep_pixels(plane, runs, label, pixels, *islands);
  return islands;
}

std::unique_ptr<CpuIslands> islands_of_runs(const LabelRuns& runs, std::int64_t count, const DetectOptions& options) {
  auto islands = std::make_unique<CpuIslands>(runs.shape, options);
  islands->by_row.reserve(runs.runs.size());
  islands->label.reserve(runs.runs.size());
  islands->row_begin.reserve(static_cast<std::size_t>(runs.shape.ny) + 1);
  for (const LabelRuns::Run& run : runs.runs) {
    while (static_cast<std::int64_t>(islands->row_begin.size()) <= run.y)
      islands->row_begin.push_back(static_cast<std::int64_t>(islands->by_row.size()));
    islands->by_row.push_back({run.y, run.x0, run.x1});
    islands->label.push_back(run.label);
  }
  islands->row_begin.resize(static_cast<std::size_t>(runs.shape.ny) + 1,
                            static_cast<std::int64_t>(islands->by_row.size()));
  order_by_island(count, *islands);
  return islands;
}

}  // namespace reber::cpu
