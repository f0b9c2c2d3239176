// SPDX-License-Identifier: BSD-3-Clause
// Exact integer histograms of a plane's float keys.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/clip_solver.hpp"

namespace reber::cuda {

/// Bins counted in shared memory: zero, and `count` bins of magnitude from `first` on, of both signs. A magnitude bin
/// is the bits of |value| without their lower 16.
struct HotBins {
  std::uint32_t first = 0;
};

/// Adds the pixels of image rows [y0, y0 + ny) to sums[bin], [kBins + bin] and [2 kBins + bin]: count, sum and sum of
/// squares of the keys' lower halves. The window's pixels are aligned to 16 bytes; its columns before `skip`, below 4,
/// are left out.
void add_moments(cudaStream_t stream, int multiprocessors, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                 int skip, HotBins hot, unsigned long long* sums);
/// Counts the lower halves of keys in bins whose slot is not 0xffff: counts[slot x 65536 + lower half]. wanted: one bit
/// a bin.
void add_values(cudaStream_t stream, int multiprocessors, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                int skip, const std::uint32_t* wanted, const std::uint16_t* slots, unsigned long long* counts);
/// samples[i]: a pixel of the window, evenly spread over it.
void sample_pixels(cudaStream_t stream, const RowWindow& window, float* samples, int count);

/// The histograms of a plane, or of a rectangle of it, for the clip solver; one walk over the rows a call.
class PlaneHistogram final : public HistogramSource {
 public:
  PlaneHistogram(const CudaPlane& plane, const Job& job)
      : PlaneHistogram(plane, job, {0, 0, plane.shape().ny, plane.shape().nx}) {}
  PlaneHistogram(const CudaPlane& plane, const Job& job, const Rect& part) : plane_(plane), job_(job), part_(part) {}
  MomentHistogram moments() override;
  std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) override;

 private:
  [[nodiscard]] HotBins choose_hot_bins() const;
  const CudaPlane& plane_;
  const Job& job_;
  const Rect part_;
};

}  // namespace reber::cuda
