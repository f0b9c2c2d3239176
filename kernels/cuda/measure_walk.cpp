// SPDX-License-Identifier: BSD-3-Clause
// Measures runs band by band, then islands at once; only the islands' sums come back.
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/measure.hpp"

namespace reber::cuda {

std::vector<IslandSums> measure_islands(const CudaPlane& plane, const BackgroundModel& background,
                                        const CudaIslands& islands) {
  if (!(islands.shape() == plane.shape()))
    throw InternalError("cuda backend: the islands are of an image of another size");
  std::vector<IslandSums> result(static_cast<std::size_t>(islands.islands));
  if (result.empty()) return result;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBackground on_device(context, background, plane.shape());
  const DeviceBuffer<RunMeasure> measures(islands.run_count, stream);
  // The structs have padding, which vector loads and the copy back read as well.
  check(cudaMemsetAsync(measures.data(), 0, static_cast<std::size_t>(measures.bytes()), stream), "cudaMemsetAsync");
  const std::vector<std::int64_t> edges = band_edges(plane);
  std::vector<std::uint32_t> row_begin;
  if (!plane.resident()) {
    row_begin.resize(static_cast<std::size_t>(plane.shape().ny) + 1);
    context.down(row_begin.data(), islands.row_begin.data(), islands.row_begin.bytes(), stream);
  }
  for_each_band(context, edges, 1, Progress(), "measure", [&](const Band& band) {
    const std::int64_t first = plane.resident() ? 0 : row_begin[band.y0];
    const std::int64_t last = plane.resident() ? islands.run_count : row_begin[band.y0 + band.ny];
    if (first == last) return;
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, stream);
    measure_runs(stream, rows.window, levels.view, islands, first, last, measures.data());
  });
  const DeviceBuffer<IslandSums> sums(islands.islands, stream);
  check(cudaMemsetAsync(sums.data(), 0, static_cast<std::size_t>(sums.bytes()), stream), "cudaMemsetAsync");
  sum_islands(stream, islands, measures.data(), sums.data());
  context.down(result.data(), sums.data(), sums.bytes(), stream);
  return result;
}

}  // namespace reber::cuda
