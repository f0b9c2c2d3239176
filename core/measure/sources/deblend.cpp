// SPDX-License-Identifier: BSD-3-Clause
// Deblending by flooding from the peaks down: a merge tree with the contrast rule at every merge.
#include "core/measure/sources/deblend.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/base/thread_pool.hpp"
#include "core/measure/sources/island_rest.hpp"

namespace reber {
namespace {

/// The pixels around one peak, as far as they have been taken in.
struct Basin {
  std::size_t peak;  ///< pixel
  double flux = 0;   ///< sum above background
  std::int64_t count = 0;
  std::int32_t parent;  ///< itself while it stands on its own
};

/// One island after the other while it is being split. Pixels are numbered in raster order.
class Island {
 public:
  Island(const IslandPixels& pixels, const DetectOptions& detect, const DeblendOptions& options)
      : pixels_(pixels), detect_(detect), options_(options) {}

  /// Whether several peaks of that island stand; their parts are then in sums().
  bool split(std::size_t which, const GridBeam& beam);

  [[nodiscard]] std::vector<IslandSums> sums();
  /// Peaks above the seed threshold that joined others in the last split().
  [[nodiscard]] const std::vector<JoinedPeak>& joined() const { return joined_; }

 private:
  [[nodiscard]] double above(std::size_t p) const { return above_[p]; }
  [[nodiscard]] std::int32_t y(std::size_t p) const { return pixels_.y[first_ + p]; }
  [[nodiscard]] std::int32_t x(std::size_t p) const { return pixels_.x[first_ + p]; }

  void begin(std::size_t which, const GridBeam& beam);
  void find_rows();
  [[nodiscard]] std::size_t pixel_at(std::int32_t row, std::int32_t column) const;
  template <typename Visit>
  void neighbours(std::size_t p, Visit visit) const;
  [[nodiscard]] std::size_t detected_peaks() const;
  std::int32_t root(std::int32_t basin);
  void take_in(std::size_t p);
  void join(std::vector<std::int32_t>& meeting, double level);
  void tell(const Basin& lesser, const Basin& greater, double level, bool itself);
  [[nodiscard]] bool stands(const Basin& basin, double level, double brightest) const;

