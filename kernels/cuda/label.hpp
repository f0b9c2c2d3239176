// SPDX-License-Identifier: BSD-3-Clause
// Islands: bit masks, runs, union-find over runs, numbers. Kernels of label.cu and mask.cu, and what they leave.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/progress.hpp"
#include "core/compute/detection.hpp"
#include "kernels/cuda/background.hpp"
#include "kernels/cuda/plane.hpp"
#include "kernels/shared/island_rules.hpp"

namespace reber::cuda {

/// Runs of accepted islands on the device.
class CudaIslands final : public IslandMap {
 public:
  CudaIslands(std::shared_ptr<Context> context, Shape shape, const DetectOptions& options)
      : context_(std::move(context)), shape_(shape), options_(options) {}
  ~CudaIslands() override { cudaSetDevice(context_->device().device); }
  CudaIslands(const CudaIslands&) = delete;
  CudaIslands& operator=(const CudaIslands&) = delete;

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t count() const override { return islands; }
  [[nodiscard]] const DetectOptions& options() const override { return options_; }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_;
  Shape shape_;
  DetectOptions options_;

 public:
  std::int64_t islands = 0;
  std::int64_t run_count = 0;
  DeviceBuffer<rules::Run> runs;             ///< in raster order
  DeviceBuffer<std::uint32_t> labels;        ///< of each run
  DeviceBuffer<std::uint32_t> row_begin;     ///< ny + 1: first run of each row
  DeviceBuffer<std::uint64_t> by_island;     ///< label << 32 | run, sorted: an island's runs in raster order
  DeviceBuffer<std::uint32_t> island_begin;  ///< islands + 1: first entry of by_island of each island
};

/// One bit a pixel; rows of `words` 32-bit words, bits beyond nx are 0.
struct BitMask {
  std::uint32_t* bits = nullptr;
  std::int64_t words = 0;
};

/// Sets the masks of rows [y0, y0 + ny): S/N > flood, S/N > seed.
void threshold_mask(cudaStream_t stream, const RowWindow& window, const BackgroundView& background, std::int64_t y0,
                    std::int64_t ny, const DetectOptions& options, BitMask flood, BitMask seed);

/// counts[y]: runs of row y.
void count_runs(cudaStream_t stream, BitMask flood, Shape shape, std::uint32_t* counts);
/// Runs in raster order; row_begin as of the scanned counts.
void extract_runs(cudaStream_t stream, BitMask flood, Shape shape, const std::uint32_t* row_begin, rules::Run* runs);
/// parent[run]: the root of its island, its smallest run.
void connect_runs(cudaStream_t stream, const rules::Run* runs, std::int64_t count, const std::uint32_t* row_begin,
                  std::int32_t reach, std::uint32_t* parent);
/// accepted[run] is 1 for the roots of islands with a seed and min_area pixels, else 0. scratch: `count` sums and
/// flags.
void accept_roots(cudaStream_t stream, const rules::Run* runs, std::int64_t count, BitMask seed,
                  const std::uint32_t* parent, std::int64_t min_area, unsigned long long* areas, std::uint32_t* seeded,
                  std::uint32_t* accepted);
/// member[run] is 1 for runs of accepted islands.
void mark_members(cudaStream_t stream, std::int64_t count, const std::uint32_t* parent, const std::uint32_t* accepted,
                  std::uint32_t* member);
/// Moves the members together. number: exclusive scan of accepted; place: of member.
void keep_members(cudaStream_t stream, const rules::Run* runs, std::int64_t count, const std::uint32_t* parent,
                  const std::uint32_t* number, const std::uint32_t* member, const std::uint32_t* place,
                  CudaIslands& islands);
/// row_begin of the kept runs from that of all runs; place has `count` + 1 entries.
void keep_rows(cudaStream_t stream, const std::uint32_t* all_row_begin, const std::uint32_t* place, std::int64_t rows,
               std::uint32_t* row_begin);
/// island_begin from by_island.
void find_islands_begin(cudaStream_t stream, CudaIslands& islands);

/// Rows of the label map, rows `pitch` apart.
void draw_labels(cudaStream_t stream, const CudaIslands& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out,
                 std::int64_t pitch);

/// label() of the backend.
[[nodiscard]] std::unique_ptr<CudaIslands> find_islands(const CudaPlane& plane, const BackgroundModel& background,
                                                        const DetectOptions& options, const Progress& progress);
/// measure() of the backend.
[[nodiscard]] std::vector<IslandSums> measure_islands(const CudaPlane& plane, const BackgroundModel& background,
                                                      const CudaIslands& islands);

}  // namespace reber::cuda
