// SPDX-License-Identifier: BSD-3-Clause
// Windows side by side: read by several threads, sent up together, made S/N by one launch, and brought down.
#include "kernels/cuda/maps/windows.hpp"

#include <algorithm>
#include <vector>

#include "core/sky/model/rectangle_source.hpp"
#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

/// Of all windows together: they stand on the card as stored, as floats and as rendered.
constexpr std::int64_t kMostPixels = std::int64_t{1} << 21;

/// Windows whose pixels are on the card already, or are still to come.
std::vector<WindowPixels> lay_out(const CudaPlane& plane, std::span<const Rect> where) {
  std::vector<WindowPixels> windows;
  std::int64_t begin = 0;
  for (const Rect& one : where) {
    windows.push_back({nullptr, pitch_of(one.nx), begin, one});
    if (plane.resident()) {
      windows.back().pitch = plane.pitch();
      windows.back().pixels = plane.device_pixels() + one.y0 * plane.pitch() + one.x0;
    }
    begin += one.shape().count();
  }
  return windows;
}

}  // namespace

bool are_windows(const CudaPlane& plane, std::span<const Rect> where) {
  if (!plane.resident() && rectangles_of(plane) == nullptr) return false;
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
  std::vector<WindowPixels> windows = lay_out(plane, where);
  const std::int64_t pixels = windows.back().begin + where.back().shape().count();
  std::int64_t floats = 0;
  for (const Rect& one : where) floats += one.ny * pitch_of(one.nx);
  const DeviceBuffer<float> read(plane.resident() ? 0 : floats, stream), made(pixels, stream);
  if (!plane.resident()) {
    std::vector<float*> places;
    float* next = read.data();
    for (WindowPixels& one : windows) {
      one.pixels = next;
      places.push_back(next);
      next += one.where.ny * one.pitch;
    }
    rectangles_of(plane)->make_rectangles(where, places, stream);
  }
  const DeviceBuffer<WindowPixels> list = upload_vector(context, windows, stream);
  const DeviceBackground::Rows levels = background.hold(0, 1, stream);
  snr_of_windows(stream, list.data(), list.size(), levels.view, made.data());
  context.down(out, made.data(), made.bytes(), stream);
}

void fetch_window(const CudaPlane& plane, const Rect& where, float* out) {
  Context& context = *plane.context();
  const std::int64_t pitch = pitch_of(where.nx);
  const DeviceBuffer<float> made(where.ny * pitch, context.stream());
  float* const place = made.data();
  rectangles_of(plane)->make_rectangles({&where, 1}, {&place, 1}, context.stream());
  context.stager().down_rows(context.stream(), made.data(), pitch, where.nx, where.ny, out);
  context.stager().drain();
}

}  // namespace reber::cuda