  const IslandPixels& pixels_;
  const DetectOptions& detect_;
  const DeblendOptions& options_;
  std::size_t first_ = 0, count_ = 0;
  std::vector<double> above_;  ///< of each pixel, above background
  /// Of each pixel: the first of the row before and of the row after that is not left of its neighbours.
  std::vector<std::size_t> before_, after_;
  std::vector<GridStep> further_;  ///< to neighbours that are none of the grid's
  std::vector<std::size_t>
      row_first_;                    ///< of each row from the island's first, and of one past its last; only with those
  std::vector<std::size_t> order_;   ///< pixels from bright to faint
  std::vector<std::int32_t> basin_;  ///< of each pixel, -1 before it is taken in
  std::vector<Basin> basins_;        ///< by falling peak
  double total_ = 0;
  std::vector<JoinedPeak> joined_;
  std::vector<std::int32_t> meeting_;  ///< basins around the pixel that is taken in
};

void Island::begin(std::size_t which, const GridBeam& beam) {
  first_ = static_cast<std::size_t>(pixels_.first[which]);
  count_ = static_cast<std::size_t>(pixels_.first[which + 1]) - first_;
  above_.resize(count_);
  for (std::size_t p = 0; p < count_; ++p) {
    const float difference = pixels_.pixel[first_ + p] - pixels_.mean[first_ + p];
    above_[p] = detect_.negative ? -difference : difference;
  }
  find_rows();
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(above_) - above_.begin());
  const std::optional<Covariance> shape = beam ? beam(x(peak), y(peak)) : std::nullopt;
  further_ = shape ? further_neighbours(*shape) : std::vector<GridStep>();
  if (further_.empty()) return;
  row_first_.assign(static_cast<std::size_t>(y(count_ - 1) - y(0)) + 2, count_);
  for (std::size_t p = count_; p-- > 0;) row_first_[static_cast<std::size_t>(y(p) - y(0))] = p;
  for (std::size_t row = row_first_.size() - 1; row-- > 0;)
    row_first_[row] = std::min(row_first_[row], row_first_[row + 1]);
}

/// count_ where the island has no such pixel.
std::size_t Island::pixel_at(std::int32_t row, std::int32_t column) const {
  if (row < y(0) || row > y(count_ - 1)) return count_;
  const auto at = static_cast<std::size_t>(row - y(0));
  const auto columns = pixels_.x.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto first = columns + static_cast<std::ptrdiff_t>(row_first_[at]);
  const auto last = columns + static_cast<std::ptrdiff_t>(row_first_[at + 1]);
  const auto found = std::lower_bound(first, last, column);
  return found != last && *found == column ? static_cast<std::size_t>(found - columns) : count_;
}

/// Walks along two rows at once: within a row x rises.
void Island::find_rows() {
  before_.assign(count_, count_);
  after_.assign(count_, count_);
  std::size_t row = 0, last_row = count_;  // where this row and the one before it begin
  for (std::size_t p = 0; p < count_;) {
    std::size_t end = p;
    while (end < count_ && y(end) == y(p)) ++end;
    row = p;
    if (last_row < row && y(last_row) + 1 == y(row)) {
      for (std::size_t q = last_row; p < end; ++p) {
        while (q < row && x(q) + 1 < x(p)) ++q;
        before_[p] = q;
      }
      std::size_t q = row;
      for (std::size_t above = last_row; above < row; ++above) {
        while (q < end && x(q) + 1 < x(above)) ++q;
        after_[above] = q;
      }
    }
    last_row = row;
    p = end;
  }
}

/// Those of the grid in raster order, then the further ones.
template <typename Visit>
void Island::neighbours(std::size_t p, Visit visit) const {
  const bool diagonal = detect_.connectivity != Connectivity::four;
  const auto along = [&](std::size_t q, std::int32_t row) {
    for (; q < count_ && y(q) == row && x(q) <= x(p) + 1; ++q)
      if (diagonal || x(q) == x(p)) visit(q);
  };
  along(before_[p], y(p) - 1);
  if (p > 0 && y(p - 1) == y(p) && x(p - 1) + 1 == x(p)) visit(p - 1);
  if (p + 1 < count_ && y(p + 1) == y(p) && x(p + 1) == x(p) + 1) visit(p + 1);
  along(after_[p], y(p) + 1);
  for (const GridStep& step : further_)
    if (const std::size_t q = pixel_at(y(p) + step.y, x(p) + step.x); q < count_) visit(q);
}

/// Pixels that come before all their neighbours, from bright to faint, and reach the seed threshold. Where there are
/// fewer than two, no two peaks can stand.
std::size_t Island::detected_peaks() const {
  std::size_t peaks = 0;
  for (std::size_t p = 0; p < count_; ++p) {
    if (!(above(p) > detect_.seed * static_cast<double>(pixels_.rms[first_ + p]))) continue;
    bool highest = true;
    neighbours(p, [&](std::size_t q) { highest = highest && (above(p) != above(q) ? above(p) > above(q) : p < q); });
    peaks += highest ? 1 : 0;
  }
  return peaks;
}

std::int32_t Island::root(std::int32_t basin) {
  while (basins_[basin].parent != basin) basin = basins_[basin].parent = basins_[basins_[basin].parent].parent;
  return basin;
}

/// Whether a peak stands where it meets others at `level`: it reaches the seed threshold, rises by the prominence, and
/// holds the contrast's part of the island's flux above `level`. A peak also stands, whatever its flux, if it rises by
/// the seed threshold and by twice the contrast of the brighter peak; what rises less may be a calibration error.
/// brightest  the highest peak that meets there, above background
bool Island::stands(const Basin& basin, double level, double brightest) const {
  const double peak = above(basin.peak), rms = pixels_.rms[first_ + basin.peak], rise = peak - level;
  if (!(peak > detect_.seed * rms && rise > options_.prominence * rms)) return false;
  const bool holds_flux = basin.flux - level * static_cast<double>(basin.count) > options_.contrast * total_;
  return holds_flux || (rise > detect_.seed * rms && rise > 2 * options_.contrast * brightest);
}

/// Peaks below the seed threshold are not told of: wide emission has thousands.
void Island::tell(const Basin& lesser, const Basin& greater, double level, bool itself) {
  const double rms = pixels_.rms[first_ + lesser.peak], peak = above(lesser.peak) / rms;
  if (peak > detect_.seed)
    joined_.push_back({y(lesser.peak), x(lesser.peak), y(greater.peak), x(greater.peak), peak, level / rms, itself});
}

/// Basins that meet at `level`. The one with the highest peak takes up the others unless it and they stand.
void Island::join(std::vector<std::int32_t>& meeting, double level) {
  std::ranges::sort(meeting);
  meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());
  Basin& highest = basins_[meeting[0]];
  const double brightest = above(highest.peak);
  const bool highest_stands = stands(highest, level, brightest);
  for (std::size_t k = 1; k < meeting.size(); ++k) {
    Basin& other = basins_[meeting[k]];
    const bool it_stands = stands(other, level, brightest);
    if (highest_stands && it_stands) continue;
    tell(other, highest, level, !it_stands);
    other.parent = meeting[0];
    highest.flux += other.flux;
    highest.count += other.count;
  }
}

