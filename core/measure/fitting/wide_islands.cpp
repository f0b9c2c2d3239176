// SPDX-License-Identifier: BSD-3-Clause
// Rings of pixels around islands, against the model that they lift.
#include "core/measure/fitting/wide_islands.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/base/trace.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/mesh_nodes.hpp"
#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/sources/fit_parts.hpp"

namespace reber {
namespace {

constexpr double kFarthest = 4;  // radii of an island
constexpr auto kRings = static_cast<std::size_t>(kFarthest / kRing);

double area_of(double beam_px) { return std::numbers::pi / (4 * std::numbers::ln2) * beam_px * beam_px; }

/// Whether an island has clearly more pixels than a point of its peak would have, and as many as `least`.
bool is_wide(const IslandSums& one, double beam_area_px, double least) {
  const double snr = (static_cast<double>(one.peak) - one.peak_mean) / one.peak_rms;
  const auto npix = static_cast<double>(one.npix);
  return npix > least && npix > beam_area_px * (2 * std::log(snr / masked_islands().flood) + 1);
}

/// Whether the image has one level.
bool lies_level(const BackgroundModel& model) {
  const float level = middle_value(model.mean);
  std::vector<float> off(model.mean.size());
  for (std::size_t k = 0; k < off.size(); ++k) off[k] = std::abs(model.mean[k] - level) / model.rms[k];
  return middle_value(off) <= kLevelOff;
}

/// The wide islands of a plane and the pixels around them.
class WideIslands {
 public:
  WideIslands(const IslandsLeftOut& in, const std::vector<std::size_t>& wide, Job job);
  [[nodiscard]] std::unique_ptr<IslandMap> grown(const BackgroundModel& model) const;

 private:
  [[nodiscard]] double reach_of(const Surrounding& one, const IslandPixels& around) const;

  Backend& backend_;
  const Plane& plane_;
  double beam_area_px_;
  Job job_;
  IslandPixels pixels_;            ///< of all islands
  LabelRuns runs_;                 ///< of all islands, each with the label 1
  std::vector<Surrounding> wide_;  ///< as far as is looked
  MarginRuns around_;              ///< them
};

WideIslands::WideIslands(const IslandsLeftOut& in, const std::vector<std::size_t>& wide, Job job)
    : backend_(in.backend), plane_(in.plane), beam_area_px_(area_of(in.beam_px)), job_(std::move(job)) {
  pixels_ = backend_.island_pixels(plane_, in.model, *in.islands.map, 1, job_);
  for (const std::size_t k : wide)
    wide_.push_back({k, kFarthest * std::sqrt(static_cast<double>(in.islands.sums[k].npix) / std::numbers::pi)});
  ThreadPool pool;
  around_ = surrounding_runs(pixels_, wide_, plane_.shape(), pool);
  runs_ = backend_.label_runs(*in.islands.map, job_);
  for (LabelRuns::Run& run : runs_.runs) run.label = 1;
}

double WideIslands::reach_of(const Surrounding& one, const IslandPixels& around) const {
  constexpr double kFewestBeams = 10;
  const FitPixels ring = pixels_of_label(around, pixels_.label[one.island], false);
  if (ring.value.empty()) return 0;
  const std::vector<double> distance = distances_from(pixels_of(pixels_, one.island, false), ring);
  const double width = one.reach_px / static_cast<double>(kRings);
  std::vector<double> sum(kRings, 0.0), count(kRings, 0.0);
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const auto k = std::min(static_cast<std::size_t>(distance[i] / width), kRings - 1);
    const double snr = ring.value[i] / ring.rms[i], most = masked_islands().flood;
    sum[k] += std::clamp(snr, -most, most), count[k] += 1;
  }
  std::size_t k = 0;
  while (k < kRings && sum[k] > std::sqrt(count[k] * beam_area_px_)) ++k;
  const std::size_t last = std::min(k, kRings - 1);
  const bool ends = count[last] >= kFewestBeams * beam_area_px_ && sum[last] <= kLevelOff * count[last];
  return ends ? static_cast<double>(k) * width : 0;
}

std::unique_ptr<IslandMap> WideIslands::grown(const BackgroundModel& model) const {
  const trace::Span span("host", "what surrounds wide islands");
  const IslandPixels around = pixels_of_runs(backend_, plane_, model, around_, masked_islands(), job_);
  std::vector<Surrounding> reached = wide_;
  ThreadPool pool;
  pool.for_each(std::ssize(wide_), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    reached[k].reach_px = reach_of(wide_[k], around);
  });
  std::erase_if(reached, [](const Surrounding& one) { return !(one.reach_px > 0); });
  LabelRuns all = runs_;
  for (LabelRuns::Run run : surrounding_runs(pixels_, reached, plane_.shape(), pool).runs.runs) {
    run.label = 1;
    all.runs.push_back(run);
  }
  std::ranges::sort(all.runs, {}, [](const LabelRuns::Run& run) { return std::tuple(run.y, run.x0); });
  return backend_.islands_of(all, masked_islands(), job_);
}

}  // namespace

GrownIslands surroundings_of(const IslandsLeftOut& in, const Job& job) {
  constexpr double kLeast = 0.0625;  // of a cell: those looked at with one of half a cell
  const std::vector<IslandSums>& sums = in.islands.sums;
  const auto wider_than = [&](double part) {
    return [&, part](const IslandSums& one) { return is_wide(one, area_of(in.beam_px), part * in.cell_px); };
  };
  if (std::ranges::none_of(sums, wider_than(0.5)) || !lies_level(in.model)) return {};
  std::vector<std::size_t> wide;
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (wider_than(kLeast)(sums[k])) wide.push_back(k);
  const auto islands = std::make_shared<const WideIslands>(in, std::move(wide), job);
  return [islands](const BackgroundModel& model) { return islands->grown(model); };
}

}  // namespace reber
