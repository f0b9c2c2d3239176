// SPDX-License-Identifier: BSD-3-Clause
// Sample, bracket, pass, list: the steps of a clip without histograms.
#include "kernels/cuda/statistics/sift.hpp"

#include <algorithm>

#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/statistics/list_order.hpp"
#include "kernels/cuda/statistics/moments.hpp"
#include "kernels/cuda/statistics/sift_solve.hpp"

namespace reber::cuda {
namespace {

/// Images up to this size are sorted as they are: that costs as much as a sample.
constexpr std::int64_t kWholePixels = std::int64_t{1} << 18;
/// Of noise about 0, at most a pixel in 1700 is tiny.
constexpr std::int64_t kPixelsPerOdd = 512;
/// Lists of larger images are sorted by the library: their bins are too full, and to wait for a length is little there.
constexpr std::int64_t kMostBinned = std::int64_t{1} << 24;

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

SiftFound fetch(Context& context, const DeviceBuffer<SiftState>& state) {
  SiftFound found;
  context.down(&found, static_cast<SiftFound*>(state.data()), sizeof(found), context.stream());
  return found;
}

std::optional<SiftAnswer> answer_of(const SiftFound& found) {
  if (!found.answer.exact) return std::nullopt;
  SiftAnswer answer = found.answer;
  const rules::MeanStd kept = mean_and_std(found.sums, answer.clip.kept, found.exponent);
  answer.clip.mean = kept.mean;
  answer.clip.std = kept.std;
  return answer;
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
  const SiftAnswer answer = fetch(context, state).answer;
  return answer.exact ? std::optional(answer) : std::nullopt;
}

std::optional<SiftAnswer> sift_plane(const CudaPlane& plane, const ClipOptions& options) {
  const Range range("sift");
  const std::int64_t pixels = plane.shape().count();
  if (!plane.resident() || pixels == 0) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<SiftState> state(1, stream);
  if (pixels <= kWholePixels) {
    check(cudaMemsetAsync(state.data(), 0, sizeof(SiftFound), stream), "cudaMemsetAsync");
    Keys all(pixels, stream);
    all_keys(stream, plane.window(), all.keys.data());
    SortedList list;
    list.keys = all.sort(pixels, stream);
    list.count = pixels;
    list.whole = true;
    solve(list, options, state.data(), stream);
    return answer_of(fetch(context, state));
  }
  choose_bracket(stream, plane.window(), options.max_rounds == 0 ? ClipOptions{} : options, state.data());
  const std::int64_t room = pixels / 8, odd_room = pixels / kPixelsPerOdd;
  const bool binned = pixels <= kMostBinned;
  Keys listed(room, stream);
  const DeviceBuffer<float> odd(odd_room, stream);
  const SiftLists lists{listed.keys.data(), binned, static_cast<unsigned long long>(room), odd.data(),
                        static_cast<unsigned long long>(odd_room)};
  sift_pixels(stream, context.device().multiprocessors, plane.window(), state.data(), lists);
  SortedList list;
  list.odd = odd.data();
  if (binned) {
    const DeviceBuffer<std::uint32_t> grouped(room, stream);
    order_list(stream, context.device().multiprocessors, lists, grouped.data(), state.data());
    list.keys = listed.keys.data();
    list.count = room;
    list.odd_count = odd_room;
    list.counted_there = true;
    solve(list, options, state.data(), stream);
  }
  const SiftFound found = fetch(context, state);
  list.count = static_cast<std::int64_t>(found.sifted.listed);
  list.odd_count = static_cast<std::int64_t>(found.sifted.odd);
  if (!found.bracket.usable || list.count == 0 || list.count > room || list.odd_count > odd_room) return std::nullopt;
  if (binned && found.crowded == 0) return answer_of(found);
  list.keys = listed.sort(list.count, stream);
  list.counted_there = false;
  solve(list, options, state.data(), stream);
  return answer_of(fetch(context, state));
}

}  // namespace reber::cuda
