// SPDX-License-Identifier: BSD-3-Clause
// Streamed planes: rows that are made when an operation asks for them, and the walk over bands of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/seam/compute/background.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// What a streamed plane keeps alive of its backend.
struct RowTools {
  std::shared_ptr<PixelMemory> memory;
  std::shared_ptr<ThreadPool> pool;
};

/// Makes rows of a plane that is not kept in memory, always with the same bits. Calls come from one thread at a time.
class RowMaker {
 public:
  /// band_rows: at most so many rows are wanted at a time, but for operations that cannot do with less; >= 1.
  RowMaker(Shape plane_shape, std::int64_t band_rows, RowTools tools);
  virtual ~RowMaker() = default;
  RowMaker(const RowMaker&) = delete;
  RowMaker& operator=(const RowMaker&) = delete;

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] std::int64_t band_rows() const { return band_rows_; }
  [[nodiscard]] const RowTools& tools() const { return tools_; }

  /// Rows [y0, y0 + ny) into out, without gaps.   throws what reading throws; Cancelled
  void make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const;
  /// A rectangle into out, its rows without gaps, read by itself.   returns false where rows are made otherwise. Of a
  /// plane that is made of one in memory by several threads at a time.
  virtual bool make_rectangle(const Rect& /*where*/, float* /*out*/) const { return false; }
  /// Whether rows are read, not made of other planes.
  [[nodiscard]] virtual bool reads() const { return false; }
  /// Null unless these are rows of another plane with some pixels changed.
  [[nodiscard]] virtual const ChangedRows* changed_rows() const { return nullptr; }
  /// Makes rows that nobody asked for yet, for their counts; where processes share the image, those of its share.
  void count(const JobThreads& threads) const;
  /// Of the whole plane; counts first where that was not done.
  [[nodiscard]] BlankCounts counts() const;

 private:
  /// returns the counts of these rows
  virtual BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const = 0;

  Shape shape_;
  std::int64_t band_rows_;
  RowTools tools_;
  mutable std::int64_t counted_rows_ = 0;  ///< rows [0, counted_rows_) are in counts_
  mutable BlankCounts counts_;
};

/// Rows of another plane in which some pixels are changed.
class ChangedRows {
 public:
  virtual ~ChangedRows() = default;
  [[nodiscard]] virtual const CpuPlane& base() const = 0;
  /// Rows [y0, y0 + ny) from those of the base.
  virtual void change(std::int64_t y0, std::int64_t ny, const float* from, float* to,
                      const JobThreads& threads) const = 0;
  /// Pixels of the islands that it leaves out.
  [[nodiscard]] virtual std::int64_t left_out() const = 0;
  /// Of each cell of a grid, row-major: 0 where its pixels are those of the base.
  [[nodiscard]] virtual std::vector<char> changed_cells(const MeshGrid& grid) const = 0;
};

/// The role of its rows; null where the plane is in memory or they have none.
[[nodiscard]] inline const ChangedRows* changed_rows(const CpuPlane& plane) {
  return plane.maker() ? plane.maker()->changed_rows() : nullptr;
}

/// Whether counts of the plane are known when this returns.
void count_blanks(const CpuPlane& plane, const JobThreads& threads);

/// Rows in memory for as long as this lives: a resident plane's own, or a copy that was made.
struct HeldRows {
  const float* pixels = nullptr;
  std::int64_t first = 0, nx = 0;  ///< the row that `pixels` points at
  Pixels memory;

  [[nodiscard]] const float* row(std::int64_t y) const { return pixels + (y - first) * nx; }
};
/// Rows [y0, y0 + ny), readable for Pixels::kSlack floats past the last one; more where the plane is resident.
[[nodiscard]] HeldRows hold_rows(const CpuPlane& plane, std::int64_t y0, std::int64_t ny, const JobThreads& threads);

/// Rows of a rectangle: row(y) begins at its first column. Where it is narrow and can be read by itself, no other pixel
/// is.
[[nodiscard]] HeldRows hold_rectangle(const CpuPlane& plane, const Rect& where, const JobThreads& threads);

/// First rows of bands of [y0, y1), then y1. A resident plane is one band; bands of a streamed one begin at y0 plus a
/// multiple of `multiple` rows.
[[nodiscard]] std::vector<std::int64_t> band_edges(const CpuPlane& plane, std::int64_t y0, std::int64_t y1,
                                                   std::int64_t multiple);

/// Calls body(held, first, end) for bands of [y0, y1) in order.
template <class Body>
void for_each_band(const CpuPlane& plane, std::int64_t y0, std::int64_t y1, std::int64_t multiple,
                   const JobThreads& threads, const Body& body) {
  const std::vector<std::int64_t> edges = band_edges(plane, y0, y1, multiple);
  for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
    threads.job().check();
    body(hold_rows(plane, edges[b], edges[b + 1] - edges[b], threads), edges[b], edges[b + 1]);
  }
}

}  // namespace reber::cpu
