// SPDX-License-Identifier: BSD-3-Clause
// Planes that are nowhere kept: rows that are made on the card when an operation asks for them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/seam/compute/job.hpp"
#include "core/seam/compute/tiling_plan.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "kernels/cuda/device/context.hpp"

namespace reber::cuda {

class ChangedRows;
class MakesRectangles;
class ReadRows;

/// What is known of a plane once all of it was seen. largest: absolute value, where `measured`.
struct PlaneCounts {
  std::int64_t blank = 0, infinite = 0;
  float largest = 0;
};

/// Makes rows of a plane, always with the same bits. Counts them the first time that they are made, in ascending order,
/// so that one walk over a plane knows its blank pixels. Calls come from one thread at a time.
class RowMaker {
 public:
  /// tiling: rows at a time of those who walk over the plane
  RowMaker(std::shared_ptr<Context> context, Shape shape, TilingPlan tiling);
  virtual ~RowMaker() = default;
  RowMaker(const RowMaker&) = delete;
  RowMaker& operator=(const RowMaker&) = delete;

  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] const TilingPlan& tiling() const { return tiling_; }

  /// Queues rows [y0, y0 + ny) into out on the device, rows pitch_of(nx) apart.   throws what reading throws
  void make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream);
  /// Makes rows that nobody asked for yet, for their counts.   throws Cancelled
  void count(const Job& job);
  /// Of the whole plane; counts first where that was not done.
  [[nodiscard]] PlaneCounts counts();
  /// Whether counts() knows the largest absolute value.
  [[nodiscard]] virtual bool knows_largest() const { return false; }

  // What rows can do in addition (kernels/cuda/device/row_roles.hpp); null where they cannot.
  [[nodiscard]] virtual MakesRectangles* rectangles() { return nullptr; }
  [[nodiscard]] virtual ReadRows* read_rows() { return nullptr; }
  [[nodiscard]] virtual const ChangedRows* changed_rows() const { return nullptr; }

 private:
  /// counts[0], [1], [2]: blank pixels and infinite ones are added, the bits of the largest value raised
  virtual void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream,
                       unsigned long long* counts) = 0;
  /// Infinite pixels of the whole plane. counted: by do_make
  [[nodiscard]] virtual std::int64_t infinite(std::int64_t counted) const { return counted; }
  void forget_counts();

  std::shared_ptr<Context> context_;
  Shape shape_;
  TilingPlan tiling_;
  std::int64_t counted_rows_ = 0;  ///< rows [0, counted_rows_) are in totals_
  bool spoiled_ = false;           ///< a failure left totals_ with part of some rows
  std::optional<PlaneCounts> known_;
  DeviceBuffer<unsigned long long> totals_;  ///< of the rows counted, then what is counted for nothing
};

/// A plane whose pixels stay in the source, read in blocks ahead of each walk. The source is kept.
[[nodiscard]] std::shared_ptr<RowMaker> source_rows(const std::shared_ptr<Context>& context,
                                                    std::shared_ptr<const PixelSource> source,
                                                    const TilingPlan& tiling);

}  // namespace reber::cuda
