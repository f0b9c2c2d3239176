// SPDX-License-Identifier: BSD-3-Clause
// Planes, the rows of them that are on the device, and the walk over bands.
#include "kernels/cuda/device/plane.hpp"

#include <algorithm>

#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {

CudaPlane::CudaPlane(std::shared_ptr<Context> context, Shape shape, const TilingPlan& tiling)
    : context_(std::move(context)), shape_(shape), tiling_(tiling) {
  if (tiling_.resident) {
    pixels_ = std::make_shared<DeviceBuffer<float>>(shape_.ny * pitch(), context_->stream());
  } else {
    tiling_.band_rows = std::clamp<std::int64_t>(tiling_.band_rows, 1, std::max<std::int64_t>(shape_.ny, 1));
    host_ = std::make_shared<Image>(shape_);
  }
}

CudaPlane::CudaPlane(std::shared_ptr<RowMaker> maker)
    : context_(maker->context()), shape_(maker->shape()), tiling_(maker->tiling()), maker_(std::move(maker)) {}

RowWindow CudaPlane::window() const { return {pixels_->data(), pitch(), 0, shape_.ny, shape_.ny, shape_.nx, false}; }

HeldRows hold_rows(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, cudaStream_t stream) {
  if (plane.resident()) return {plane.window(), {}};
  HeldRows held{{}, DeviceBuffer<float>(ny * plane.pitch(), stream)};
  held.window = {held.memory.data(), plane.pitch(), y0, ny, plane.shape().ny, plane.shape().nx, false};
  if (plane.maker()) {
    plane.maker()->make(y0, ny, held.memory.data(), stream);
    return held;
  }
  plane.context()->stager().up_rows(stream, held.memory.data(), plane.pitch(), plane.shape().nx, ny, 0.0f,
                                    [&](std::int64_t row) { return plane.host_row(y0 + row); });
  return held;
}

namespace {

/// Makes the rows of a window that begins at row `first`, a stretch at a time that lies in the image as it does in the
/// window; rows that the boundary rule has nothing for are filled.
void make_extended(const CudaPlane& plane, std::int64_t first, std::int64_t rows, Boundary boundary, float outside,
                   float* out, cudaStream_t stream) {
  const Shape shape = plane.shape();
  const std::int64_t pitch = plane.pitch();
  const auto row_of = [&](std::int64_t row) { return rules::boundary_index(first + row, shape.ny, boundary); };
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t y = row_of(row);
    std::int64_t count = 1;
    if (y < 0) {
      fill_row(stream, out + row * pitch, shape.nx, outside);
    } else {
      while (row + count < rows && row_of(row + count) == y + count) ++count;
      plane.maker()->make(y, count, out + row * pitch, stream);
    }
    row += count;
  }
}

}  // namespace

HeldRows hold_rows_extended(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, std::int64_t above,
                            std::int64_t below, Boundary boundary, cudaStream_t stream) {
  if (plane.resident()) return {plane.window(), {}};
  const std::int64_t rows = above + ny + below;
  HeldRows held{{}, DeviceBuffer<float>(rows * plane.pitch(), stream)};
  held.window = {held.memory.data(), plane.pitch(), y0 - above, rows, plane.shape().ny, plane.shape().nx, true};
  const float outside = boundary == Boundary::blank ? rules::blank_value() : 0.0f;
  if (plane.maker()) {
    make_extended(plane, y0 - above, rows, boundary, outside, held.memory.data(), stream);
    return held;
  }
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
