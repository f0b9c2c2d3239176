// SPDX-License-Identifier: BSD-3-Clause
// Sorts the problems of a batch by what they need and launches those together that fit the same block.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/fit.hpp"
#include "kernels/cuda/stop_flag.hpp"
#include "kernels/shared/fit_sizes.hpp"

namespace reber::cuda {
namespace {

/// Threads of a block by the doubles of its workspace in shared memory; each row is a launch of its own, so that small
/// problems do not reserve what large ones need.
struct Step {
  std::int64_t doubles;
  int threads;
};
constexpr Step kSteps[] = {{1024, 64},  {1536, 64},  {2048, 64},  {3072, 64},
                           {4096, 128}, {6144, 128}, {9216, 256}, {14336, 256}};
constexpr int kLargeThreads = 256;
/// Problems of one launch: progress is reported between launches.
constexpr std::int64_t kMostTogether = 32768;
/// Global memory for the workspaces of one launch, at most; a part of what is free where that is less.
constexpr std::int64_t kMostWorkspace = std::int64_t{2} << 30;

struct Need {
  std::int32_t problem;
  bool one_component;
  int step;  ///< of kSteps; beyond them: the block's most shared memory, then global memory
  std::int64_t doubles;
};

constexpr int kWholeBlock = static_cast<int>(std::size(kSteps)), kGlobal = kWholeBlock + 1;

Need need_of(const FitBatch& batch, std::int32_t index, std::int64_t most_shared) {
  const FitProblem& problem = batch.problems[static_cast<std::size_t>(index)];
  const int parameters = parameters_of(batch, problem);
  const FitLayout layout = layout_of(problem.pixels, parameters, fit_columns(parameters),
                                     static_cast<int>(problem.components), problem.correlated);
  int step = 0;
  while (step < kWholeBlock && layout.size > kSteps[step].doubles) ++step;
  if (step == kWholeBlock && layout.size > most_shared) step = kGlobal;
  return {index, parameters == 6 && step != kGlobal, step, layout.size};
}

/// Grouped by launch, the largest first.
std::vector<Need> needs_of(const FitBatch& batch, std::int64_t most_shared) {
  std::vector<Need> needs;
  needs.reserve(batch.problems.size());
  for (std::size_t i = 0; i < batch.problems.size(); ++i)
    needs.push_back(need_of(batch, static_cast<std::int32_t>(i), most_shared));
  std::ranges::sort(needs, [](const Need& a, const Need& b) {
    if (a.step != b.step) return a.step > b.step;
    if (a.one_component != b.one_component) return b.one_component;
    return a.doubles != b.doubles ? a.doubles > b.doubles : a.problem < b.problem;
  });
  return needs;
}

/// The batch's copy on the device.
class DeviceBatch {
 public:
  DeviceBatch(Context& context, const FitBatch& batch, cudaStream_t stream)
      : y_(upload_vector(context, batch.pixels.y, stream)),
        x_(upload_vector(context, batch.pixels.x, stream)),
        value_(upload_vector(context, batch.pixels.value, stream)),
        rms_(upload_vector(context, batch.pixels.rms, stream)),
        start_(upload_vector(context, batch.start, stream)),
        bounds_(upload_vector(context, batch.bounds, stream)),
        problems_(upload_vector(context, batch.problems, stream)),
        weights_(upload_vector(context, batch.weights.values(), stream)),
        errors_(upload_vector(context, batch.errors.values(), stream)),
        outcomes_(static_cast<std::int64_t>(batch.problems.size()), stream),
        fitted_(static_cast<std::int64_t>(batch.start.size()), stream) {
    clear(outcomes_, stream);
    clear(fitted_, stream);
    task = {y_.data(),
            x_.data(),
            value_.data(),
            rms_.data(),
            start_.data(),
            bounds_.data(),
            problems_.data(),
            {weights_.data(), static_cast<int>(batch.weights.reach())},
            {errors_.data(), static_cast<int>(batch.errors.reach())},
            outcomes_.data(),
            fitted_.data(),
            nullptr};
  }

  [[nodiscard]] FitResults results(Context& context, cudaStream_t stream) const {
    FitResults results;
    results.problems.resize(static_cast<std::size_t>(outcomes_.size()));
    results.components.resize(static_cast<std::size_t>(fitted_.size()));
    if (outcomes_.size() > 0) context.down(results.problems.data(), outcomes_.data(), outcomes_.bytes(), stream);
    if (fitted_.size() > 0) context.down(results.components.data(), fitted_.data(), fitted_.bytes(), stream);
    return results;
  }

  FitTask task;

 private:
  /// What does not settle stays zero, and so does the padding, which the copy back reads.
  template <class T>
  static void clear(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
    if (buffer.size() == 0) return;
    check(cudaMemsetAsync(buffer.data(), 0, static_cast<std::size_t>(buffer.bytes()), stream), "cudaMemsetAsync");
  }

  DeviceBuffer<std::int32_t> y_, x_;
  DeviceBuffer<double> value_, rms_;
  DeviceBuffer<GaussianComponent> start_;
  DeviceBuffer<FitBounds> bounds_;
  DeviceBuffer<FitProblem> problems_;
  DeviceBuffer<double> weights_, errors_;
  DeviceBuffer<FitOutcome> outcomes_;
  DeviceBuffer<FittedGaussian> fitted_;
};

}  // namespace

FitResults fit_batch(Context& context, const FitBatch& batch, const Progress& progress) {
  check_batch(batch);
  if (batch.problems.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("more than 2147483647 islands cannot be fitted at once; raise the seed threshold");
  const cudaStream_t stream = context.stream();
  const std::int64_t most_shared = context.device().shared_bytes / static_cast<std::int64_t>(sizeof(double));
  const std::vector<Need> needs = needs_of(batch, most_shared);
  std::vector<std::int32_t> order;
  for (const Need& need : needs) order.push_back(need.problem);
  DeviceBatch on_device(context, batch, stream);
  const StopFlag& stop = context.stop_flag();
  on_device.task.stop = stop.word();
  const DeviceBuffer<std::int32_t> which = upload_vector(context, order, stream);
  const std::int64_t budget =
      std::min(kMostWorkspace, context.usable_bytes() / 4) / static_cast<std::int64_t>(sizeof(double));
  for (std::size_t at = 0; at < needs.size();) {
    progress.report("fit", static_cast<double>(at) / static_cast<double>(needs.size()));
    const Need& first = needs[at];
    const bool global = first.step == kGlobal;
    const std::int64_t most = global ? std::max<std::int64_t>(1, budget / first.doubles) : kMostTogether;
    std::size_t end = at + 1;
    while (end < needs.size() && static_cast<std::int64_t>(end - at) < most && needs[end].step == first.step &&
           needs[end].one_component == first.one_component)
      ++end;
    FitLaunch group{which.data() + at,   static_cast<std::int64_t>(end - at),
                    first.one_component, first.step < kWholeBlock ? kSteps[first.step].threads : kLargeThreads,
                    first.doubles,       nullptr};
    DeviceBuffer<double> workspace;
    if (global) workspace = DeviceBuffer<double>(group.count * group.doubles, stream);
    group.workspace = workspace.data();
    launch_fit(stream, on_device.task, group);
    // Waiting costs little beside a launch of this size, and what is reported is then true.
    stop.wait(stream, progress);
    at = end;
  }
  return on_device.results(context, stream);
}

}  // namespace reber::cuda
