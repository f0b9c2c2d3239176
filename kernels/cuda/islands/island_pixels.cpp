// SPDX-License-Identifier: BSD-3-Clause
// Chooses islands by size and brings their pixels to the host.
#include "kernels/cuda/islands/island_pixels.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/islands/read_runs.hpp"

namespace reber::cuda {
namespace {

/// Labels of the chosen islands and where each begins.   returns the number of pixels
std::int64_t choose(const std::vector<unsigned long long>& counts, std::int64_t min_pixels, IslandPixels& pixels) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<std::int64_t>(counts[i]);
    if (count < min_pixels) continue;
    total += count;
    pixels.label.push_back(static_cast<std::int64_t>(i) + 1);
    pixels.first.push_back(total);
  }
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw InputError(
        fmt::format("the chosen islands hold {} pixels, more than can be listed; raise the flood threshold", total));
  return total;
}

template <class T>
void fetch(Context& context, const DeviceBuffer<T>& from, std::vector<T>& to) {
  to.resize(static_cast<std::size_t>(from.size()));
  context.down(to.data(), from.data(), from.bytes(), context.stream());
}

/// Makes the lists as long as they will be, side by side: fresh pages take longer than the copies into them.
void make_room(Context& context, std::int64_t total, IslandPixels& pixels) {
  const auto size = static_cast<std::size_t>(total);
  const std::array<std::function<void()>, 5> lists{[&] { pixels.y.resize(size); }, [&] { pixels.x.resize(size); },
                                                   [&] { pixels.pixel.resize(size); },
                                                   [&] { pixels.mean.resize(size); }, [&] { pixels.rms.resize(size); }};
  context.threads().for_each(static_cast<std::int64_t>(lists.size()),
                             [&](std::int64_t k) { lists[static_cast<std::size_t>(k)](); });
}

}  // namespace

IslandPixels fetch_island_pixels(const CudaPlane& plane, const CudaBackground& background, const CudaIslands& islands,
                                 std::int64_t min_pixels, const Job& job) {
  IslandPixels pixels;
  if (islands.islands == 0) return pixels;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<unsigned long long> device_counts(islands.islands, stream);
  const IslandOrder order = order_by_island(stream, islands);
  count_pixels(stream, islands, order, device_counts.data());
  std::vector<unsigned long long> counts;
  fetch(context, device_counts, counts);
  const std::int64_t total = choose(counts, min_pixels, pixels);
  if (total == 0) return pixels;
  const DeviceBuffer<std::uint32_t> lengths(islands.run_count, stream), places(islands.run_count, stream);
  chosen_lengths(stream, islands, order, device_counts.data(), min_pixels, lengths.data());
  exclusive_scan(stream, lengths.data(), places.data(), islands.run_count);
  const DeviceBuffer<std::int32_t> y(total, stream), x(total, stream);
  const DeviceBuffer<float> pixel(total, stream), mean(total, stream), rms(total, stream);
  const PixelLists lists{y.data(), x.data(), pixel.data(), mean.data(), rms.data()};
  const DeviceBackground on_device(context, background);
  const KeptPixels* kept = kept_pixels(islands, plane);
  const std::shared_ptr<const KeptPixels> read = kept == nullptr ? read_runs(islands, plane, job) : nullptr;
  if (read) kept = read.get();
  const bool whole = plane.resident() || (kept != nullptr && on_device.whole());
  const std::vector<std::int64_t> edges = whole ? std::vector{std::int64_t{0}, plane.shape().ny} : band_edges(plane);
  for_each_band(context, edges, 1, job, nullptr, [&](const Band& band) {
    const HeldRows rows = kept != nullptr ? HeldRows() : hold_rows(plane, band.y0, band.ny, stream);
    const DeviceBackground::Rows levels = on_device.hold(band.y0, band.ny, stream);
    gather_pixels(stream, rows.window, kept != nullptr ? kept->view() : RunPixels(), levels.view, band.y0, band.ny,
                  islands, order, lengths.data(), places.data(), lists);
  });
  make_room(context, total, pixels);
  const auto queue = [&](const auto& from, auto& to) {
    context.stager().down_copy(stream, from.data(), from.bytes(), to.data());
  };
  queue(y, pixels.y);
  queue(x, pixels.x);
  queue(pixel, pixels.pixel);
  queue(mean, pixels.mean);
  queue(rms, pixels.rms);
  context.stager().drain();
  return pixels;
}

}  // namespace reber::cuda
