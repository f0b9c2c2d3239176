// SPDX-License-Identifier: BSD-3-Clause
// Maps in chunks of rows, through the pinned ring to the host.
#include "kernels/cuda/maps/render.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cuda/islands/island_runs.hpp"
#include "kernels/cuda/maps/windows.hpp"

namespace reber::cuda {
namespace {

// Device memory for one chunk of a map.
constexpr std::int64_t kChunkBytes = std::int64_t{128} << 20;

std::int64_t chunk_rows(std::int64_t pitch) {
  return std::max<std::int64_t>(1, kChunkBytes / (pitch * static_cast<std::int64_t>(sizeof(float))));
}

/// Rows are made in small parts in turns on two streams, so that one part comes down while the next is made.
void fetch_made(const CudaPlane& plane, const Rect& where, float* out) {
  constexpr std::int64_t kPartBytes = std::int64_t{16} << 20;
  Context& context = *plane.context();
  const std::int64_t pitch = plane.pitch();
  const std::int64_t part = std::clamp<std::int64_t>(kPartBytes / (pitch * static_cast<std::int64_t>(sizeof(float))), 1,
                                                     plane.tiling().band_rows);
  std::vector<std::int64_t> edges = band_edges(where.ny, part);
  for_each_band(context, edges, 2, {}, nullptr, [&](const Band& band) {
    const HeldRows rows = hold_rows(plane, where.y0 + band.y0, band.ny, band.stream);
    context.stager().down_rows(band.stream, rows.window.pixels + where.x0, pitch, where.nx, band.ny,
                               out + band.y0 * where.nx);
  });
  context.stager().drain();
}

}  // namespace

void fetch_pixels(const CudaPlane& plane, const Rect& where, float* out) {
  if (where.shape().count() == 0) return;
  Context& context = *plane.context();
  if (plane.resident()) {
    context.stager().down_rows(context.stream(), plane.device_pixels() + where.y0 * plane.pitch() + where.x0,
                               plane.pitch(), where.nx, where.ny, out);
    context.stager().drain();
    return;
  }
  if (plane.maker() && are_windows(plane, {&where, 1})) return fetch_window(plane, where, out);
  if (plane.maker()) return fetch_made(plane, where, out);
  for (std::int64_t row = 0; row < where.ny; ++row)
    std::copy_n(plane.host_row(where.y0 + row) + where.x0, where.nx, out + row * where.nx);
}

// Maps are made of whole rows, which costs the card little; the rectangle alone crosses the bus.
void render_map(MapKind kind, const CudaPlane& plane, const CudaBackground& background, const Rect& where, float* out,
                const Job& job) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  if (where.shape().count() == 0) return;
  const std::int64_t pitch = plane.pitch();
  const DeviceBackground on_device(context, background);
  // Maps given by the user are held by whole rows.
  const bool maps = background.mean_map != nullptr || background.rms_map != nullptr;
  if (kind == MapKind::snr && !maps && plane.maker() && are_windows(plane, {&where, 1}))
    return render_windows(plane, on_device, {&where, 1}, out);
  std::int64_t chunk = std::min(where.ny, chunk_rows(pitch));
  if (!plane.resident()) chunk = std::min(chunk, plane.tiling().band_rows);
  const DeviceBuffer<float> rendered(chunk * pitch, context.stream());
  for (std::int64_t row = 0; row < where.ny; row += chunk) {
    job.check();
    const std::int64_t n = std::min(chunk, where.ny - row), y = where.y0 + row;
    HeldRows rows;
    rows.window.nx = shape.nx;
    if (kind == MapKind::snr) rows = hold_rows(plane, y, n, context.stream());
    const DeviceBackground::Rows levels = on_device.hold(y, n, context.stream());
    render_rows(context.stream(), kind, rows.window, levels.view, y, n, rendered.data(), pitch, nullptr);
    context.stager().down_rows(context.stream(), rendered.data() + where.x0, pitch, where.nx, n, out + row * where.nx);
  }
  context.stager().drain();
}

namespace {

/// Rectangles of the same rows at the head of a list.
std::span<const Rect> of_same_rows(std::span<const Rect> where) {
  std::size_t count = 1;
  while (count < where.size() && where[count].y0 == where[0].y0 && where[count].ny == where[0].ny) ++count;
  return where.first(count);
}

std::int64_t pixels_of(std::span<const Rect> where) {
  std::int64_t pixels = 0;
  for (const Rect& one : where) pixels += one.shape().count();
  return pixels;
}

}  // namespace

