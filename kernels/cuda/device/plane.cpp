// SPDX-License-Identifier: BSD-3-Clause
// Planes, the rows of them that are on the device, and the walk over bands.
#include "kernels/cuda/device/plane.hpp"

#include <algorithm>

#include "kernels/cuda/device/waits.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {

CudaPlane::CudaPlane(std::shared_ptr<Context> context, Shape shape, const TilingPlan& tiling)
    : context_(std::move(context)), shape_(shape), tiling_(tiling) {
  if (tiling_.resident) {
    pixels_ = DeviceBuffer<float>(shape_.ny * pitch(), context_->stream());
  } else {
    tiling_.band_rows = std::clamp<std::int64_t>(tiling_.band_rows, 1, std::max<std::int64_t>(shape_.ny, 1));
    host_ = Image(shape_);
  }
}

RowWindow CudaPlane::window() const { return {pixels_.data(), pitch(), 0, shape_.ny, shape_.ny, shape_.nx, false}; }

HeldRows hold_rows(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, cudaStream_t stream) {
  if (plane.resident()) return {plane.window(), {}};
  HeldRows held{{}, DeviceBuffer<float>(ny * plane.pitch(), stream)};
  held.window = {held.memory.data(), plane.pitch(), y0, ny, plane.shape().ny, plane.shape().nx, false};
  plane.context()->stager().up_rows(stream, held.memory.data(), plane.pitch(), plane.shape().nx, ny, 0.0f,
                                    [&](std::int64_t row) { return plane.host_row(y0 + row); });
  return held;
}

HeldRows hold_rows_extended(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, std::int64_t above,
                            std::int64_t below, Boundary boundary, cudaStream_t stream) {
  if (plane.resident()) return {plane.window(), {}};
  const std::int64_t rows = above + ny + below;
  HeldRows held{{}, DeviceBuffer<float>(rows * plane.pitch(), stream)};
  held.window = {held.memory.data(), plane.pitch(), y0 - above, rows, plane.shape().ny, plane.shape().nx, true};
  const float outside = boundary == Boundary::blank ? rules::blank_value() : 0.0f;
  plane.context()->stager().up_rows(stream, held.memory.data(), plane.pitch(), plane.shape().nx, rows, outside,
                                    [&](std::int64_t row) -> const float* {
                                      const std::int64_t y =
                                          rules::boundary_index(y0 - above + row, plane.shape().ny, boundary);
                                      return y < 0 ? nullptr : plane.host_row(y);
                                    });
  return held;
}

std::vector<std::int64_t> band_edges(std::int64_t ny, std::int64_t rows) {
  std::vector<std::int64_t> edges{0};
  while (edges.back() < ny) edges.push_back(std::min(ny, edges.back() + rows));
  return edges;
}

std::vector<std::int64_t> band_edges(const CudaPlane& plane) {
  return band_edges(plane.shape().ny, plane.resident() ? plane.shape().ny : plane.tiling().band_rows);
}

void for_each_band(Context& context, const std::vector<std::int64_t>& edges, int streams, const Job& job,
                   const char* stage, const std::function<void(const Band&)>& body) {
  const auto bands = static_cast<std::int64_t>(edges.size()) - 1;
  std::vector<Stream> own;
  for (std::int64_t i = 0; streams > 1 && i < std::min<std::int64_t>(streams, bands); ++i) own.emplace_back();
  Event ready;
  ready.record(context.stream());
  for (const Stream& stream : own) check(cudaStreamWaitEvent(stream.get(), ready.get(), 0), "cudaStreamWaitEvent");
  try {
    for (std::int64_t b = 0; b < bands; ++b) {
      job.check();
      if (stage != nullptr) job.report(stage, static_cast<double>(b) / static_cast<double>(bands));
      const cudaStream_t stream = own.empty() ? context.stream() : own[static_cast<std::size_t>(b) % own.size()].get();
      body({edges[b], edges[b + 1] - edges[b], stream});
    }
  } catch (...) {
    // The streams go away with this frame: nothing may still run on them.
    for (const Stream& stream : own) settle(stream.get());
    throw;
  }
  for (const Stream& stream : own) stream.wait();
}

}  // namespace reber::cuda
