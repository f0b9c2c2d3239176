// SPDX-License-Identifier: BSD-3-Clause
// Medians of sectors of rings in small windows of S/N, on the host.
#include "core/measure/background/local_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/base/gaussian.hpp"
#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, LevelRings::kRings + 1> kEdges{kEndOfGaussian, 2.25, 3, 4};  // beams
constexpr double kMostAreas = 1.8;                                                        // of a source, in beams
constexpr std::size_t kFewestSectors = LevelRings::kSectors - 2;

double square(double a) { return a * a; }

/// Squared distance from a source in units of its own FWHM.
struct SourceShape {
  double xx = 1, xy = 0, yy = 1;  ///< of the inverse of FWHM^2
  double areas = 1;               ///< over the beam's

  [[nodiscard]] double q2(double dy, double dx) const { return xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy; }
};

/// A window of values about a pixel.
struct Window {
  std::span<const float> values;
  const Rect& where;
  std::int64_t y, x;

  [[nodiscard]] double at(std::int64_t dy, std::int64_t dx) const {
    const std::int64_t j = y + dy - where.y0, i = x + dx - where.x0;
    if (j < 0 || i < 0 || j >= where.ny || i >= where.nx) return kNan;
    return values[static_cast<std::size_t>(j * where.nx + i)];
  }
};

/// From the pixels above half of the peak: an ellipse of them has second moments of FWHM^2 / 16.
SourceShape shape_of(const Window& window, double peak, double beam_px) {
  const SourceShape beam{1 / square(beam_px), 0, 1 / square(beam_px), 1};
  const auto reach = static_cast<std::int64_t>(1.5 * beam_px);
  double n = 0, sy = 0, sx = 0, yy = 0, xy = 0, xx = 0;
  for (std::int64_t dy = -reach; dy <= reach; ++dy)
    for (std::int64_t dx = -reach; dx <= reach; ++dx) {
      if (!(window.at(dy, dx) > 0.5 * peak)) continue;
      const auto v = static_cast<double>(dy), u = static_cast<double>(dx);
      n += 1, sy += v, sx += u, yy += v * v, xy += v * u, xx += u * u;
    }
  SourceShape shape = beam;
  shape.areas = n / (std::numbers::pi / 4 * square(beam_px));
  const double a = 16 * (xx / n - square(sx / n)), b = 16 * (xy / n - sx * sy / (n * n)),
               c = 16 * (yy / n - square(sy / n)), det = a * c - b * b;
  if (!(det > 0.25 * square(square(beam_px)))) return shape;
  return {c / det, -b / det, a / det, shape.areas};
}

/// Mean of the pixels of a sector, none farther than 3 rms from their median.   some: room
double level_of(const std::vector<float>& pixels, std::vector<float>& some) {
  constexpr auto kFar = static_cast<float>(kClear);
  some = pixels;
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::ranges::nth_element(some, middle);
  double sum = 0;
  for (const float value : pixels) sum += std::clamp(value, *middle - kFar, *middle + kFar);
  return sum / static_cast<double>(pixels.size());
}

/// Mean of the middle half and its error.   values: sorted
std::pair<double, double> middle_half(const std::vector<double>& values) {
  const std::size_t n = values.size(), cut = n / 4;
  double sum = 0, all = 0, squares = 0;
  for (std::size_t k = cut; k < n - cut; ++k) sum += values[k];
  for (const double value : values) all += std::clamp(value, values[cut], values[n - cut - 1]);
  for (const double value : values)
    squares += square(std::clamp(value, values[cut], values[n - cut - 1]) - all / static_cast<double>(n));
  const auto count = static_cast<double>(n), part = static_cast<double>(n - 2 * cut) / count;
  return {sum / static_cast<double>(n - 2 * cut), std::sqrt(squares / (count - 1) / count) / part};
}

}  // namespace

