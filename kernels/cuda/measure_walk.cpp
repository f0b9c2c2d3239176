// SPDX-License-Identifier: BSD-3-Clause
// Measures runs band by band, then islands at once; only the islands' sums come back.
#include <cstddef>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/measure.hpp"

namespace reber::cuda {
namespace {

/// As many as there are islands. Their memory is fresh, and the first write to each of its pages waits for the system:
/// where there are many, all threads share that.
std::vector<IslandSums> room_for(std::int64_t islands, ThreadPool& threads) {
  constexpr std::int64_t kPage = 4096, kShare = 256 * kPage, kLeast = 16 * kShare;
  std::vector<IslandSums> room;
  room.reserve(static_cast<std::size_t>(islands));
  auto* bytes = reinterpret_cast<volatile std::byte*>(room.data());
  const std::int64_t size = islands * static_cast<std::int64_t>(sizeof(IslandSums));
  if (size >= kLeast) {
    threads.for_each(size / kShare, [&](std::int64_t share) {
      for (std::int64_t at = share * kShare; at < (share + 1) * kShare; at += kPage) bytes[at] = std::byte{0};
    });
  }
  room.resize(static_cast<std::size_t>(islands));
  return room;
}

}  // namespace

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
  std::vector<IslandSums> result = room_for(islands.islands, context.threads());
  context.down(result.data(), sums.data(), sums.bytes(), stream);
  return result;
}

}  // namespace reber::cuda
