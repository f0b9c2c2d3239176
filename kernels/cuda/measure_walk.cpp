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
  if (islands.islands == 0) return {};
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBackground on_device(context, background, plane.shape());
  const DeviceBuffer<RunMeasure> measures(islands.run_count, stream);
  const std::vector<std::int64_t> edges = band_edges(plane);
  std::vector<std::uint32_t> begin;
  if (!plane.resident()) {
    begin.resize(static_cast<std::size_t>(islands.piece_begin.size()));
    context.down(begin.data(), islands.piece_begin.data(), islands.piece_begin.bytes(), stream);
  }
  for_each_band(context, edges, 1, Progress(), "measure", [&](const Band& band) {
    const std::int64_t first = plane.resident() ? 0 : begin[islands.row(band.y0)];
    const std::int64_t last = plane.resident() ? islands.run_count : begin[islands.row(band.y0 + band.ny)];
    if (first == last) return;
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, stream);
    measure_runs(stream, rows.window, levels.view, islands, first, last, measures.data());
  });
  const DeviceBuffer<IslandSums> sums(islands.islands, stream);
  // The structs have padding, which the copy back reads as well.
  check(cudaMemsetAsync(sums.data(), 0, static_cast<std::size_t>(sums.bytes()), stream), "cudaMemsetAsync");
  sum_islands(stream, context.device().multiprocessors, islands, order_by_island(stream, islands), measures.data(),
              sums.data());
  // The host asks for the result's pages while the card is busy.
  std::vector<IslandSums> result(static_cast<std::size_t>(islands.islands));
  context.down(result.data(), sums.data(), sums.bytes(), stream);
  return result;
}

}  // namespace reber::cuda
