// SPDX-License-Identifier: BSD-3-Clause
// Mean and rms of rows of pixels, from the mesh or from full-size maps.
#pragma once

#include <vector>

#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {

/// Evaluates a background model row by row: the node values are interpolated along y once a row, then along x, which
/// are the operations of rules::mesh_value in their order. Must not outlive the model.
class BackgroundRows {
 public:
  /// One thread's memory.
  struct Scratch {
    std::vector<float> nodes, mean, rms;
  };

  explicit BackgroundRows(const CpuBackground& background);

  /// Before rows [y0, y0 + ny) are asked for: full-size maps that are streamed are read there.
  void hold(std::int64_t y0, std::int64_t ny, const JobThreads& threads);

  /// Row y, in the scratch or in the map itself; readable for Pixels::kSlack floats past its end.
  const float* mean_row(std::int64_t y, Scratch& scratch) const { return mean_row(y, 0, columns(), scratch); }
  const float* rms_row(std::int64_t y, Scratch& scratch) const { return rms_row(y, 0, columns(), scratch); }
  /// The same, but only columns [x0, x1) need hold.
  const float* mean_row(std::int64_t y, std::int64_t x0, std::int64_t x1, Scratch& scratch) const;
  const float* rms_row(std::int64_t y, std::int64_t x0, std::int64_t x1, Scratch& scratch) const;

  // Of the mesh; not where a map stands for it.
  /// Part [x0, x1) of the mean's row into out.
  void mean_part(std::int64_t y, std::int64_t x0, std::int64_t x1, float* out) const;
  [[nodiscard]] float rms_at(std::int64_t y, std::int64_t x) const;

 private:
  struct Segment {  ///< columns [x0, x1) between nodes `node` and `next`
    std::int64_t x0, x1, node, next;
  };
  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(cols_.node.size()); }
  /// Columns [x0, x1) and the rest of the segments that they lie in.
  void mesh_row(const std::vector<float>& nodes, std::int64_t y, std::int64_t x0, std::int64_t x1,
                std::vector<float>& line, std::vector<float>& out) const;
  [[nodiscard]] float node_at(const std::vector<float>& nodes, std::int64_t y, std::int64_t column) const;

  const BackgroundModel& model_;
  const CpuPlane* mean_map_ = nullptr;
  const CpuPlane* rms_map_ = nullptr;
  HeldRows mean_held_, rms_held_;
  MeshAxis rows_, cols_;
  std::vector<Segment> segments_;
  std::vector<std::int32_t> segment_of_;  ///< by column
  std::int64_t cells_y_, cells_x_;
};

/// S/N of the pixels of a row, by rules::snr.   to: may be `pixel`
void snr_row(const float* pixel, const float* mean, const float* rms, std::int64_t nx, float* to);

}  // namespace reber::cpu
