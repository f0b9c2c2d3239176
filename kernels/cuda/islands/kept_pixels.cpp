// SPDX-License-Identifier: BSD-3-Clause
// Room for the pixels that labelling passes by, and what is left of them once islands are known.
#include "kernels/cuda/islands/kept_pixels.hpp"

#include <algorithm>
#include <limits>

#include "kernels/cuda/device/sort_scan.hpp"

namespace reber::cuda {

const KeptPixels* kept_pixels(const CudaIslands& islands, const CudaPlane& plane) {
  const bool of_it = islands.kept && plane.maker() && islands.kept->of.lock() == plane.maker();
  return of_it ? islands.kept.get() : nullptr;
}

PixelKeeper::PixelKeeper(const CudaPlane& plane) : of_(plane.maker()) {
  if (!plane.maker()) return;
  constexpr std::int64_t kLeast = 4096, kMost = std::numeric_limits<std::int32_t>::max();
  const Shape shape = plane.shape();
  const std::int64_t room = std::clamp(shape.count() / kPixelsAKept, kLeast, kMost);
  const cudaStream_t stream = plane.context()->stream();
  pixels_ = DeviceBuffer<float>(room, stream);
  total_ = DeviceBuffer<unsigned long long>(1, stream);
  begin_ = DeviceBuffer<std::uint32_t>(shape.ny * pieces_of(shape.nx), stream);
  check(cudaMemsetAsync(total_.data(), 0, static_cast<std::size_t>(total_.bytes()), stream), "cudaMemsetAsync");
  list_ = {pixels_.data(), static_cast<unsigned long long>(room), total_.data(), begin_.data(), pieces_of(shape.nx)};
}

void PixelKeeper::take(const Band& band, const RowWindow& window, const BitMask& flood,
                       std::int64_t first_piece) const {
  if (list_.room > 0) list_flood(band.stream, window, band.y0, band.ny, first_piece, flood, list_);
}

std::shared_ptr<const KeptPixels> PixelKeeper::give(const CudaIslands& islands, const BitMask& flood) const {
  if (list_.room == 0 || islands.run_count == 0) return nullptr;
  Context& context = *islands.context();
  const cudaStream_t stream = context.stream();
  unsigned long long total = 0;
  context.down(&total, total_.data(), sizeof(total), stream);
  if (total > list_.room) return nullptr;
  auto kept = std::make_shared<KeptPixels>();
  kept->of = of_;
  // One more, so that the scan ends with the number of pixels.
  kept->begin = DeviceBuffer<std::uint32_t>(islands.run_count + 1, stream);
  check(cudaMemsetAsync(kept->begin.data(), 0, static_cast<std::size_t>(kept->begin.bytes()), stream),
        "cudaMemsetAsync");
  lengths_of_runs(stream, islands, kept->begin.data());
  exclusive_scan(stream, kept->begin.data(), kept->begin.data(), islands.run_count + 1);
  std::uint32_t pixels = 0;
  context.down(&pixels, kept->begin.data() + islands.run_count, sizeof(pixels), stream);
  kept->pixels = DeviceBuffer<float>(pixels, stream);
  pick_runs(stream, islands, flood, list_, kept->begin.data(), kept->pixels.data());
  return kept;
}

}  // namespace reber::cuda
