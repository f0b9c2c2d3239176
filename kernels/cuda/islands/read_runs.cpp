// SPDX-License-Identifier: BSD-3-Clause
// Runs are read by several threads and go up as stored, some at a time, one run behind the other.
#include "kernels/cuda/islands/read_runs.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/shared/run_windows.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kPixelsAtOnce = std::int64_t{1} << 22;

/// Windows from `first` on whose runs go up together, at least one.
struct Share {
  std::size_t first, last;
  std::int64_t pixels;
};
Share next_share(const std::vector<RunWindow>& windows, std::size_t first, const std::vector<std::uint32_t>& begin) {
  std::size_t last = first + 1;
  while (last < windows.size() && begin[windows[last].last] - begin[windows[first].first] <= kPixelsAtOnce) ++last;
  return {first, last, std::int64_t{begin[windows[last - 1].last]} - begin[windows[first].first]};
}

/// Where each run's pixels begin, and the number of all.
std::vector<std::uint32_t> begins(const std::vector<rules::Run>& runs) {
  std::vector<std::uint32_t> begin{0};
  begin.reserve(runs.size() + 1);
  for (const rules::Run& run : runs) begin.push_back(begin.back() + static_cast<std::uint32_t>(run.x1 - run.x0));
  return begin;
}

}  // namespace

std::shared_ptr<const KeptPixels> read_runs(const CudaIslands& islands, const CudaPlane& plane, const Job& job) {
  ReadRows* const reads = read_rows_of(plane);
  if (reads == nullptr || rectangles_of(plane) == nullptr || islands.run_count == 0) return nullptr;
  Context& context = *islands.context();
  const cudaStream_t stream = context.stream();
  std::vector<rules::Run> runs(static_cast<std::size_t>(islands.run_count));
  context.down(runs.data(), islands.runs.data(), static_cast<std::int64_t>(runs.size() * sizeof(rules::Run)), stream);
  std::int64_t pixels = 0;
  for (const rules::Run& run : runs) pixels += run.x1 - run.x0;
  // begins() counts them in 32 bits.
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (pixels > std::min(plane.shape().count() / PixelKeeper::kPixelsAKept, kMost)) return nullptr;
  const std::vector<RunWindow> windows = windows_of_runs(runs, plane.shape(), reads->stored_pixel_bytes());
  if (windows.empty()) return nullptr;
  const std::vector<std::uint32_t> begin = begins(runs);
  auto kept = std::make_shared<KeptPixels>();
  kept->of = plane.maker();
  kept->begin = upload_vector(context, begin, stream);
  kept->pixels = DeviceBuffer<float>(begin.back(), stream);
  for (std::size_t first = 0; first < windows.size();) {
    job.check();
    const Share share = next_share(windows, first, begin);
    reads->make_runs(std::span(windows).subspan(share.first, share.last - share.first), runs,
                     kept->pixels.data() + begin[windows[first].first], share.pixels, stream);
    first = share.last;
  }
  return kept;
}

}  // namespace reber::cuda
