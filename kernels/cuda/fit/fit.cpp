// SPDX-License-Identifier: BSD-3-Clause
// Sorts the problems of a batch by what they need and launches those together that fit the same block.
#include "kernels/cuda/fit/fit.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cuda/device/stop_flag.hpp"
#include "kernels/cuda/device/waits.hpp"
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
/// Where the matrix lies apart, more threads hide more of the wait for it.
constexpr int kWholeThreads = 256, kApartThreads = 512;
/// Global memory for the workspaces of one launch, at most; a part of what is free where that is less.
constexpr std::int64_t kMostWorkspace = std::int64_t{8} << 30;
/// Launches side by side: the last blocks of one, which have the longest problems, leave room for the next.
constexpr std::size_t kStreams = 4;

struct Need {
  std::int32_t problem;
  bool one_component;
  int step;                     ///< of kSteps; beyond them see below
  std::int64_t shared, global;  ///< doubles
};

/// The block's most shared memory; the matrix apart; all in global memory.
constexpr int kWholeBlock = static_cast<int>(std::size(kSteps)), kApart = kWholeBlock + 1, kGlobal = kApart + 1;

int threads_of(int step) {
  return step < kWholeBlock ? kSteps[step].threads : (step == kApart ? kApartThreads : kWholeThreads);
}

FitMemory memory_of(int step) {
  return step <= kWholeBlock ? FitMemory::shared : (step < kGlobal ? FitMemory::apart : FitMemory::global);
}

Need need_of(const FitBatch& batch, std::int32_t index, std::int64_t most_shared) {
  const FitProblem& problem = batch.problems[static_cast<std::size_t>(index)];
  const int parameters = parameters_of(batch, problem);
  const auto layout = [&](bool apart) {
    return layout_of(problem.pixels, parameters, fit_columns(parameters), static_cast<int>(problem.components),
                     problem.correlated, apart);
  };
  const FitLayout whole = layout(false);
  const bool one_component = parameters == 6;
  int step = 0;
  while (step < kWholeBlock && whole.size > kSteps[step].doubles) ++step;
  if (whole.size <= most_shared) return {index, one_component, step, whole.size, 0};
  const FitLayout apart = layout(true);
  if (apart.size <= most_shared) return {index, one_component, kApart, apart.size, apart.matrix_size};
  return {index, false, kGlobal, 0, whole.size};
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
    if (a.global != b.global) return a.global > b.global;
    return a.shared != b.shared ? a.shared > b.shared : a.problem < b.problem;
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

/// Which problems go together, those of most work first.   budget: doubles of global memory for one launch
std::vector<FitLaunch> launches_of(const std::vector<Need>& needs, const std::int32_t* which, std::int64_t budget) {
  std::vector<FitLaunch> launches;
  for (std::size_t at = 0; at < needs.size();) {
    const Need& first = needs[at];
    const std::int64_t most =
        first.global > 0 ? std::max<std::int64_t>(1, budget / first.global) : std::numeric_limits<std::int32_t>::max();
    std::size_t end = at;
    std::int64_t shared = 0;
    while (end < needs.size() && static_cast<std::int64_t>(end - at) < most && needs[end].step == first.step &&
           needs[end].one_component == first.one_component)
      shared = std::max(shared, needs[end++].shared);
    launches.push_back({which + at, static_cast<std::int64_t>(end - at), first.one_component, threads_of(first.step),
                        memory_of(first.step), shared, first.global, nullptr});
    at = end;
  }
  return launches;
}

/// Queues the launches on streams of their own, which `stream` then waits for.
void launch_all(cudaStream_t stream, const FitTask& task, const std::vector<FitLaunch>& launches,
                std::vector<Stream>& own) {
  Event ready;
  ready.record(stream);
  for (const Stream& one : own) check(cudaStreamWaitEvent(one.get(), ready.get(), 0), "cudaStreamWaitEvent");
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const cudaStream_t mine = own[i % own.size()].get();
    FitLaunch launch = launches[i];
    // Given back in the order of the stream.
    const DeviceBuffer<double> workspace(launch.count * launch.global_doubles, mine);
    launch.workspace = workspace.data();
    launch_fit(mine, task, launch);
  }
  for (const Stream& one : own) {
    const Event done;
    done.record(one.get());
    check(cudaStreamWaitEvent(stream, done.get(), 0), "cudaStreamWaitEvent");
  }
}

}  // namespace

FitResults fit_batch(Context& context, const FitBatch& batch, const Job& job) {
  check_batch(batch);
  if (batch.problems.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("more than 2147483647 islands cannot be fitted at once; raise the seed threshold");
  if (batch.problems.empty()) return {};
  job.report("fit", 0);
  const cudaStream_t stream = context.stream();
  const std::int64_t most_shared = context.device().shared_bytes / static_cast<std::int64_t>(sizeof(double));
  const std::vector<Need> needs = needs_of(batch, most_shared);
  std::vector<std::int32_t> order;
  order.reserve(needs.size());
  for (const Need& need : needs) order.push_back(need.problem);
  DeviceBatch on_device(context, batch, stream);
  const StopFlag& stop = context.stop_flag();
  on_device.task.stop = stop.word();
  const DeviceBuffer<std::int32_t> which = upload_vector(context, order, stream);
  const std::int64_t budget =
      std::min(kMostWorkspace, context.usable_bytes() / 16) / static_cast<std::int64_t>(sizeof(double));
  const std::vector<FitLaunch> launches = launches_of(needs, which.data(), budget);
  std::vector<Stream> own(std::min(kStreams, launches.size()));
  try {
    launch_all(stream, on_device.task, launches, own);
    stop.wait(stream, job);
  } catch (...) {
    // Nothing may still run when the batch's memory goes away.
    for (const Stream& one : own) settle(one.get());
    throw;
  }
  return on_device.results(context, stream);
}

}  // namespace reber::cuda
