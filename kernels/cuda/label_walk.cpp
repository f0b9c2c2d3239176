// SPDX-License-Identifier: BSD-3-Clause
// The steps from pixels to numbered islands; everything after the masks works on runs alone.
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/label.hpp"
#include "kernels/cuda/sort_scan.hpp"

namespace reber::cuda {
namespace {

struct Masks {
  DeviceBuffer<std::uint32_t> flood_bits, seed_bits;
  BitMask flood, seed;
};

Masks make_masks(const CudaPlane& plane, const BackgroundModel& background, const DetectOptions& options,
                 const Progress& progress) {
  const Range range("masks");
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  const std::int64_t words = (shape.nx + 31) / 32;
  Masks masks{{shape.ny * words, context.stream()}, {shape.ny * words, context.stream()}, {}, {}};
  masks.flood = {masks.flood_bits.data(), words};
  masks.seed = {masks.seed_bits.data(), words};
  const DeviceBackground on_device(context, background, shape);
  for_each_band(context, band_edges(plane), 1, progress, "label", [&](const Band& band) {
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, band.stream);
    threshold_mask(band.stream, rows.window, levels.view, band.y0, band.ny, options, masks.flood, masks.seed);
  });
  return masks;
}

/// throws InputError where runs could not be numbered in 31 bits
void check_run_count(Context& context, const DeviceBuffer<std::uint32_t>& counts, Shape shape) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (shape.ny * ((shape.nx + 1) / 2) <= kMost) return;
  std::vector<std::uint32_t> host(static_cast<std::size_t>(shape.ny));
  context.down(host.data(), counts.data(), shape.ny * 4, context.stream());
  if (std::accumulate(host.begin(), host.end(), std::int64_t{0}) > kMost)
    throw InputError("more than 2^31 runs of pixels above the flood threshold; raise the threshold");
}

/// Last entry of a scan: the sum of what was scanned.
std::int64_t last_of(Context& context, const DeviceBuffer<std::uint32_t>& scanned) {
  std::uint32_t last = 0;
  context.down(&last, scanned.data() + scanned.size() - 1, sizeof(last), context.stream());
  return last;
}

/// count + 1 flags, the last of them 0, so that their scan ends with the sum.
DeviceBuffer<std::uint32_t> flags_for(std::int64_t count, cudaStream_t stream) {
  DeviceBuffer<std::uint32_t> flags(count + 1, stream);
  check(cudaMemsetAsync(flags.data() + count, 0, sizeof(std::uint32_t), stream), "cudaMemsetAsync");
  return flags;
}

DeviceBuffer<std::uint32_t> scanned(const DeviceBuffer<std::uint32_t>& flags, cudaStream_t stream) {
  DeviceBuffer<std::uint32_t> sums(flags.size(), stream);
  exclusive_scan(stream, flags.data(), sums.data(), flags.size());
  return sums;
}

void sort_by_island(CudaIslands& islands, cudaStream_t stream) {
  DeviceBuffer<std::uint64_t> other(islands.run_count, stream);
  const int bits = 32 + std::bit_width(static_cast<std::uint64_t>(islands.islands));
  if (sort_keys(stream, islands.by_island.data(), other.data(), islands.run_count, 32, bits) == other.data())
    std::swap(islands.by_island, other);
  islands.island_begin = DeviceBuffer<std::uint32_t>(islands.islands + 1, stream);
  find_islands_begin(stream, islands);
}

}  // namespace

std::unique_ptr<CudaIslands> find_islands(const CudaPlane& plane, const BackgroundModel& background,
                                          const DetectOptions& options, const Progress& progress) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  const cudaStream_t stream = context.stream();
  auto islands = std::make_unique<CudaIslands>(plane.context(), shape, options);
  if (shape.count() == 0) return islands;
  const Masks masks = make_masks(plane, background, options, progress);
  const Range range("runs");
  const DeviceBuffer<std::uint32_t> counts = flags_for(shape.ny, stream);
  count_runs(stream, masks.flood, shape, counts.data());
  check_run_count(context, counts, shape);
  const DeviceBuffer<std::uint32_t> row_begin = scanned(counts, stream);
  const std::int64_t count = last_of(context, row_begin);
  if (count == 0) return islands;
  const DeviceBuffer<rules::Run> runs(count, stream);
  extract_runs(stream, masks.flood, shape, row_begin.data(), runs.data());
  const DeviceBuffer<std::uint32_t> parent(count, stream);
  connect_runs(stream, runs.data(), count, row_begin.data(), options.connectivity == Connectivity::eight ? 1 : 0,
               parent.data());
  const DeviceBuffer<std::uint32_t> accepted = flags_for(count, stream), member = flags_for(count, stream);
  {
    const DeviceBuffer<unsigned long long> areas(count, stream);
    const DeviceBuffer<std::uint32_t> seeded(count, stream);
    accept_roots(stream, runs.data(), count, masks.seed, parent.data(), options.min_area, areas.data(), seeded.data(),
                 accepted.data());
  }
  mark_members(stream, count, parent.data(), accepted.data(), member.data());
  const DeviceBuffer<std::uint32_t> number = scanned(accepted, stream), place = scanned(member, stream);
  islands->islands = last_of(context, number);
  islands->run_count = last_of(context, place);
  if (islands->islands == 0) return islands;
  islands->runs = DeviceBuffer<rules::Run>(islands->run_count, stream);
  islands->labels = DeviceBuffer<std::uint32_t>(islands->run_count, stream);
  islands->by_island = DeviceBuffer<std::uint64_t>(islands->run_count, stream);
  islands->row_begin = DeviceBuffer<std::uint32_t>(shape.ny + 1, stream);
  keep_members(stream, runs.data(), count, parent.data(), number.data(), member.data(), place.data(), *islands);
  keep_rows(stream, row_begin.data(), place.data(), shape.ny, islands->row_begin.data());
  sort_by_island(*islands, stream);
  return islands;
}

}  // namespace reber::cuda
