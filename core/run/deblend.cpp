// SPDX-License-Identifier: BSD-3-Clause
// Deblending by flooding from the peaks down: a merge tree with the contrast rule at every merge.
#include "core/run/deblend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

/// The pixels around one peak, as far as they have been taken in.
struct Basin {
  std::size_t peak;     ///< pixel
  double flux = 0;      ///< sum above background
  std::int64_t count = 0;
  std::int32_t parent;  ///< itself while it stands on its own
};

/// One island while it is being split. Pixels are numbered in raster order.
class Island {
 public:
  Island(const IslandPixels& pixels, std::size_t which, const DetectOptions& detect, const DeblendOptions& options)
      : first_(static_cast<std::size_t>(pixels.first[which])),
        count_(static_cast<std::size_t>(pixels.first[which + 1]) - first_),
        pixels_(pixels),
        detect_(detect),
        options_(options) {}

  /// Number of peaks that stand; assignment of pixels is then in basin_of().
  std::size_t split();

  [[nodiscard]] std::vector<IslandSums> sums();

 private:
  [[nodiscard]] double above(std::size_t p) const {
    const float difference = pixels_.pixel[first_ + p] - pixels_.mean[first_ + p];
    return detect_.negative ? -difference : difference;
  }
  [[nodiscard]] std::int32_t y(std::size_t p) const { return pixels_.y[first_ + p]; }
  [[nodiscard]] std::int32_t x(std::size_t p) const { return pixels_.x[first_ + p]; }

  void find_rows();
  [[nodiscard]] std::ptrdiff_t pixel_at(std::int32_t py, std::int32_t px) const;
  std::int32_t root(std::int32_t basin);
  void take_in(std::size_t p);
  void join(std::vector<std::int32_t>& meeting, double level);
  [[nodiscard]] bool stands(const Basin& basin, double level, double brightest) const;

  std::size_t first_, count_;
  const IslandPixels& pixels_;
  const DetectOptions& detect_;
  const DeblendOptions& options_;
  std::vector<std::size_t> row_begin_;  ///< first pixel of each row of the bounding box; one more at the end
  std::vector<std::int32_t> basin_;     ///< of each pixel, -1 before it is taken in
  std::vector<Basin> basins_;           ///< by falling peak
  double total_ = 0;
  std::vector<std::int32_t> meeting_;   ///< basins around the pixel that is taken in
};

void Island::find_rows() {
  const std::int32_t y0 = y(0), y1 = y(count_ - 1) + 1;
  row_begin_.assign(static_cast<std::size_t>(y1 - y0) + 1, 0);
  for (std::size_t p = 0; p < count_; ++p) ++row_begin_[static_cast<std::size_t>(y(p) - y0) + 1];
  std::partial_sum(row_begin_.begin(), row_begin_.end(), row_begin_.begin());
}

/// Number of the pixel at that place, or -1.
std::ptrdiff_t Island::pixel_at(std::int32_t py, std::int32_t px) const {
  const std::int32_t row = py - y(0);
  if (row < 0 || row + 1 >= static_cast<std::int32_t>(row_begin_.size())) return -1;
  const auto begin = pixels_.x.begin() + static_cast<std::ptrdiff_t>(first_ + row_begin_[static_cast<std::size_t>(row)]);
  const auto end =
      pixels_.x.begin() + static_cast<std::ptrdiff_t>(first_ + row_begin_[static_cast<std::size_t>(row) + 1]);
  const auto at = std::lower_bound(begin, end, px);
  return at != end && *at == px ? at - pixels_.x.begin() - static_cast<std::ptrdiff_t>(first_) : -1;
}

std::int32_t Island::root(std::int32_t basin) {
  while (basins_[basin].parent != basin) basin = basins_[basin].parent = basins_[basins_[basin].parent].parent;
  return basin;
}

