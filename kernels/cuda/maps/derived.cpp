// SPDX-License-Identifier: BSD-3-Clause
// The walk of planes made of planes over their bands.
#include "kernels/cuda/maps/derived.hpp"

#include <functional>

#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

/// Queues the rows of a band of the new plane into `out`, rows `pitch` apart, and adds the number of blank ones to
/// `blank`.
using FillBand = std::function<void(const Band& band, float* out, std::int64_t pitch, unsigned long long* blank)>;

std::unique_ptr<CudaPlane> plane_of_bands(const CudaPlane& like, const Job& job, const FillBand& fill) {
  Context& context = *like.context();
  const Shape shape = like.shape();
  auto result = std::make_unique<CudaPlane>(like.context(), shape, like.tiling());
  if (shape.count() == 0) return result;
  const cudaStream_t stream = context.stream();
  const std::int64_t pitch = like.pitch();
  const DeviceBuffer<unsigned long long> count(1, stream);
  check(cudaMemsetAsync(count.data(), 0, static_cast<std::size_t>(count.bytes()), stream), "cudaMemsetAsync");
  for_each_band(context, band_edges(like), 1, job, nullptr, [&](const Band& band) {
    const DeviceBuffer<float> held(like.resident() ? 0 : band.ny * pitch, band.stream);
    float* out = like.resident() ? result->device_pixels() + band.y0 * pitch : held.data();
    fill(band, out, pitch, count.data());
    if (!like.resident())
      context.stager().down_rows(band.stream, out, pitch, shape.nx, band.ny, result->host_row(band.y0));
  });
  if (!like.resident()) context.stager().drain();
  unsigned long long blank = 0;
  context.down(&blank, count.data(), count.bytes(), stream);
  result->set_blank(static_cast<std::int64_t>(blank), 0);
  return result;
}

}  // namespace

std::unique_ptr<CudaPlane> make_snr(const CudaPlane& plane, const CudaBackground& background, const Job& job) {
  const DeviceBackground levels(*plane.context(), background);
  return plane_of_bands(plane, job, [&](const Band& band, float* out, std::int64_t pitch, unsigned long long* blank) {
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
    const DeviceBackground::Rows here = levels.hold(band.y0, band.ny, band.stream);
    render_rows(band.stream, MapKind::snr, rows.window, here.view, band.y0, band.ny, out, pitch, blank);
  });
}

std::unique_ptr<CudaPlane> combine_planes(PlaneRule rule, const CudaPlane& a, const CudaPlane& b, const Job& job) {
  return plane_of_bands(a, job, [&](const Band& band, float* out, std::int64_t pitch, unsigned long long* blank) {
    const HeldRows from = hold_rows(a, band.y0, band.ny, band.stream);
    const HeldRows other = hold_rows(b, band.y0, band.ny, band.stream);
    combine_rows(band.stream, rule, from.window, other.window, band.y0, band.ny, out, pitch, blank);
  });
}

std::unique_ptr<CudaPlane> take_out_islands(const CudaPlane& plane, const CudaIslands& islands, std::int64_t grow,
                                            const Job& job) {
  auto result =
      plane_of_bands(plane, job, [&](const Band& band, float* out, std::int64_t pitch, unsigned long long* blank) {
        const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
        const float* from = rows.window.pixels + (band.y0 - rows.window.first) * pitch;
        // Pixels alone: what lies between a row's end and the pitch was never written.
        const auto row_bytes = static_cast<std::size_t>(pitch) * sizeof(float);
        check(cudaMemcpy2DAsync(out, row_bytes, from, row_bytes,
                                static_cast<std::size_t>(plane.shape().nx) * sizeof(float),
                                static_cast<std::size_t>(band.ny), cudaMemcpyDeviceToDevice, band.stream),
              "cudaMemcpy2DAsync");
        blank_runs(band.stream, islands, grow, band.y0, band.ny, out, pitch);
        count_blank(band.stream, out, band.ny, plane.shape().nx, pitch, blank);
      });
  result->set_blank(result->blank(), plane.infinite());
  return result;
}

}  // namespace reber::cuda