LevelRings::LevelRings(double beam_px) : beam_px_(beam_px) {
  constexpr double kWidest = 30, kStep = 1.15, kPlacesPerBeam = 4;
  for (double width = kEdges.back(); width < kWidest; width *= kStep) widths_.push_back(width);
  at_rings_.resize(widths_.size());
  const std::int64_t apart = std::max<std::int64_t>(static_cast<std::int64_t>(beam_px / kPlacesPerBeam), 1);
  const auto reach = static_cast<std::int64_t>(reach_px()) / apart * apart;
  std::array<double, kRings> all{};
  std::vector<double> distance;  // of each place, in beams
  for (std::int64_t dy = -reach; dy <= reach; dy += apart)
    for (std::int64_t dx = -reach; dx <= reach; dx += apart) {
      const auto v = static_cast<double>(dy), u = static_cast<double>(dx);
      // No pixel lies on a sector's border: an image mirrored or turned by 90 degrees has the same sectors.
      constexpr double kHalf = 0.5 / static_cast<double>(kSectors);
      const double beams = std::hypot(v, u) / beam_px, turn = std::atan2(v, u) / (2 * std::numbers::pi) + 0.5 + kHalf;
      if (beams < kEdges.front() || beams >= kEdges.back()) continue;
      const auto ring = static_cast<std::size_t>(std::ranges::upper_bound(kEdges, beams) - kEdges.begin() - 1);
      const std::size_t sector = static_cast<std::size_t>(turn * static_cast<double>(kSectors)) % kSectors;
      places_.push_back({dy, dx, ring, sector});
      distance.push_back(beams);
      ++count_[ring][sector];
      all[ring] += 1;
    }
  ThreadPool pool;
  pool.for_each(std::ssize(widths_), [&](std::int64_t w) {
    std::array<double, kRings> sum{};
    for (std::size_t k = 0; k < places_.size(); ++k)
      sum[places_[k].ring] += std::exp(-kLn16 * square(distance[k] / widths_[static_cast<std::size_t>(w)]));
    for (std::size_t ring = 0; ring < kRings; ++ring)
      at_rings_[static_cast<std::size_t>(w)][ring] = sum[ring] / all[ring];
  });
  std::ranges::stable_sort(places_, {}, [](const Place& one) { return std::pair(one.ring, one.sector); });
}

double LevelRings::reach_px() const { return kEdges.back() * beam_px_; }

std::optional<LevelRings::Levels> LevelRings::measure(std::span<const float> snr, const Rect& where, std::int64_t y,
                                                      std::int64_t x) const {
  const Window window{snr, where, y, x};
  const double peak = window.at(0, 0);
  if (!(peak > 0)) return std::nullopt;
  const SourceShape shape = shape_of(window, peak, beam_px_);
  if (!(shape.areas <= kMostAreas)) return std::nullopt;
  const double own = std::log(peak / kLevelOff) / kLn16;
  Levels made;
  made.peak = peak;
  std::vector<double> sectors;
  std::vector<float> pixels, some;
  auto place = places_.begin();
  for (std::size_t ring = 0; ring < kRings; ++ring) {
    sectors.clear();
    for (std::size_t sector = 0; sector < kSectors; ++sector) {
      pixels.clear();
      for (; place != places_.end() && place->ring == ring && place->sector == sector; ++place) {
        const double value = window.at(place->dy, place->dx);
        if (std::isfinite(value) && shape.q2(static_cast<double>(place->dy), static_cast<double>(place->dx)) > own)
          pixels.push_back(static_cast<float>(value));
      }
      const bool known = !pixels.empty() && 2 * pixels.size() >= count_[ring][sector];
      made.sector[ring][sector] = known ? level_of(pixels, some) : kNan;
      if (known) sectors.push_back(made.sector[ring][sector]);
    }
    if (sectors.size() < kFewestSectors) return std::nullopt;
    std::ranges::sort(sectors);
    std::tie(made.level[ring], made.error[ring]) = middle_half(sectors);
  }
  return made;
}

std::optional<LevelRings::Profile> LevelRings::profile(const Levels& levels) const {
  std::vector<double> heights, variances, chi2;
  double none = 0;
  for (std::size_t w = 0; w < widths_.size(); ++w) {
    double fd = 0, ff = 0, dd = 0, left = 0;
    std::array<double, kRings> weight{};
    for (std::size_t k = 0; k < kRings; ++k) {
      weight[k] = 1 / (square(levels.error[k]) + square(kNotable * levels.level[k]));
      fd += weight[k] * at_rings_[w][k] * levels.level[k];
      ff += weight[k] * square(at_rings_[w][k]);
      dd += square(levels.level[k] / levels.error[k]);
    }
    for (std::size_t k = 0; k < kRings; ++k) left += weight[k] * square(levels.level[k] - fd / ff * at_rings_[w][k]);
    heights.push_back(fd / ff), variances.push_back(1 / ff), chi2.push_back(left), none = dd;
  }
  const double best = std::ranges::min(chi2);
  if (!(best < kClear * kClear)) return std::nullopt;
  double sum = 0, height = 0, squares = 0, log_width = 0;
  for (std::size_t w = 0; w < widths_.size(); ++w) {
    const double part = std::exp(-0.5 * (chi2[w] - best));
    sum += part, height += part * heights[w], squares += part * (square(heights[w]) + variances[w]),
        log_width += part * std::log(widths_[w]);
  }
  height /= sum;
  return Profile{height, std::sqrt(squares / sum - square(height)), std::exp(log_width / sum) * beam_px_,
                 std::sqrt(std::max(none - best, 0.0))};
}

