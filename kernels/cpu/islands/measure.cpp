// SPDX-License-Identifier: BSD-3-Clause
// Sums over islands, run by run, in the order of kernels/shared/island_rules.hpp.
#include "kernels/cpu/islands/measure.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cpu/background_rows.hpp"
#include "kernels/cpu/islands/run_pixels.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kIslandsATask = 64;

/// pixels, mean: of the run alone.
rules::RunSums sum_run(const rules::Run& run, const float* pixels, const float* mean, bool negative) {
  rules::RunSums sums;
  rules::start_run(sums);
  for (std::int32_t x = run.x0; x < run.x1; ++x)
    rules::add_pixel(sums, x, run.x0, rules::above_background(pixels[x - run.x0], mean[x - run.x0], negative));
  return sums;
}

void set_peak(IslandSums& sums, const rules::Run& run, const rules::RunSums& part, const float* pixels,
              const float* mean) {
  sums.peak_y = run.y;
  sums.peak_x = part.peak_x;
  sums.peak = pixels[part.peak_x - run.x0];
  sums.peak_mean = mean[part.peak_x - run.x0];
}

using Lanes = std::array<rules::Partial, rules::kIslandLanes>;

Lanes no_sums() {
  Lanes lanes;
  lanes.fill(rules::zero_partial());
  return lanes;
}

rules::Partial sum_of(Lanes lanes) {
  for (int half = rules::kIslandLanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] = rules::add(lanes[lane], lanes[lane + half]);
  return lanes[0];
}

/// The sums of an island, run after run.
class RunsInOrder {
 public:
  void add(const rules::Partial& run) {
    rules::Partial& lane = lanes_[runs_ % rules::kIslandLanes];
    lane = rules::add(lane, run);
    if (++runs_ % rules::kSectionRuns == 0) close_section();
  }
  rules::Partial total() {
    if (runs_ % rules::kSectionRuns != 0) close_section();
    return sum_of(sections_);
  }

 private:
  void close_section() {
    rules::Partial& lane = sections_[(runs_ - 1) / rules::kSectionRuns % rules::kIslandLanes];
    lane = rules::add(lane, sum_of(lanes_));
    lanes_ = no_sums();
  }

  std::int64_t runs_ = 0;
  Lanes lanes_ = no_sums(), sections_ = no_sums();
};

/// What measuring reads, run by run: pixels, background and noise.
class RunReader {
 public:
  RunReader(const CpuPlane& plane, const CpuBackground& background, const CpuIslands& islands,
            const JobThreads& threads)
      : pixels_(plane, islands, threads), rows_(background) {
    if (background.mean_map != nullptr) mean_.emplace(*background.mean_map, islands, threads);
    if (background.rms_map != nullptr) rms_.emplace(*background.rms_map, islands, threads);
  }
  [[nodiscard]] const float* pixels(std::int64_t k) const { return pixels_.run(k); }
  /// Of run k, in the map or in `scratch`.
  const float* mean(std::int64_t k, const rules::Run& run, std::vector<float>& scratch) const {
    if (mean_) return mean_->run(k);
    const auto length = static_cast<std::size_t>(run.x1 - run.x0);
    if (scratch.size() < length) scratch.resize(length);
    rows_.mean_part(run.y, run.x0, run.x1, scratch.data());
    return scratch.data();
  }
  [[nodiscard]] float rms(std::int64_t k, const rules::Run& run, std::int32_t x) const {
    return rms_ ? rms_->run(k)[x - run.x0] : rows_.rms_at(run.y, x);
  }

 private:
  RunPixels pixels_;
  std::optional<RunPixels> mean_, rms_;
  BackgroundRows rows_;
};

