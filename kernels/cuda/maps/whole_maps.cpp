// SPDX-License-Identifier: BSD-3-Clause
// Maps in chunks of rows, from rows with gaps to rows without.
#include "kernels/cuda/maps/whole_maps.hpp"

#include <algorithm>
#include <optional>

#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/device/watch.hpp"
#include "kernels/cuda/islands/island_runs.hpp"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

// Device memory for a chunk of a map with gaps between its rows.
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 20;

std::int64_t chunk_rows(std::int64_t ny, std::int64_t pitch) {
  return std::min(ny, std::max<std::int64_t>(1, kChunkBytes / (pitch * static_cast<std::int64_t>(sizeof(float)))));
}

void close_gaps(cudaStream_t stream, const void* rows, std::int64_t pitch, std::int64_t nx, std::int64_t ny,
                float* out) {
  const auto width = static_cast<std::size_t>(nx) * sizeof(float);
  check(cudaMemcpy2DAsync(out, width, rows, static_cast<std::size_t>(pitch) * sizeof(float), width,
                          static_cast<std::size_t>(ny), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpy2DAsync");
}

}  // namespace

CudaMap::~CudaMap() {
  if (given_up()) return;
  const DriverCall watched("cudaDeviceSynchronize");
  cudaSetDevice(card());
  cudaDeviceSynchronize();
}

std::shared_ptr<const DeviceTile> make_map(MapKind kind, const CudaPlane& plane, const CudaBackground* background,
                                           const Job& job) {
  const std::shared_ptr<Context>& context = plane.context();
  const Shape shape = plane.shape();
  const cudaStream_t stream = context->stream();
  const std::int64_t pitch = plane.pitch(), chunk = chunk_rows(shape.ny, pitch);
  auto map = std::make_shared<CudaMap>(context, shape.count());
  std::optional<DeviceBackground> levels;
  if (kind != MapKind::image) levels.emplace(*context, *background);
  const DeviceBuffer<float> rendered(levels ? chunk * pitch : 0, stream);
  for (std::int64_t y = 0; y < shape.ny && shape.nx > 0; y += chunk) {
    job.check();
    const std::int64_t n = std::min(chunk, shape.ny - y);
    HeldRows rows;
    rows.window.nx = shape.nx;
    if (kind == MapKind::image || kind == MapKind::snr) rows = hold_rows(plane, y, n, stream);
    const float* from = rendered.data();
    if (levels) {
      const DeviceBackground::Rows held = levels->hold(y, n, stream);
      render_rows(stream, kind, rows.window, held.view, y, n, rendered.data(), pitch, nullptr);
    } else {
      from = rows.window.pixels + (y - rows.window.first) * rows.window.pitch;
    }
    close_gaps(stream, from, levels ? pitch : rows.window.pitch, shape.nx, n, map->data() + y * shape.nx);
  }
  return map;
}

std::shared_ptr<const DeviceTile> make_label_map(const CudaIslands& islands, const Job& job) {
  static_assert(sizeof(std::int32_t) == sizeof(float), "labels lie in words of a float's size");
  const std::shared_ptr<Context>& context = islands.context();
  const Shape shape = islands.shape();
  const cudaStream_t stream = context->stream();
  auto map = std::make_shared<CudaMap>(context, shape.count());
  if (shape.count() == 0) return map;
  if (islands.run_count == 0) {
    check(cudaMemsetAsync(map->data(), 0, static_cast<std::size_t>(map->bytes()), stream), "cudaMemsetAsync");
    return map;
  }
  const std::int64_t pitch = pitch_of(shape.nx), chunk = chunk_rows(shape.ny, pitch);
  const DeviceBuffer<std::int32_t> drawn(chunk * pitch, stream);
  for (std::int64_t y = 0; y < shape.ny; y += chunk) {
    job.check();
    const std::int64_t n = std::min(chunk, shape.ny - y);
    draw_labels(stream, islands, y, n, drawn.data(), pitch);
    close_gaps(stream, drawn.data(), pitch, shape.nx, n, map->data() + y * shape.nx);
  }
  return map;
}

}  // namespace reber::cuda