void Island::take_in(std::size_t p) {
  std::vector<std::int32_t>& meeting = meeting_;
  meeting.clear();
  std::size_t brightest = count_;
  neighbours(p, [&](std::size_t q) {
    if (basin_[q] < 0) return;
    meeting.push_back(root(basin_[q]));
    if (brightest == count_ || above(q) > above(brightest)) brightest = q;
  });
  if (meeting.empty()) {
    basin_[p] = static_cast<std::int32_t>(basins_.size());
    basins_.push_back({p, 0, 0, basin_[p]});
  } else {
    if (meeting.size() > 1) join(meeting, above(p));
    basin_[p] = root(basin_[brightest]);
  }
  Basin& mine = basins_[basin_[p]];
  mine.flux += above(p);
  ++mine.count;
}

bool Island::split(std::size_t which, const GridBeam& beam) {
  begin(which, beam);
  joined_.clear();
  if (detected_peaks() < 2) return false;
  order_.resize(count_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
    const double va = above(a), vb = above(b);
    return va != vb ? va > vb : a < b;
  });
  total_ = 0;
  for (std::size_t p = 0; p < count_; ++p) total_ += above(p);
  basin_.assign(count_, -1);
  basins_.clear();
  for (const std::size_t p : order_) take_in(p);
  std::size_t standing = 0;
  for (std::size_t k = 0; k < basins_.size(); ++k)
    standing += basins_[k].parent == static_cast<std::int32_t>(k) ? 1 : 0;
  return standing > 1;
}

std::vector<IslandSums> Island::sums() {
  std::vector<std::int32_t> part(basins_.size(), -1);
  std::vector<IslandSums> parts;
  for (std::size_t p = 0; p < count_; ++p) {
    const std::int32_t basin = root(basin_[p]);
    if (part[basin] < 0) {
      part[basin] = static_cast<std::int32_t>(parts.size());
      IslandSums fresh;
      fresh.first_y = fresh.y0 = y(p);
      fresh.first_x = fresh.x0 = fresh.x1 = x(p);
      const std::size_t peak = basins_[basin].peak;
      fresh.peak_y = y(peak), fresh.peak_x = x(peak);
      fresh.peak = pixels_.pixel[first_ + peak];
      fresh.peak_mean = pixels_.mean[first_ + peak], fresh.peak_rms = pixels_.rms[first_ + peak];
      parts.push_back(fresh);
    }
    IslandSums& sums = parts[part[basin]];
    const double value = above(p), dx = x(p) - sums.first_x, dy = y(p) - sums.first_y;
    ++sums.npix;
    sums.x0 = std::min(sums.x0, x(p)), sums.x1 = std::max(sums.x1, x(p) + 1), sums.y1 = y(p) + 1;
    sums.s += value;
    sums.sx += value * dx, sums.sy += value * dy;
    sums.sxx += value * dx * dx, sums.sxy += value * dx * dy, sums.syy += value * dy * dy;
  }
  return parts;
}

}  // namespace

