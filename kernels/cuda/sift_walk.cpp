// SPDX-License-Identifier: BSD-3-Clause
// Sample, bracket, pass, list: the steps of a clip without histograms.
#include "kernels/cuda/sift.hpp"

#include <algorithm>

#include "kernels/cuda/sort_scan.hpp"

namespace reber::cuda {
namespace {

/// Images up to this size are their own sample: sorting them costs as much as sampling.
constexpr std::int64_t kWholePixels = std::int64_t{1} << 18;
/// A sample of n pixels leaves 10 / sqrt(n) of all pixels in the middle.
constexpr std::int64_t sample_size(std::int64_t pixels) {
  // Of the largest images, a list of too many pixels would leave the second-level cache when it is sorted.
  if (pixels >= std::int64_t{1} << 29) return std::int64_t{1} << 20;
  return std::int64_t{1} << (pixels >= std::int64_t{1} << 25 ? 18 : 16);
}
/// Of noise about 0, at most a pixel in 1700 is tiny.
constexpr std::int64_t kPixelsPerOdd = 512;

/// Keys and the room to sort them.
struct Keys {
  Keys(std::int64_t count, cudaStream_t stream) : keys(count, stream) {}
  DeviceBuffer<std::uint32_t> keys, other;

  const std::uint32_t* sort(std::int64_t count, cudaStream_t stream) {
    other = DeviceBuffer<std::uint32_t>(count, stream);
    return sort_keys(stream, keys.data(), other.data(), count);
  }
};

DeviceBuffer<ChunkSums> solve(SortedList list, const ClipOptions& options, bool exact, SiftState* state,
                              cudaStream_t stream) {
  DeviceBuffer<ChunkSums> chunks(chunks_of(list), stream);
  list.chunks = chunks.data();
  solve_list(stream, list, options, exact, state);
  return chunks;
}

std::optional<SiftAnswer> answer_of(Context& context, const DeviceBuffer<SiftState>& state) {
  SiftState found;
  context.down(&found, state.data(), sizeof(found), context.stream());
  return found.answer.exact ? std::optional(found.answer) : std::nullopt;
}

}  // namespace

std::optional<SiftAnswer> sum_plane(const CudaPlane& plane) {
  const Range range("moments");
  const std::int64_t pixels = plane.shape().count(), odd_room = pixels / kPixelsPerOdd;
  if (!plane.resident() || odd_room == 0) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<SiftState> state(1, stream);
  check(cudaMemsetAsync(state.data(), 0, sizeof(SiftState), stream), "cudaMemsetAsync");
  const DeviceBuffer<float> odd(odd_room, stream);
  const DeviceBuffer<ChunkSums> chunks(odd_chunks(), stream);
  sum_pixels(stream, context.device().multiprocessors, plane.window(), state.data(), odd.data(), odd_room,
             chunks.data());
  return answer_of(context, state);
}

std::optional<SiftAnswer> sift_plane(const CudaPlane& plane, const ClipOptions& options) {
  const Range range("sift");
  const std::int64_t pixels = plane.shape().count();
  if (!plane.resident() || pixels == 0) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<SiftState> state(1, stream);
  check(cudaMemsetAsync(state.data(), 0, sizeof(SiftState), stream), "cudaMemsetAsync");
  const bool whole = pixels <= kWholePixels;
  const std::int64_t drawn = whole ? pixels : sample_size(pixels);
  {
    Keys sample(drawn, stream);
    sample_keys(stream, plane.window(), sample.keys.data(), drawn);
    SortedList list;
    list.keys = sample.sort(drawn, stream);
    list.count = drawn;
    list.whole = true;
    ClipOptions bracketing = options;
    if (!whole && options.max_rounds == 0) bracketing = ClipOptions{};
    solve(list, bracketing, whole, state.data(), stream);
    if (whole) return answer_of(context, state);
  }
  const std::int64_t room = pixels / 8, odd_room = pixels / kPixelsPerOdd;
  Keys listed(room, stream);
  const DeviceBuffer<float> odd(odd_room, stream);
  sift_pixels(stream, context.device().multiprocessors, plane.window(), state.data(), listed.keys.data(), room,
              odd.data(), odd_room);
  SiftState found;
  context.down(&found, state.data(), sizeof(found), stream);
  const auto count = static_cast<std::int64_t>(found.sifted.listed),
             odd_count = static_cast<std::int64_t>(found.sifted.odd);
  if (!found.bracket.usable || count == 0 || count > room || odd_count > odd_room) return std::nullopt;
  SortedList list;
  list.keys = listed.sort(count, stream);
  list.count = count;
  list.odd = odd.data();
  list.odd_count = odd_count;
  solve(list, options, true, state.data(), stream);
  return answer_of(context, state);
}

}  // namespace reber::cuda