/// Runs [begin, end) of CpuIslands::by_island.
IslandSums sum_island(const std::vector<rules::Run>& runs, std::int64_t begin, std::int64_t end,
                      const RunReader& reader, bool negative, std::vector<float>& scratch) {
  IslandSums sums;
  sums.first_y = sums.y0 = runs[begin].y;
  sums.first_x = sums.x0 = runs[begin].x0;
  RunsInOrder in_order;
  float best = 0;
  std::int64_t at_peak = begin;
  for (std::int64_t k = begin; k < end; ++k) {
    const rules::Run& run = runs[k];
    const float* pixels = reader.pixels(k);
    const float* mean = reader.mean(k, run, scratch);
    const rules::RunSums part = sum_run(run, pixels, mean, negative);
    in_order.add(rules::shifted(part, run, sums.first_y, sums.first_x));
    if (k == begin || part.peak_above > best) {
      best = part.peak_above;
      at_peak = k;
      set_peak(sums, run, part, pixels, mean);
    }
    sums.npix += run.x1 - run.x0;
    sums.x0 = std::min(sums.x0, run.x0);
    sums.x1 = std::max(sums.x1, run.x1);
    sums.y1 = run.y + 1;
  }
  const rules::Partial total = in_order.total();
  sums.s = total.s;
  sums.sx = total.sx;
  sums.sy = total.sy;
  sums.sxx = total.sxx;
  sums.sxy = total.sxy;
  sums.syy = total.syy;
  sums.peak_rms = reader.rms(at_peak, runs[at_peak], sums.peak_x);
  return sums;
}

}  // namespace

std::vector<IslandSums> measure_islands(const CpuPlane& plane, const CpuBackground& background,
                                        const CpuIslands& islands, const JobThreads& threads) {
  const RunReader reader(plane, background, islands, threads);
  const std::int64_t count = islands.count();
  std::vector<IslandSums> all(static_cast<std::size_t>(count));
  std::vector<std::vector<float>> mean(static_cast<std::size_t>(threads.threads()));
  threads.for_each_worker((count + kIslandsATask - 1) / kIslandsATask, [&](std::int64_t task, int worker) {
    const std::int64_t begin = task * kIslandsATask, end = std::min(begin + kIslandsATask, count);
    for (std::int64_t k = begin; k < end; ++k)
      all[k] = sum_island(islands.by_island, islands.first_run[k], islands.first_run[k + 1], reader,
                          islands.options().negative, mean[static_cast<std::size_t>(worker)]);
  });
  return all;
}

IslandPixels gather_pixels(const CpuPlane& plane, const CpuBackground& background, const CpuIslands& islands,
                           std::int64_t min_pixels, const JobThreads& threads) {
  const RunReader reader(plane, background, islands, threads);
  IslandPixels all;
  for (std::int64_t k = 0; k < islands.count(); ++k) {
    std::int64_t pixels = 0;
    for (std::int64_t r = islands.first_run[k]; r < islands.first_run[k + 1]; ++r)
      pixels += islands.by_island[r].x1 - islands.by_island[r].x0;
    if (pixels < min_pixels) continue;
    all.label.push_back(k + 1);
    all.first.push_back(all.first.back() + pixels);
  }
  const auto count = static_cast<std::size_t>(all.first.back());
  all.y.resize(count), all.x.resize(count);
  all.pixel.resize(count), all.mean.resize(count), all.rms.resize(count);
  const auto chosen = static_cast<std::int64_t>(all.label.size());
  std::vector<std::vector<float>> scratch(static_cast<std::size_t>(threads.threads()));
  threads.for_each_worker((chosen + kIslandsATask - 1) / kIslandsATask, [&](std::int64_t task, int worker) {
    const std::int64_t end = std::min((task + 1) * kIslandsATask, chosen);
    for (std::int64_t k = task * kIslandsATask; k < end; ++k) {
      std::int64_t at = all.first[k];
      for (std::int64_t r = islands.first_run[all.label[k] - 1]; r < islands.first_run[all.label[k]]; ++r) {
        const rules::Run& run = islands.by_island[r];
        const float* pixels = reader.pixels(r);
        const float* mean = reader.mean(r, run, scratch[static_cast<std::size_t>(worker)]);
        for (std::int32_t x = run.x0; x < run.x1; ++x, ++at) {
          all.y[at] = run.y;
          all.x[at] = x;
          all.pixel[at] = pixels[x - run.x0];
          all.mean[at] = mean[x - run.x0];
          all.rms[at] = reader.rms(r, run, x);
        }
      }
    }
  });
  return all;
}

void draw_label_row(const CpuIslands& islands, std::int64_t y, std::int64_t x0, std::int64_t nx, std::int32_t* out) {
  std::fill(out, out + nx, 0);
  for (std::int64_t k = islands.row_begin[y]; k < islands.row_begin[y + 1]; ++k) {
    const std::int64_t begin = std::max<std::int64_t>(islands.by_row[k].x0 - x0, 0);
    const std::int64_t end = std::min<std::int64_t>(islands.by_row[k].x1 - x0, nx);
    if (begin < end) std::fill(out + begin, out + end, islands.label[k]);
  }
}

}  // namespace reber::cpu