void render_maps(MapKind kind, const CudaPlane& plane, const CudaBackground& background, std::span<const Rect> where,
                 float* out, const Job& job) {
  constexpr auto kPixel = static_cast<std::int64_t>(sizeof(float));
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const std::int64_t pitch = plane.pitch(), most_rows = chunk_rows(pitch);
  const DeviceBackground on_device(context, background);
  for (std::span<const Rect> group; !where.empty(); where = where.subspan(group.size())) {
    job.check();
    group = of_same_rows(where);
    const std::int64_t y0 = group[0].y0, ny = group[0].ny, pixels = pixels_of(group);
    if (pixels == 0) continue;
    const DeviceBuffer<float> rendered(std::min(ny, most_rows) * pitch, stream), gathered(pixels, stream);
    for (std::int64_t row = 0; row < ny; row += most_rows) {
      const std::int64_t n = std::min(most_rows, ny - row);
      HeldRows rows;
      rows.window.nx = plane.shape().nx;
      if (kind == MapKind::snr) rows = hold_rows(plane, y0 + row, n, stream);
      const DeviceBackground::Rows levels = on_device.hold(y0 + row, n, stream);
      render_rows(stream, kind, rows.window, levels.view, y0 + row, n, rendered.data(), pitch, nullptr);
      std::int64_t at = 0;
      for (const Rect& one : group) {
        if (one.nx > 0)
          check(cudaMemcpy2DAsync(gathered.data() + at + row * one.nx, static_cast<std::size_t>(one.nx * kPixel),
                                  rendered.data() + one.x0, static_cast<std::size_t>(pitch * kPixel),
                                  static_cast<std::size_t>(one.nx * kPixel), static_cast<std::size_t>(n),
                                  cudaMemcpyDeviceToDevice, stream),
                "cudaMemcpy2DAsync");
        at += one.shape().count();
      }
    }
    context.stager().down_copy(stream, gathered.data(), pixels * kPixel, out);
    // One group after the other: locking memory for several at once takes longer than their copies.
    context.stager().drain();
    out += pixels;
  }
}

void render_labels(const CudaIslands& islands, const Rect& where, std::int32_t* out, const Job& job) {
  Context& context = *islands.context();
  if (where.shape().count() == 0) return;
  if (islands.run_count == 0) {
    std::fill_n(out, where.shape().count(), 0);
    return;
  }
  const std::int64_t pitch = pitch_of(islands.shape().nx);
  const std::int64_t chunk = std::min(where.ny, chunk_rows(pitch));
  const DeviceBuffer<std::int32_t> drawn(chunk * pitch, context.stream());
  static_assert(sizeof(std::int32_t) == sizeof(float), "labels travel through the ring as words of a float's size");
  for (std::int64_t row = 0; row < where.ny; row += chunk) {
    job.check();
    const std::int64_t n = std::min(chunk, where.ny - row);
    draw_labels(context.stream(), islands, where.y0 + row, n, drawn.data(), pitch);
    context.stager().down_rows(context.stream(), reinterpret_cast<const float*>(drawn.data() + where.x0), pitch,
                               where.nx, n, reinterpret_cast<float*>(out + row * where.nx));
  }
  context.stager().drain();
}

void draw_and_drop(const CudaIslands& islands) {
  const Shape shape = islands.shape();
  if (shape.count() == 0) return;
  const cudaStream_t stream = islands.context()->stream();
  const std::int64_t pitch = pitch_of(shape.nx);
  const DeviceBuffer<std::int32_t> drawn(shape.ny * pitch, stream);
  draw_labels(stream, islands, 0, shape.ny, drawn.data(), pitch);
}

LabelRuns fetch_runs(const CudaIslands& islands) {
  Context& context = *islands.context();
  LabelRuns all{islands.shape(), {}};
  if (islands.run_count == 0) return all;
  std::vector<rules::Run> runs(static_cast<std::size_t>(islands.run_count));
  std::vector<std::uint32_t> labels(runs.size());
  const auto bytes = [](const auto& list) { return static_cast<std::int64_t>(list.size() * sizeof(list[0])); };
  context.down(runs.data(), islands.runs.data(), bytes(runs), context.stream());
  context.down(labels.data(), islands.labels.data(), bytes(labels), context.stream());
  all.runs.reserve(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k)
    all.runs.push_back({runs[k].y, runs[k].x0, runs[k].x1, static_cast<std::int32_t>(labels[k])});
  return all;
}

}  // namespace reber::cuda
