// SPDX-License-Identifier: BSD-3-Clause
// Nodes and weights go up, the rows that are needed are held, one kernel makes the plane.
#include "kernels/cuda/maps/resample.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace reber::cuda {
namespace {

template <class T>
DeviceBuffer<T> on_device(Context& context, std::span<const T> values, cudaStream_t stream) {
  DeviceBuffer<T> buffer(std::max<std::int64_t>(static_cast<std::int64_t>(values.size()), 1), stream);
  if (!values.empty()) context.up(buffer.data(), values.data(), static_cast<std::int64_t>(values.size_bytes()), stream);
  return buffer;
}

/// Rows that hold all that is needed; the input's first one where nothing is.
HeldRows rows_of(const CudaPlane& plane, const Rect& needed, cudaStream_t stream) {
  if (plane.resident()) return hold_rows(plane, 0, plane.shape().ny, stream);
  return hold_rows(plane, needed.y0, std::max<std::int64_t>(needed.ny, 1), stream);
}

}  // namespace

std::unique_ptr<CudaPlane> resample(const CudaPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                    const Job& job) {
  job.check();
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const Rect area = places.area();
  TilingPlan tiling;
  tiling.band_rows = area.ny;
  auto made = std::make_unique<CudaPlane>(plane.context(), area.shape(), tiling);
  if (area.shape().count() == 0) return made;
  const auto blocks = on_device(context, places.blocks(), stream);
  const auto nodes = on_device(context, places.nodes(), stream);
  const auto x = on_device(context, std::span<const float>(table.x), stream);
  const auto y = on_device(context, std::span<const float>(table.y), stream);
  const HeldRows rows = rows_of(plane, places.needs(area, plane.shape(), ResampleTable::kTaps / 2), stream);
  ResampleTask task{rows.window, places.view(), x.data(), y.data(), table.how, area};
  task.places.blocks = blocks.data();
  task.places.nodes = nodes.data();
  const DeviceBuffer<unsigned long long> count(1, stream);
  check(cudaMemsetAsync(count.data(), 0, static_cast<std::size_t>(count.bytes()), stream), "cudaMemsetAsync");
  resample_pixels(stream, task, made->device_pixels(), made->pitch(), count.data());
  unsigned long long blank = 0;
  context.down(&blank, count.data(), count.bytes(), stream);
  made->set_blank(static_cast<std::int64_t>(blank), 0);
  return made;
}

}  // namespace reber::cuda
