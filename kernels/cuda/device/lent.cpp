// SPDX-License-Identifier: BSD-3-Clause
// Whose the pixels are, when they are ready, and one pass over them.
#include "kernels/cuda/device/lent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {
namespace {

// Device memory for a band on its way to the host.
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 20;

void check_card(const Context& context, const LentPixels& lent) {
  const int ours = context.device().device;
  cudaPointerAttributes found{};
  check(cudaPointerGetAttributes(&found, lent.first), "cudaPointerGetAttributes");
  if (found.type != cudaMemoryTypeDevice && found.type != cudaMemoryTypeManaged)
    throw InputError(
        "an array on a card was expected, and its address is of no card's memory; give host memory as a NumPy array");
  const int theirs = lent.card.value_or(found.device);
  if (theirs != ours || (found.type == cudaMemoryTypeDevice && found.device != ours))
    throw InputError(fmt::format("the array lies on card {}, and card {} computes; compute where it lies: device={}",
                                 found.device, ours, found.device));
}

/// Work queued on our stream from here on finds the pixels as their last writer left them.
void wait_for_writer(const Context& context, const LentPixels& lent) {
  constexpr std::uintptr_t kOfAThread = 2;
  if (!lent.stream) return;
  if (*lent.stream == kOfAThread) {
    const DriverCall watched("cudaDeviceSynchronize");
    return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  const Event written;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface hands streams over as numbers
  written.record(reinterpret_cast<cudaStream_t>(*lent.stream));
  check(cudaStreamWaitEvent(context.stream(), written.get(), 0), "cudaStreamWaitEvent");
}

}  // namespace

void load_lent(CudaPlane& plane, const PixelFormat& format, const LentPixels& lent, const Job& job) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  check_card(context, lent);
  wait_for_writer(context, lent);
  const cudaStream_t stream = context.stream();
  const DecodeRule rule = decode_rule(format);
  const DeviceBuffer<unsigned long long> counts(3, stream);
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), stream), "cudaMemsetAsync");
  const std::int64_t pitch = plane.pitch();
  const std::int64_t most = std::max<std::int64_t>(1, kChunkBytes / (pitch * static_cast<std::int64_t>(sizeof(float))));
  const std::int64_t chunk = plane.resident() ? shape.ny : std::min(shape.ny, most);
  const DeviceBuffer<float> band(plane.resident() ? 0 : chunk * pitch, stream);
  for (std::int64_t y0 = 0; y0 < shape.ny; y0 += chunk) {
    job.report("load", static_cast<double>(y0) / static_cast<double>(shape.ny));
    const std::int64_t ny = std::min(chunk, shape.ny - y0);
    float* const out = plane.resident() ? plane.device_pixels() : band.data();
    decode_rows(stream, {lent.first + y0 * lent.row_bytes, lent.row_bytes, lent.pixel_bytes}, rule, ny, shape.nx, out,
                pitch, counts.data());
    if (!plane.resident()) context.stager().down_rows(stream, out, pitch, shape.nx, ny, plane.host_row(y0));
  }
  if (!plane.resident()) context.stager().drain();
  unsigned long long found[3] = {0, 0, 0};
  context.down(found, counts.data(), sizeof(found), stream);
  plane.set_blank(static_cast<std::int64_t>(found[0]), static_cast<std::int64_t>(found[1]));
  plane.set_largest(float_of(static_cast<std::uint32_t>(found[2])));
}

}  // namespace reber::cuda
