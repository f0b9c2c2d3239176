// SPDX-License-Identifier: BSD-3-Clause
// Sample, list, choice: the steps of a median.
#include "kernels/cuda/statistics/median.hpp"

#include <cstddef>

#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kLeastPixels = std::int64_t{1} << 18;

}  // namespace

std::optional<MedianAnswer> median_of_plane(const CudaPlane& plane, bool extremes) {
  const Range range("median");
  const std::int64_t pixels = plane.shape().count(), finite = pixels - plane.blank();
  if (!plane.resident() || pixels < kLeastPixels || finite == 0) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const int multiprocessors = context.device().multiprocessors;
  const DeviceBuffer<MedianState> state(1, stream);
  choose_bracket(stream, plane.window(), {3, 0}, state.data());
  const std::int64_t room = pixels / 8;
  const DeviceBuffer<std::uint32_t> list(room, stream);
  list_middle(stream, multiprocessors, plane.window(), extremes, state.data(), list.data(), room);
  select_middle(stream, multiprocessors, finite, state.data(), list.data(), room);
  MedianState found;
  context.down(&found, state.data(), offsetof(MedianState, counts), stream);
  if (found.rank == kNoRank || found.lower_key == 0) return std::nullopt;
  MedianAnswer answer;
  const double upper = rules::value_of(found.key), lower = rules::value_of(found.lower_key);
  answer.median = finite % 2 != 0 ? upper : 0.5 * (lower + upper);
  if (extremes) {
    answer.min = rules::value_of(~found.smallest);
    answer.max = rules::value_of(found.largest);
  }
  return answer;
}

}  // namespace reber::cuda
