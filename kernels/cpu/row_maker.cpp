// SPDX-License-Identifier: BSD-3-Clause
// Counts rows the first time that they are made, in ascending order, so that one walk over a plane knows its blanks.
#include "kernels/cpu/row_maker.hpp"

#include <algorithm>

#include "core/sky/model/rectangle_source.hpp"

namespace reber::cpu {

RowMaker::RowMaker(Shape plane_shape, std::int64_t band_rows, RowTools tools)
    : shape_(plane_shape), band_rows_(std::max<std::int64_t>(band_rows, 1)), tools_(std::move(tools)) {}

void RowMaker::make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const {
  const std::int64_t known = std::clamp<std::int64_t>(counted_rows_ - y0, 0, ny);
  if (known > 0) (void)do_make(y0, known, out, threads);
  if (known == ny) return;
  const BlankCounts found = do_make(y0 + known, ny - known, out + known * shape_.nx, threads);
  if (y0 + known != counted_rows_) return;
  counts_.blank += found.blank;
  counts_.infinite += found.infinite;
  counted_rows_ = y0 + ny;
}

void RowMaker::count(const JobThreads& threads) const {
  if (counted_rows_ == shape_.ny) return;
  const std::int64_t band = std::min(band_rows_, shape_.ny - counted_rows_);
  Pixels rows = tools_.memory->take(band * shape_.nx);
  while (counted_rows_ < shape_.ny) {
    threads.job().report("read", static_cast<double>(counted_rows_) / static_cast<double>(shape_.ny));
    make(counted_rows_, std::min(band, shape_.ny - counted_rows_), rows.data(), threads);
  }
}

BlankCounts RowMaker::counts() const {
  const Job job;
  count({*tools_.pool, job});
  return counts_;
}

void count_blanks(const CpuPlane& plane, const JobThreads& threads) {
  if (!plane.resident()) plane.maker()->count(threads);
}

HeldRows hold_rows(const CpuPlane& plane, std::int64_t y0, std::int64_t ny, const JobThreads& threads) {
  const std::int64_t nx = plane.shape().nx;
  if (plane.resident()) return {plane.data(), 0, nx, {}};
  Pixels memory = plane.maker()->tools().memory->take(ny * nx);
  plane.maker()->make(y0, ny, memory.data(), threads);
  return {memory.data(), y0, nx, std::move(memory)};
}

HeldRows hold_rectangle(const CpuPlane& plane, const Rect& where, const JobThreads& threads) {
  if (!plane.resident() && is_narrow(where, plane.shape())) {
    Pixels memory = plane.maker()->tools().memory->take(where.shape().count());
    if (plane.maker()->make_rectangle(where, memory.data()))
      return {memory.data(), where.y0, where.nx, std::move(memory)};
  }
  HeldRows held = hold_rows(plane, where.y0, where.ny, threads);
  held.pixels += where.x0;
  return held;
}

std::vector<std::int64_t> band_edges(const CpuPlane& plane, std::int64_t y0, std::int64_t y1, std::int64_t multiple) {
  std::int64_t rows = std::max<std::int64_t>(y1 - y0, 1);
  if (!plane.resident()) rows = std::max(plane.maker()->band_rows() / multiple, std::int64_t{1}) * multiple;
  std::vector<std::int64_t> edges{y0};
  while (edges.back() < y1) edges.push_back(std::min(y1, edges.back() + rows));
  return edges;
}

}  // namespace reber::cpu
