// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels on the card.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/show/display/display_levels.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// Means and peaks of a level, or of rows of it; for level 0 both are the pixels.
struct LevelRows {
  const float* mean = nullptr;
  const float* peak = nullptr;
  std::int64_t pitch = 0;  ///< floats from one row to the next
  std::int64_t ny = 0, nx = 0;
};

/// The next level's rows, ceil(nx / 2) wide without gaps, from `below`; an odd last row or column stands alone.
void halve(cudaStream_t stream, const LevelRows& below, float* mean, float* peak);

/// Values at the places of LevelSample in rows [y0, y0 + rows.ny) of a map of which `rows` holds these: into `out`, one
/// row of `columns` values a sampled row, counted from the image's first; NaN beyond a row's end.
void gather_sample(cudaStream_t stream, const LevelRows& rows, std::int64_t y0, LevelSample places,
                   std::int64_t columns, float* out);

/// peak - mean at the samples of every cell of a PeakBlend, cell after cell, each in room_y rows of room_x values; NaN
/// where a cell has fewer.
void gather_heights(cudaStream_t stream, const LevelRows& level, std::int64_t room_y, std::int64_t room_x, float* out);

/// Largest finite pixel of each block x block of level.mean, row after row; NaN where there is none.
void find_block_peaks(cudaStream_t stream, const LevelRows& level, std::int64_t block, float* out);

/// Pixels of a level in where, rows without gaps. cells: those of its PeakBlend, on the device, for blend.
void draw_level(cudaStream_t stream, const LevelRows& level, Reduction reduction, const levels::Noise* cells,
                const Rect& where, float* out);

/// block_peaks() of the backend.
[[nodiscard]] std::optional<std::vector<float>> block_peaks_of(const CudaPlane& plane, std::int64_t block,
                                                               const Job& job);

/// display_levels() of the backend; null where it says so.
[[nodiscard]] std::unique_ptr<DisplayLevels> make_display_levels(const std::shared_ptr<Context>& context, MapKind kind,
                                                                 std::shared_ptr<const CudaPlane> plane,
                                                                 const CudaBackground* background, const Job& job);

/// Pixels of a tile. The work that fills it is over when it is handed out.
class CudaTile : public DeviceTile {
 public:
  CudaTile(std::shared_ptr<Context> context, std::int64_t count);
  ~CudaTile() override;
  CudaTile(const CudaTile&) = delete;
  CudaTile& operator=(const CudaTile&) = delete;
  [[nodiscard]] std::int64_t bytes() const override { return pixels_.bytes(); }
  [[nodiscard]] std::vector<float> on_host() const override;
  [[nodiscard]] const void* address() const override { return pixels_.data(); }
  [[nodiscard]] int card() const override { return context_->device().device; }
  [[nodiscard]] float* data() const { return pixels_.data(); }

 private:
  std::shared_ptr<Context> context_;
  DeviceBuffer<float> pixels_;
};

}  // namespace reber::cuda
