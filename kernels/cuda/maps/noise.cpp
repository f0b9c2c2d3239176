// SPDX-License-Identifier: BSD-3-Clause
// Which questions the card answers, and the memory that it takes.
#include "kernels/cuda/maps/noise.hpp"

#include <algorithm>
#include <vector>

namespace reber::cuda {
namespace {

bool can_answer(const CudaPlane& plane, const DeviceBackground& background, const NoiseQuestion& question) {
  if (!plane.resident() || !background.whole() || question.patches.empty()) return false;
  const Rect& first = question.patches.front();
  const auto fits = [&](const Rect& one) { return one.ny == first.ny && one.nx == first.nx; };
  return first.ny <= kNoiseSide && first.nx <= kNoiseSide && question.grow >= 0 && question.grow <= kMostNoiseGrow &&
         question.reach >= 0 && question.reach <= kMostNoiseReach && question.reach < std::min(first.ny, first.nx) &&
         std::ranges::all_of(question.patches, fits);
}

}  // namespace

std::optional<NoiseSums> noise_sums_of(const CudaPlane& plane, const CudaBackground& background,
                                       const CudaIslands& islands, const NoiseQuestion& question, const Job& job) {
  job.check();
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBackground on_device(context, background);
  if (!can_answer(plane, on_device, question)) return std::nullopt;
  const auto patches = static_cast<std::int64_t>(question.patches.size());
  const std::int64_t slots = (question.reach + 1) * (2 * question.reach + 1);
  constexpr std::int64_t kPixels = std::int64_t{kNoiseSide} * kNoiseSide,
                         kWords = std::int64_t{kNoiseSide} * kNoiseWords;
  const DeviceBuffer<Rect> where = upload_vector(context, question.patches, stream);
  const DeviceBuffer<float> values(patches * kPixels, stream);
  const DeviceBuffer<std::uint32_t> known(patches * kWords, stream), pairs(patches * slots, stream);
  const DeviceBuffer<double> product(patches * slots, stream), all(2 * slots, stream);
  const NoiseTask task{where.data(),
                       static_cast<int>(patches),
                       static_cast<int>(question.patches.front().ny),
                       static_cast<int>(question.patches.front().nx),
                       static_cast<int>(question.reach),
                       static_cast<int>(question.grow),
                       question.limit,
                       values.data(),
                       known.data(),
                       product.data(),
                       pairs.data(),
                       all.data(),
                       all.data() + slots};
  NoiseIslands runs;
  if (islands.run_count > 0) runs = {islands.runs.data(), islands.piece_begin.data(), pieces_of(islands.shape().nx)};
  const DeviceBackground::Rows levels = on_device.hold(0, plane.shape().ny, stream);
  sum_noise(stream, plane.window(), levels.view, runs, task);
  std::vector<double> both(static_cast<std::size_t>(2 * slots));
  context.down(both.data(), all.data(), all.bytes(), stream);
  const auto middle = both.begin() + static_cast<std::ptrdiff_t>(slots);
  return NoiseSums{{both.begin(), middle}, {middle, both.end()}};
}

}  // namespace reber::cuda
