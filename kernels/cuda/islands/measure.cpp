// SPDX-License-Identifier: BSD-3-Clause
// Measures runs band by band, then islands at once; only the islands' sums come back.
#include "kernels/cuda/islands/measure.hpp"

#include <cstddef>
#include <vector>

#include "kernels/cuda/islands/kept_pixels.hpp"

namespace reber::cuda {
namespace {

/// Has the system give the pages of fresh memory, to all threads at once where they are many: the first write to each
/// waits for it.
void ask_for_pages(std::byte* memory, std::int64_t size, ThreadPool& threads) {
  constexpr std::int64_t kPage = 4096, kShare = 256 * kPage, kLeast = 16 * kShare;
  auto* bytes = static_cast<volatile std::byte*>(memory);
  if (size < kLeast) return;
  threads.for_each(size / kShare, [&](std::int64_t share) {
    for (std::int64_t at = share * kShare; at < (share + 1) * kShare; at += kPage) bytes[at] = std::byte{0};
  });
}

/// The sums on the host.
std::vector<IslandSums> fetch(const DeviceBuffer<IslandSums>& sums, Context& context) {
  // Few do not need the ring of chunks. Of very many the host may have to take parts before all are queued.
  constexpr std::int64_t kFew = 64 << 10, kAtOnce = std::int64_t{32} << 20;
  std::vector<IslandSums> result;
  result.reserve(static_cast<std::size_t>(sums.size()));
  const auto fill = [&] {
    ask_for_pages(reinterpret_cast<std::byte*>(result.data()), sums.bytes(), context.threads());
    result.resize(static_cast<std::size_t>(sums.size()));
  };
  if (sums.bytes() <= kFew || sums.bytes() > kAtOnce) {
    fill();  // while the card makes the sums
    context.down(result.data(), sums.data(), sums.bytes(), context.stream());
    return result;
  }
  context.stager().down_copy(context.stream(), sums.data(), sums.bytes(), result.data());
  fill();  // while the card makes and copies the sums, none of which is written before drain()
  context.stager().drain();
  return result;
}

}  // namespace

std::vector<IslandSums> measure_islands(const CudaPlane& plane, const CudaBackground& background,
                                        const CudaIslands& islands, const Job& job) {
  if (islands.islands == 0) return {};
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBackground on_device(context, background);
  const DeviceBuffer<RunMeasure> measures(islands.run_count, stream);
  const KeptPixels* const kept = kept_pixels(islands, plane);
  const bool whole = plane.resident() || (kept != nullptr && on_device.whole());
  const std::vector<std::int64_t> edges = whole ? std::vector{std::int64_t{0}, plane.shape().ny} : band_edges(plane);
  std::vector<std::uint32_t> begin;
  if (!whole) {
    begin.resize(static_cast<std::size_t>(islands.piece_begin.size()));
    context.down(begin.data(), islands.piece_begin.data(), islands.piece_begin.bytes(), stream);
  }
  for_each_band(context, edges, 1, job, nullptr, [&](const Band& band) {
    const std::int64_t first = whole ? 0 : begin[islands.row(band.y0)];
    const std::int64_t last = whole ? islands.run_count : begin[islands.row(band.y0 + band.ny)];
    if (first == last) return;
    const HeldRows rows = kept != nullptr ? HeldRows() : hold_rows(plane, band.y0, band.ny, stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, stream);
    measure_runs(stream, rows.window, kept != nullptr ? kept->view() : RunPixels(), levels.view, islands, first, last,
                 measures.data());
  });
  const DeviceBuffer<IslandSums> sums(islands.islands, stream);
  // The structs have padding, which the copy back reads as well.
  check(cudaMemsetAsync(sums.data(), 0, static_cast<std::size_t>(sums.bytes()), stream), "cudaMemsetAsync");
  sum_islands(stream, context.device().multiprocessors, islands, order_by_island(stream, islands), measures.data(),
              sums.data());
  return fetch(sums, context);
}

}  // namespace reber::cuda
