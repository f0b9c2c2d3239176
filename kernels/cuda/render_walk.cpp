// SPDX-License-Identifier: BSD-3-Clause
// Maps in chunks of rows, through the pinned ring to the host.
#include "kernels/cuda/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/error.hpp"

namespace reber::cuda {
namespace {

// Device memory for one chunk of a map.
constexpr std::int64_t kChunkBytes = std::int64_t{128} << 20;

void check_rows(Shape shape, std::int64_t y0, std::int64_t ny) {
  if (y0 < 0 || ny < 0 || y0 + ny > shape.ny)
    throw InputError(fmt::format("rows {} to {} were asked for of an image of {} rows", y0, y0 + ny, shape.ny));
}

std::int64_t chunk_rows(std::int64_t pitch) {
  return std::max<std::int64_t>(1, kChunkBytes / (pitch * static_cast<std::int64_t>(sizeof(float))));
}

}  // namespace

void render_plane(MapKind kind, const CudaPlane& plane, const BackgroundModel* background, std::int64_t y0,
                  std::int64_t ny, float* out) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  check_rows(shape, y0, ny);
  if (ny == 0 || shape.nx == 0) return;
  const std::int64_t pitch = plane.pitch();
  if (kind == MapKind::image) {
    if (plane.resident()) {
      context.stager().down_rows(context.stream(), plane.device_pixels() + y0 * pitch, pitch, shape.nx, ny, out);
      context.stager().drain();
    } else {
      std::memcpy(out, plane.host_row(y0), static_cast<std::size_t>(ny * shape.nx) * sizeof(float));
    }
    return;
  }
  if (background == nullptr) throw InternalError("cuda backend: this map needs a background");
  const DeviceBackground on_device(context, *background, shape);
  const std::int64_t chunk = std::min(ny, chunk_rows(pitch));
  const DeviceBuffer<float> rendered(chunk * pitch, context.stream());
  for (std::int64_t y = y0; y < y0 + ny; y += chunk) {
    const std::int64_t n = std::min(chunk, y0 + ny - y);
    HeldRows rows;
    rows.window.nx = shape.nx;
    if (kind == MapKind::snr) rows = hold_rows(plane, y, n, context.stream());
    const DeviceBackground::Rows levels = on_device.hold(y, n, context.stream());
    render_rows(context.stream(), kind, rows.window, levels.view, y, n, rendered.data(), pitch);
    context.stager().down_rows(context.stream(), rendered.data(), pitch, shape.nx, n, out + (y - y0) * shape.nx);
  }
  context.stager().drain();
}

void render_labels(const CudaIslands& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out) {
  Context& context = *islands.context();
  const Shape shape = islands.shape();
  check_rows(shape, y0, ny);
  if (ny == 0 || shape.nx == 0) return;
  if (islands.run_count == 0) {
    std::fill_n(out, ny * shape.nx, 0);
    return;
  }
  const std::int64_t pitch = pitch_of(shape.nx);
  const std::int64_t chunk = std::min(ny, chunk_rows(pitch));
  const DeviceBuffer<std::int32_t> drawn(chunk * pitch, context.stream());
  static_assert(sizeof(std::int32_t) == sizeof(float), "labels travel through the ring as words of a float's size");
  for (std::int64_t y = y0; y < y0 + ny; y += chunk) {
    const std::int64_t n = std::min(chunk, y0 + ny - y);
    draw_labels(context.stream(), islands, y, n, drawn.data(), pitch);
    context.stager().down_rows(context.stream(), reinterpret_cast<const float*>(drawn.data()), pitch, shape.nx, n,
                               reinterpret_cast<float*>(out + (y - y0) * shape.nx));
  }
  context.stager().drain();
}

LabelRuns fetch_runs(const CudaIslands& islands) {
  Context& context = *islands.context();
  LabelRuns all{islands.shape(), {}};
  if (islands.run_count == 0) return all;
  std::vector<rules::Run> runs(static_cast<std::size_t>(islands.run_count));
  std::vector<std::uint32_t> labels(runs.size());
  context.down(runs.data(), islands.runs.data(), islands.runs.bytes(), context.stream());
  context.down(labels.data(), islands.labels.data(), islands.labels.bytes(), context.stream());
  all.runs.reserve(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k)
    all.runs.push_back({runs[k].y, runs[k].x0, runs[k].x1, static_cast<std::int32_t>(labels[k])});
  return all;
}

}  // namespace reber::cuda
