// SPDX-License-Identifier: BSD-3-Clause
// Rings of a few windows of S/N on the host; nothing is done where no source is bright.
#include "core/measure/background/ring_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

constexpr double kBinsPerBeam = 2;
/// Bins on either side that belong to a ring: with its own, two and a half beams, which hold a period of sidelobes.
constexpr std::int64_t kBeside = 2;
/// Bins in a row without a sidelobe that end the rings.
constexpr std::int64_t kGap = 8;
constexpr double kNearBeams = 8, kFarBeams = 24;

/// S/N of the pixels of each bin of distance.
std::vector<std::vector<float>> binned(std::span<const float> snr, const Rect& where, const RingNoise& about,
                                       std::int64_t bins) {
  std::vector<std::vector<float>> all(static_cast<std::size_t>(bins));
  for (std::int64_t y = 0; y < where.ny; ++y)
    for (std::int64_t x = 0; x < where.nx; ++x) {
      const float value = snr[static_cast<std::size_t>(y * where.nx + x)];
      const double dy = static_cast<double>(where.y0 + y) - about.y, dx = static_cast<double>(where.x0 + x) - about.x;
      const auto bin = static_cast<std::int64_t>(std::sqrt(dy * dy + dx * dx) / about.step);
      if (bin < bins && std::isfinite(value)) all[static_cast<std::size_t>(bin)].push_back(value);
    }
  return all;
}

/// The factor of one ring; 0 where too few of its pixels are below its centre.
double factor_of(std::vector<float>& ring, double beam_area) {
  if (ring.empty()) return 0;
  const auto middle = ring.begin() + static_cast<std::ptrdiff_t>(ring.size() / 2);
  std::ranges::nth_element(ring, middle);
  const double centre = std::min(0.0, static_cast<double>(*middle));
  double sum = 0, count = 0;
  for (const float value : ring)
    if (const double d = value - centre; d < 0) sum += d * d, ++count;
  if (!(count >= kLeastShare * static_cast<double>(ring.size())) || count == 0) return 0;
  const double rms = std::sqrt(sum / count), error = 1 / std::sqrt(2 * std::max(count / beam_area, 1.0));
  return rms > 1 + kClear * error ? rms : 1;
}

/// What the rings of the others leave of the noise at a ring's source.
/// base: before the rings;   factor: of all of them, at its nodes
RaisedNoise without_own(const std::vector<RingNoise>& rings, std::size_t own, const BackgroundModel& base,
                        const std::vector<double>& factor) {
  RaisedNoise source{std::llround(rings[own].y), std::llround(rings[own].x), 1};
  double quiet = 0, raised = 0;
  for (const NodePart& node : nodes_about(base.grid, source.y, source.x)) {
    const double y = centre_of(base.grid.rows[node.row]), x = centre_of(base.grid.cols[node.col]);
    double others = 1;
    for (std::size_t k = 0; k < rings.size(); ++k)
      if (k != own) others = std::max(others, rings[k].at(std::hypot(y - rings[k].y, x - rings[k].x)));
    const auto at = node.row * base.grid.cols.size() + node.col;
    quiet += node.part * others * base.rms[at];
    raised += node.part * factor[at] * base.rms[at];
  }
  if (raised > quiet) source.quiet = quiet / raised;
  return source;
}

}  // namespace

double RingNoise::at(double distance) const {
  const double place = std::max(distance / step - 0.5, 0.0);
  if (place >= static_cast<double>(factor.size())) return 1;
  const auto below = static_cast<std::size_t>(place);
  const double weight = place - static_cast<double>(below);
  return (1 - weight) * factor[below] + weight * (below + 1 < factor.size() ? factor[below + 1] : 1);
}

