// SPDX-License-Identifier: BSD-3-Clause
// Windows side by side: read by several threads, sent up together, rendered one by one, and brought down together.
#include "kernels/cuda/maps/windows.hpp"

#include <algorithm>
#include <vector>

#include "core/model/rectangle_source.hpp"
#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

/// Of all windows together: they stand on the card as stored, as floats and as rendered.
constexpr std::int64_t kMostPixels = std::int64_t{1} << 21;
/// Columns of a plane on the card from a multiple of so many on: rows are read four pixels at a time.
constexpr std::int64_t kAligned = 8;

MakesRectangles* reads_of(const CudaPlane& plane) { return dynamic_cast<MakesRectangles*>(plane.maker().get()); }

struct Window {
  RowWindow pixels;           ///< columns count from x0
  std::int64_t x0;            ///< column of the image
  std::int64_t pitch, begin;  ///< of what is made of it, and where that begins among all
};

/// Windows whose pixels are on the card already, or are still to come.
std::vector<Window> lay_out(const CudaPlane& plane, std::span<const Rect> where) {
  std::vector<Window> windows;
  std::int64_t begin = 0;
  const std::int64_t ny = plane.shape().ny;
  for (const Rect& one : where) {
    const std::int64_t x0 = plane.resident() ? one.x0 / kAligned * kAligned : one.x0, nx = one.x0 + one.nx - x0;
    const std::int64_t pitch = pitch_of(nx);
    RowWindow pixels{nullptr, pitch, one.y0, one.ny, ny, nx, false};
    if (plane.resident()) pixels = {plane.device_pixels() + x0, plane.pitch(), 0, ny, ny, nx, false};
    windows.push_back({pixels, x0, pitch, begin});
    begin += one.ny * pitch;
  }
  return windows;
}

}  // namespace

bool are_windows(const CudaPlane& plane, std::span<const Rect> where) {
  const MakesRectangles* const reads = plane.maker() ? reads_of(plane) : nullptr;
  if (!plane.resident() && (reads == nullptr || !reads->reads_rectangles())) return false;
  std::int64_t pixels = 0;
  for (const Rect& one : where) {
    pixels += one.shape().count();
    if (!is_narrow(one, plane.shape()) || one.shape().count() == 0) return false;
  }
  return pixels <= kMostPixels;
}

void render_windows(const CudaPlane& plane, const DeviceBackground& background, std::span<const Rect> where,
                    float* out) {
  if (where.empty()) return;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  std::vector<Window> windows = lay_out(plane, where);
  const std::int64_t floats = windows.back().begin + where.back().ny * windows.back().pitch;
  const DeviceBuffer<float> made(plane.resident() ? 0 : floats, stream), rendered(floats, stream);
  if (!plane.resident()) {
    std::vector<float*> places;
    for (Window& one : windows) {
      places.push_back(made.data() + one.begin);
      one.pixels.pixels = places.back();
    }
    reads_of(plane)->make_rectangles(where, places, stream);
  }
  // What lies between a row's end and the pitch comes down as well.
  check(cudaMemsetAsync(rendered.data(), 0, static_cast<std::size_t>(rendered.bytes()), stream), "cudaMemsetAsync");
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const Window& one = windows[k];
    DeviceBackground::Rows levels = background.hold(where[k].y0, where[k].ny, stream);
    levels.view.col_node += one.x0;
    levels.view.col_weight += one.x0;
    render_rows(stream, MapKind::snr, one.pixels, levels.view, where[k].y0, where[k].ny, rendered.data() + one.begin,
                one.pitch, nullptr);
  }
  std::vector<float> all(static_cast<std::size_t>(floats));
  context.stager().down_copy(stream, rendered.data(), rendered.bytes(), all.data());
  context.stager().drain();
  for (std::size_t k = 0; k < windows.size(); ++k)
    for (std::int64_t y = 0; y < where[k].ny; ++y)
      out = std::copy_n(all.data() + windows[k].begin + y * windows[k].pitch + where[k].x0 - windows[k].x0, where[k].nx,
                        out);
}

void fetch_window(const CudaPlane& plane, const Rect& where, float* out) {
  Context& context = *plane.context();
  const std::int64_t pitch = pitch_of(where.nx);
  const DeviceBuffer<float> made(where.ny * pitch, context.stream());
  float* const place = made.data();
  reads_of(plane)->make_rectangles({&where, 1}, {&place, 1}, context.stream());
  context.stager().down_rows(context.stream(), made.data(), pitch, where.nx, where.ny, out);
  context.stager().drain();
}

}  // namespace reber::cuda