namespace {

/// Whether an island has hardly more pixels than one of a point: what lies above the flood level around a source is its
/// own, or another's.
bool is_point(const BrightSource& source, double beam_px) {
  const double beam = std::numbers::pi / kLn16 * square(beam_px);
  return static_cast<double>(source.npix) <= beam * (2 * std::log(source.snr / masked_islands().flood) + 1);
}

/// Rings of one sign, and all sectors but one. A source that stands on emission must be one without it.
bool is_certain(const LevelRings::Levels& levels, const LevelRings::Profile& profile) {
  if (levels.peak - profile.centre < masked_islands().seed) return false;
  constexpr double kSigma = 4;
  if (!(profile.sigma > kSigma)) return false;
  for (std::size_t k = 0; k + 1 < LevelRings::kRings; ++k)
    if (!(levels.level[k] * profile.centre > 0 && std::abs(levels.level[k]) > levels.error[k])) return false;
  int against = 0;
  for (std::size_t sector = 0; sector < LevelRings::kSectors; ++sector) {
    double sum = 0;
    for (const auto& ring : levels.sector) sum += std::isfinite(ring[sector]) ? ring[sector] : 0;
    against += sum * profile.centre > 0 ? 0 : 1;
  }
  return against <= 1;
}

/// Squared amplitude of the wave that goes once around a ring; empty where a sector is not known.
std::optional<double> once_around(const std::array<double, LevelRings::kSectors>& sectors) {
  double along = 0, across = 0;
  for (std::size_t k = 0; k < sectors.size(); ++k) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(sectors.size());
    along += sectors[k] * std::cos(turn), across += sectors[k] * std::sin(turn);
  }
  const double squares = (square(along) + square(across)) / square(static_cast<double>(sectors.size()));
  return std::isfinite(squares) ? std::optional(squares) : std::nullopt;
}

/// Errors of ring's levels in this noise. What goes once around a ring varies as its mean does, or a little less, and
/// knows nothing of the level: the median over all sources, that of an exponential distribution. The error of a middle
/// half is larger than that of a mean by sqrt 1.2.
std::array<double, LevelRings::kRings> common_errors(const std::vector<std::optional<LevelRings::Levels>>& all) {
  constexpr double kBeamsOfNoise = 2,
                   kMiddle = 1.2;  // of white noise that the beam has smoothed: the most there can be
  std::array<double, LevelRings::kRings> made{};
  for (std::size_t ring = 0; ring < made.size(); ++ring) {
    std::vector<double> squares;
    for (const auto& one : all)
      if (const auto its = one ? once_around(one->sector[ring]) : std::nullopt) squares.push_back(*its);
    const double area = std::numbers::pi * (square(kEdges[ring + 1]) - square(kEdges[ring]));
    made[ring] = std::sqrt(kMiddle * kBeamsOfNoise * std::numbers::pi / kLn16 / area);
    if (squares.size() < kFewestCells) continue;
    made[ring] = std::sqrt(kMiddle * middle_of(std::move(squares)) / std::numbers::ln2);
  }
  return made;
}

}  // namespace

std::vector<LocalLevel> measure_levels(const BackgroundPixels& pixels, const BackgroundModel& model,
                                       std::vector<BrightSource> sources, double beam_px) {
  if (!(beam_px >= kLeastSampling)) return {};
  std::erase_if(sources, [&](const BrightSource& one) {
    return !is_point(one, beam_px) || std::ranges::any_of(model.raised, [&](const RaisedNoise& raised) {
      return std::abs(static_cast<double>(raised.y) - one.y) <= 1 &&
             std::abs(static_cast<double>(raised.x) - one.x) <= 1;
    });
  });
  sources = brightest(std::move(sources));
  const LevelRings rings(beam_px);
  std::vector<std::optional<LevelRings::Levels>> found(sources.size());
  pixels.look_about(model, sources, rings.reach_px(),
                    [&](std::size_t k, std::span<const float> snr, const Rect& where) {
                      found[k] = rings.measure(snr, where, std::llround(sources[k].y), std::llround(sources[k].x));
                    });
  const auto common = common_errors(found);
  std::vector<LocalLevel> levels;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!found[k]) continue;
    for (std::size_t ring = 0; ring < common.size(); ++ring)
      found[k]->error[ring] = std::max(found[k]->error[ring], common[ring]);
    const auto profile = rings.profile(*found[k]);
    if (!profile || !is_certain(*found[k], *profile)) continue;
    double rms = 0;
    for (const NodePart& node : nodes_about(model.grid, std::llround(sources[k].y), std::llround(sources[k].x)))
      rms += node.part * model.rms[node.row * model.grid.cols.size() + node.col];
    // What is higher may be emission that others are part of: it stays, and is an error of this source.
    const bool taken = profile->centre <= 2;
    levels.push_back({sources[k].y, sources[k].x, taken ? profile->centre * rms : 0,
                      (taken ? profile->error : profile->centre) * rms, profile->fwhm_px, rings.reach_px()});
  }
  return levels;
}