RingNoise ring_noise(std::span<const float> snr, const Rect& where, double y, double x, double beam_px,
                     double reach_px) {
  RingNoise rings{y, x, beam_px / kBinsPerBeam, {}};
  const auto bins = std::max<std::int64_t>(static_cast<std::int64_t>(reach_px / rings.step), 1);
  const double beam_area = std::numbers::pi / (4 * std::numbers::ln2) * beam_px * beam_px;
  const std::vector<std::vector<float>> pixels = binned(snr, where, rings, bins);
  std::vector<float> ring;
  for (std::int64_t k = 0, ones = 0; k < bins && ones < kGap; ++k) {
    ring.clear();
    for (std::int64_t j = std::max<std::int64_t>(k - kBeside, 0); j <= std::min(k + kBeside, bins - 1); ++j)
      ring.insert(ring.end(), pixels[static_cast<std::size_t>(j)].begin(), pixels[static_cast<std::size_t>(j)].end());
    rings.factor.push_back(factor_of(ring, beam_area));
    ones = rings.factor.back() == 1 ? ones + 1 : 0;
  }
  double outward = 1;
  for (auto k = rings.factor.rbegin(); k != rings.factor.rend(); ++k) outward = *k = *k == 0 ? outward : *k;
  while (!rings.factor.empty() && rings.factor.back() == 1) rings.factor.pop_back();
  return rings;
}

BackgroundModel with_rings(const BackgroundModel& model, const std::vector<RingNoise>& rings, double beam_px) {
  constexpr double kSpacingBeams = 2.5;
  std::int64_t spacing = static_cast<std::int64_t>(std::ceil(kSpacingBeams * beam_px));
  for (const auto* spans : {&model.grid.rows, &model.grid.cols})  // those at the rim may be of one pixel
    spacing = std::min(spacing, (*spans)[std::min<std::size_t>(1, spans->size() - 1)].size());
  BackgroundModel fine = resampled(model, model.grid.with_cells(std::max<std::int64_t>(spacing, 1)));
  std::vector<double> factor(fine.rms.size(), 1.0);
  for (const RingNoise& one : rings) {
    const double reach = one.step * static_cast<double>(one.factor.size() + 1);
    const auto [j0, j1] = nodes_near(fine.grid.rows, one.y, reach);
    const auto [i0, i1] = nodes_near(fine.grid.cols, one.x, reach);
    for (auto j = j0; j < j1; ++j)
      for (auto i = i0; i < i1; ++i) {
        double& value = factor[static_cast<std::size_t>(j * fine.grid.nx() + i)];
        value = std::max(value, one.at(std::hypot(centre_of(fine.grid.rows[static_cast<std::size_t>(j)]) - one.y,
                                                  centre_of(fine.grid.cols[static_cast<std::size_t>(i)]) - one.x)));
      }
  }
  for (std::size_t k = 0; k < rings.size(); ++k) fine.raised.push_back(without_own(rings, k, fine, factor));
  for (std::size_t k = 0; k < factor.size(); ++k) fine.rms[k] = static_cast<float>(fine.rms[k] * factor[k]);
  return fine;
}

std::vector<RingNoise> measure_rings(const BackgroundPixels& pixels, const BackgroundModel& model,
                                     std::vector<BrightSource> sources, double beam_px) {
  const auto look = [&](const std::vector<BrightSource>& about, double beams) {
    std::vector<RingNoise> rings(about.size());
    pixels.look_about(model, about, beams * beam_px, [&](std::size_t k, std::span<const float> snr, const Rect& where) {
      rings[k] = ring_noise(snr, where, about[k].y, about[k].x, beam_px, beams * beam_px);
    });
    return rings;
  };
  sources = brightest(std::move(sources));
  std::vector<RingNoise> rings = look(sources, kNearBeams);
  std::vector<std::size_t> cut_off;
  std::vector<BrightSource> again;
  for (std::size_t k = 0; k < rings.size(); ++k) {
    if (static_cast<double>(rings[k].factor.size() + kGap) <= kNearBeams * kBinsPerBeam) continue;
    cut_off.push_back(k);
    again.push_back(sources[k]);
  }
  std::vector<RingNoise> wider = look(again, kFarBeams);
  for (std::size_t k = 0; k < wider.size(); ++k) rings[cut_off[k]] = std::move(wider[k]);
  std::erase_if(rings, [](const RingNoise& one) { return one.factor.empty(); });
  return rings;
}

}  // namespace reber