/// A peak that would be detected by itself on the level where it meets another stands whatever its part of the flux, if
/// it rises by twice the contrast of the higher peak: what is less may be a calibration error around that one.
/// brightest: the highest peak that meets there, above background
bool Island::stands(const Basin& basin, double level, double brightest) const {
  const double peak = above(basin.peak), rms = pixels_.rms[first_ + basin.peak], rise = peak - level;
  if (!(peak > detect_.seed * rms && rise > options_.prominence * rms)) return false;
  const bool holds_flux = basin.flux - level * static_cast<double>(basin.count) > options_.contrast * total_;
  return holds_flux || (rise > detect_.seed * rms && rise > 2 * options_.contrast * brightest);
}

/// Basins that meet at `level`. The one with the highest peak takes up the others unless it and they stand.
void Island::join(std::vector<std::int32_t>& meeting, double level) {
  std::ranges::sort(meeting);
  const auto [last, end] = std::ranges::unique(meeting);
  meeting.erase(last, end);
  Basin& highest = basins_[meeting[0]];
  const double brightest = above(highest.peak);
  const bool highest_stands = stands(highest, level, brightest);
  for (std::size_t k = 1; k < meeting.size(); ++k) {
    Basin& other = basins_[meeting[k]];
    if (highest_stands && stands(other, level, brightest)) continue;
    other.parent = meeting[0];
    highest.flux += other.flux;
    highest.count += other.count;
  }
}

void Island::take_in(std::size_t p) {
  std::vector<std::int32_t>& meeting = meeting_;
  meeting.clear();
  std::ptrdiff_t brightest = -1;
  for (std::int32_t dy = -1; dy <= 1; ++dy)
    for (std::int32_t dx = -1; dx <= 1; ++dx) {
      if ((dy == 0 && dx == 0) || (detect_.connectivity == Connectivity::four && dy != 0 && dx != 0)) continue;
      const std::ptrdiff_t q = pixel_at(y(p) + dy, x(p) + dx);
      if (q < 0 || basin_[static_cast<std::size_t>(q)] < 0) continue;
      meeting.push_back(root(basin_[static_cast<std::size_t>(q)]));
      if (brightest < 0 || above(static_cast<std::size_t>(q)) > above(static_cast<std::size_t>(brightest))) brightest = q;
    }
  if (meeting.empty()) {
    basin_[p] = static_cast<std::int32_t>(basins_.size());
    basins_.push_back({p, 0, 0, basin_[p]});
  } else {
    if (meeting.size() > 1) join(meeting, above(p));
    basin_[p] = root(basin_[static_cast<std::size_t>(brightest)]);
  }
  Basin& mine = basins_[basin_[p]];
  mine.flux += above(p);
  ++mine.count;
}

std::size_t Island::split() {
  find_rows();
  std::vector<std::size_t> order(count_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double va = above(a), vb = above(b);
    return va != vb ? va > vb : a < b;
  });
  for (std::size_t p = 0; p < count_; ++p) total_ += above(p);
  basin_.assign(count_, -1);
  for (const std::size_t p : order) take_in(p);
  std::size_t standing = 0;
  for (std::size_t k = 0; k < basins_.size(); ++k) standing += basins_[k].parent == static_cast<std::int32_t>(k) ? 1 : 0;
  return standing;
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

std::vector<SourceSums> deblend(const std::vector<IslandSums>& islands, const IslandPixels& pixels,
                                const DetectOptions& detect, const DeblendOptions& options,
                                const Progress& progress) {
  // Islands know nothing of each other: each is split by one thread, and the answer is the same for any number of them.
  std::vector<std::vector<IslandSums>> parts(options.on ? pixels.label.size() : 0);
  ThreadPool pool;
  pool.for_each(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
    progress.check();
    Island island(pixels, static_cast<std::size_t>(i), detect, options);
    if (island.split() > 1) parts[static_cast<std::size_t>(i)] = island.sums();
  });
  std::vector<SourceSums> sources;
  std::size_t next = 0;
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const auto label = static_cast<std::int64_t>(k) + 1;
    if (next < parts.size() && pixels.label[next] == label) {
      const std::vector<IslandSums>& split = parts[next++];
      for (const IslandSums& part : split) sources.push_back({part, label, true});
      if (!split.empty()) continue;
    }
    sources.push_back({islands[k], label, false});
  }
  return sources;
}

}  // namespace reber
