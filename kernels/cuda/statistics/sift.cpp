// SPDX-License-Identifier: BSD-3-Clause
// Sample, bracket, pass, list: the steps of a clip without histograms.
#include "kernels/cuda/statistics/sift.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/statistics/moments.hpp"
#include "kernels/cuda/statistics/sift_solve.hpp"

namespace reber::cuda {
namespace {

/// Images up to this size are sorted as they are: that costs as much as a sample.
constexpr std::int64_t kWholePixels = std::int64_t{1} << 18;
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

DeviceBuffer<ChunkSums> solve(SortedList list, const ClipOptions& options, SiftState* state, cudaStream_t stream) {
  DeviceBuffer<ChunkSums> chunks(chunks_of(list), stream);
  list.chunks = chunks.data();
  solve_list(stream, list, options, state);
  return chunks;
}

std::optional<SiftAnswer> answer_of(Context& context, const DeviceBuffer<SiftState>& state) {
  SiftState found;
  context.down(&found, state.data(), offsetof(SiftState, sample), context.stream());
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
  if (pixels <= kWholePixels) {
    check(cudaMemsetAsync(state.data(), 0, sizeof(SiftState), stream), "cudaMemsetAsync");
    Keys all(pixels, stream);
    all_keys(stream, plane.window(), all.keys.data());
    SortedList list;
    list.keys = all.sort(pixels, stream);
    list.count = pixels;
    list.whole = true;
    solve(list, options, state.data(), stream);
    return answer_of(context, state);
  }
  choose_bracket(stream, plane.window(), options.max_rounds == 0 ? ClipOptions{} : options, state.data());
  const std::int64_t room = pixels / 8, odd_room = pixels / kPixelsPerOdd;
  Keys listed(room, stream);
  const DeviceBuffer<float> odd(odd_room, stream);
  sift_pixels(stream, context.device().multiprocessors, plane.window(), state.data(), listed.keys.data(), room,
              odd.data(), odd_room);
  SiftState found;
  context.down(&found, state.data(), offsetof(SiftState, sample), stream);
  const auto count = static_cast<std::int64_t>(found.sifted.listed),
             odd_count = static_cast<std::int64_t>(found.sifted.odd);
  if (!found.bracket.usable || count == 0 || count > room || odd_count > odd_room) return std::nullopt;
  SortedList list;
  list.keys = listed.sort(count, stream);
  list.count = count;
  list.odd = odd.data();
  list.odd_count = odd_count;
  solve(list, options, state.data(), stream);
  return answer_of(context, state);
}

}  // namespace reber::cuda