namespace {

/// Nodes of a model along an axis, and every n-th pixel near the levels.
std::vector<PixelSpan> with_nodes(std::vector<PixelSpan> spans, const std::vector<double>& places, double reach,
                                  std::int64_t apart, std::int64_t size) {
  std::vector<bool> wanted(static_cast<std::size_t>((size + apart - 1) / apart), false);
  for (const double place : places) {
    const auto first =
        std::max<std::int64_t>(static_cast<std::int64_t>((place - reach) / static_cast<double>(apart)), 0);
    for (std::int64_t k = first; k < std::ssize(wanted) && static_cast<double>(k * apart) <= place + reach; ++k)
      wanted[static_cast<std::size_t>(k)] = true;
  }
  for (std::int64_t k = 0; k < std::ssize(wanted); ++k)
    if (wanted[static_cast<std::size_t>(k)]) spans.push_back({k * apart, k * apart + 1});
  std::ranges::stable_sort(spans, {}, centre_of);
  const auto end = std::unique(
      spans.begin(), spans.end(),  // clang 14 has no std::ranges::unique of this library
      [](const PixelSpan& one, const PixelSpan& other) { return one.begin + one.end == other.begin + other.end; });
  spans.erase(end, spans.end());
  return spans;
}

/// The model's nodes and those near the first so many levels.
MeshGrid grid_near(const MeshGrid& grid, std::span<const LocalLevel> levels, std::int64_t apart) {
  std::vector<double> ys, xs;
  for (const LocalLevel& one : levels)
    if (one.centre != 0) ys.push_back(one.y), xs.push_back(one.x);
  const double reach = levels.front().reach_px;
  return {grid.image, with_nodes(grid.rows, ys, reach, apart, grid.image.ny),
          with_nodes(grid.cols, xs, reach, apart, grid.image.nx)};
}

/// How many levels, from the first on, have nodes in the memory that there is for them: rows and columns of nodes go
/// through the whole image.
std::size_t levels_with_room(const MeshGrid& grid, std::span<const LocalLevel> levels, std::int64_t apart) {
  constexpr std::int64_t kMostAdded = std::int64_t{1} << 20;
  const std::int64_t room = grid.ny() * grid.nx() + kMostAdded;
  std::size_t fit = 0, too_many = levels.size() + 1;
  while (too_many - fit > 1) {
    const std::size_t middle = fit + (too_many - fit) / 2;
    const MeshGrid with = grid_near(grid, levels.first(middle), apart);
    (with.ny() * with.nx() <= room ? fit : too_many) = middle;
  }
  return fit;
}

}  // namespace

BackgroundModel with_levels(const BackgroundModel& model, std::vector<LocalLevel> levels, double beam_px) {
  constexpr double kApartBeams = 0.5;
  const std::int64_t apart = std::max<std::int64_t>(static_cast<std::int64_t>(kApartBeams * beam_px), 1);
  for (std::size_t k = levels_with_room(model.grid, levels, apart); k < levels.size(); ++k)
    levels[k].error = std::max(levels[k].error, std::abs(levels[k].centre)), levels[k].centre = 0;
  if (std::ranges::all_of(levels, [](const LocalLevel& one) { return one.centre == 0; })) {
    BackgroundModel same = model;
    same.levels = std::move(levels);
    return same;
  }
  BackgroundModel more = resampled(model, grid_near(model.grid, levels, apart));
  more.raised = model.raised;
  std::vector<double> added(more.mean.size(), 0.0);
  for (const LocalLevel& one : levels) {
    const auto [j0, j1] = nodes_near(more.grid.rows, one.y, one.reach_px);
    const auto [i0, i1] = nodes_near(more.grid.cols, one.x, one.reach_px);
    for (auto j = j0; j < j1; ++j)
      for (auto i = i0; i < i1; ++i) {
        const double level =
            one.centre * one.part(std::hypot(centre_of(more.grid.rows[static_cast<std::size_t>(j)]) - one.y,
                                             centre_of(more.grid.cols[static_cast<std::size_t>(i)]) - one.x));
        double& value = added[static_cast<std::size_t>(j * more.grid.nx() + i)];
        if (std::abs(level) > std::abs(value)) value = level;
      }
  }
  for (std::size_t k = 0; k < added.size(); ++k)
    if (added[k] != 0) more.mean[k] = static_cast<float>(more.mean[k] + added[k]);
  more.levels = std::move(levels);
  return more;
}

}  // namespace reber