std::vector<SourceRow> deblend(const std::vector<IslandSums>& islands, const IslandPixels& pixels,
                               const DetectOptions& detect, const DeblendOptions& options, const GridBeam& beam,
                               const Progress& progress) {
  // Islands know nothing of each other: each is split by one thread, and the answer is the same for any number of them.
  std::vector<std::vector<IslandSums>> parts(options.on ? pixels.label.size() : 0);
  std::vector<std::shared_ptr<const std::vector<JoinedPeak>>> joined(parts.size());
  ThreadPool pool;
  std::vector<Island> workers(static_cast<std::size_t>(pool.threads()), Island(pixels, detect, options));
  pool.for_each_worker(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i, int worker) {
    progress.check();
    Island& island = workers[static_cast<std::size_t>(worker)];
    const auto which = static_cast<std::size_t>(i);
    if (island.split(which, beam)) parts[which] = island.sums();
    if (!island.joined().empty()) joined[which] = std::make_shared<const std::vector<JoinedPeak>>(island.joined());
  });
  std::vector<SourceRow> sources;
  std::size_t next = 0, count = islands.size();
  for (const std::vector<IslandSums>& split : parts) count += split.size();
  sources.reserve(count);
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const auto label = static_cast<std::int64_t>(k) + 1;
    const bool has_pixels = next < parts.size() && pixels.label[next] == label;
    const std::size_t first = sources.size();
    if (has_pixels)
      for (const IslandSums& part : parts[next])
        sources.push_back({part, label, true, false, islands[k].npix, islands[k].s});
    if (first == sources.size()) sources.push_back({islands[k], label, false, false, islands[k].npix, islands[k].s});
    if (!has_pixels) continue;
    for (std::size_t i = first; i < sources.size(); ++i) sources[i].story.joined = joined[next];
    ++next;
  }
  return sources;
}

GridBeam grid_beam(const ImageHeader& header, const BeamField& beams) {
  const auto centre = header.centre_geometry();
  if (!centre || !beams.nominal()) return {};
  const Beam& sky = *beams.nominal();
  const Covariance nominal = to_pixels(sky_covariance(sky.major_deg, sky.minor_deg, sky.pa_deg), *centre);
  return
      [=](double x, double y) -> std::optional<Covariance> { return beams.varies() ? beams.at(x, y).pixels : nominal; };
}

/// Lagrange's reduction of the grid's basis in the metric of the beam.
std::vector<GridStep> further_neighbours(const Covariance& beam) {
  const auto product = [&](const GridStep& a, const GridStep& b) {  // times the determinant of `beam`
    return beam.yy * a.x * b.x - beam.xy * (a.x * b.y + a.y * b.x) + beam.xx * a.y * b.y;
  };
  GridStep shorter{0, 1}, longer{1, 0};
  while (true) {
    if (product(shorter, shorter) > product(longer, longer)) std::swap(shorter, longer);
    const double times = std::round(product(shorter, longer) / product(shorter, shorter));
    if (!(std::abs(times) >= 1 && std::abs(times) < 1e6)) break;
    longer.y -= static_cast<std::int32_t>(times) * shorter.y;
    longer.x -= static_cast<std::int32_t>(times) * shorter.x;
  }
  const std::int32_t side = product(shorter, longer) > 0 ? 1 : -1;
  std::vector<GridStep> further;
  for (const GridStep& step : {shorter, longer, {longer.y - side * shorter.y, longer.x - side * shorter.x}})
    if (std::max(std::abs(step.y), std::abs(step.x)) > 1) {
      further.push_back(step);
      further.push_back({-step.y, -step.x});
    }
  return further;
}

std::int64_t least_blend(const ImageHeader& header, const std::optional<Beam>& beam) {
  const auto geometry = header.wcs.sky_per_pixel(0.5 * static_cast<double>(header.shape.nx - 1),
                                                 0.5 * static_cast<double>(header.shape.ny - 1));
  if (!beam || !geometry) return kPixelsForShape;
  return std::max(kPixelsForShape,
                  static_cast<std::int64_t>(0.75 * beam->area_deg2() / std::abs(geometry->determinant())));
}

}  // namespace reber
