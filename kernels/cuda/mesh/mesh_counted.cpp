// SPDX-License-Identifier: BSD-3-Clause
// The plane's clip solver, cell after cell.
#include "kernels/cuda/mesh/mesh_counted.hpp"

#include <numeric>

#include "kernels/cuda/statistics/histogram.hpp"
#include "kernels/shared/cell_clip.hpp"

namespace reber::cuda {
namespace {

/// Knows how many finite pixels the histograms are of.
class CellHistogram final : public HistogramSource {
 public:
  CellHistogram(const CudaPlane& plane, const Job& job, const Rect& cell) : inner_(plane, job, cell) {}
  MomentHistogram moments() override {
    MomentHistogram all = inner_.moments();
    finite_ = static_cast<std::int64_t>(std::accumulate(all.count.begin(), all.count.end(), std::uint64_t{0}));
    return all;
  }
  std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) override {
    return inner_.values(bins);
  }
  [[nodiscard]] std::int64_t finite() const { return finite_; }

 private:
  PlaneHistogram inner_;
  std::int64_t finite_ = 0;
};

rules::CellValue value_of(const CudaPlane& plane, const Rect& cell, const MeshOptions& options, const Job& job) {
  constexpr std::int64_t kLeast = 3;  // finite pixels, as of any cell
  const float blank = rules::blank_value();
  CellHistogram histogram(plane, job, cell);
  const ClipStatistics clip = solve_clip(histogram, options.clip);
  const auto finite = static_cast<double>(histogram.finite());
  if (histogram.finite() < kLeast || finite < options.min_valid * static_cast<double>(cell.shape().count()))
    return {blank, blank};
  return rules::cell_value(clip.median, clip.mean, clip.std, clip_bias(options.clip.kappa), options.centre);
}

}  // namespace

MeshCells count_cells(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) {
  MeshCells cells;
  for (const PixelSpan& rows : grid.rows)
    for (const PixelSpan& cols : grid.cols) {
      const auto [mean, rms] = value_of(plane, {rows.begin, cols.begin, rows.size(), cols.size()}, options, job);
      cells.mean.push_back(mean);
      cells.rms.push_back(rms);
    }
  return cells;
}

}  // namespace reber::cuda
