// SPDX-License-Identifier: BSD-3-Clause
// Shares a batch with the host's threads, sorts the card's problems by what they need and launches those together that
// fit the same block.
#include "kernels/cuda/fit/fit.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/environment.hpp"
#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
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
/// Problems of one component in the first of these steps have a warp each: it waits at no barrier.
constexpr int kWarpSteps = 2;
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

int threads_of(int step, bool one_component) {
  if (one_component && step < kWarpSteps) return kFitWarp;
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
std::vector<Need> needs_of(const FitBatch& batch, std::span<const std::int32_t> which, std::int64_t most_shared,
                           ThreadPool& pool) {
  std::vector<Need> needs(which.size());
  constexpr std::size_t kTogether = 1024;  // problems of a thread's turn
  pool.for_each(static_cast<std::int64_t>((which.size() + kTogether - 1) / kTogether), [&](std::int64_t turn) {
    const std::size_t first = static_cast<std::size_t>(turn) * kTogether;
    for (std::size_t i = first; i < std::min(first + kTogether, which.size()); ++i)
      needs[i] = need_of(batch, which[i], most_shared);
  });
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

  /// results: with room for all of the batch
  void bring(Context& context, cudaStream_t stream, FitResults& results) const {
    if (outcomes_.size() > 0) context.down(results.problems.data(), outcomes_.data(), outcomes_.bytes(), stream);
    if (fitted_.size() > 0) context.down(results.components.data(), fitted_.data(), fitted_.bytes(), stream);
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
    launches.push_back({which + at, static_cast<std::int64_t>(end - at), first.one_component,
                        threads_of(first.step, first.one_component), memory_of(first.step), shared, first.global,
                        nullptr});
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

/// REBER_CUDA_FITS=card, host or both in the environment, for tests: who solves, whatever it costs.
FitPlaces places_asked() {
  const char* const text = environment(Variable::cuda_fits);
  const std::string_view word = text == nullptr ? "" : text;
  if (word == "card") return FitPlaces::card;
  if (word == "host") return FitPlaces::host;
  return word == "both" ? FitPlaces::both : FitPlaces::by_cost;
}

FitMachine machine_of(Context& context) {
  constexpr double kStartMs = 1.5;  // copies up and down, streams, launches (H200)
  const DeviceInfo& device = context.device();
  return {context.threads().threads(), device.multiprocessors, device.shared_bytes_per_sm, kStartMs};
}

FitResults room_for(const FitBatch& batch) {
  FitResults results;
  reserve_large(results.problems, batch.problems.size());
  reserve_large(results.components, batch.start.size());
  results.problems.resize(batch.problems.size());
  results.components.resize(batch.start.size());
  return results;
}

/// The host's share, while the card works on its own.
class HostShare {
 public:
  HostShare(Context& context, const FitBatch& batch, std::span<const std::int32_t> which, HostFits by, const Job& job)
      : context_(context), batch_(batch), which_(which), solve_(by), job_(job) {}

  void solve() {
    if (which_.empty()) return;
    const trace::Span span("host", "fits on the host's threads");
    found_ = solve_(batch_, which_, context_.threads(), job_);
  }
  void put(FitResults& results) const { put_results(batch_, which_, found_, results); }

 private:
  Context& context_;
  const FitBatch& batch_;
  std::span<const std::int32_t> which_;
  HostFits solve_;
  const Job& job_;
  FitResults found_;
};

/// Solves the card's problems, and in the meantime those of the host.
FitResults on_card(Context& context, const FitBatch& batch, std::span<const std::int32_t> which, HostShare& host,
                   const Job& job) {
  const cudaStream_t stream = context.stream();
  const std::int64_t most_shared = context.device().shared_bytes / static_cast<std::int64_t>(sizeof(double));
  const std::vector<Need> needs = needs_of(batch, which, most_shared, context.threads());
  std::vector<std::int32_t> order;
  order.reserve(needs.size());
  for (const Need& need : needs) order.push_back(need.problem);
  DeviceBatch on_device(context, batch, stream);
  const StopFlag& stop = context.stop_flag();
  on_device.task.stop = stop.word();
  const DeviceBuffer<std::int32_t> numbers = upload_vector(context, order, stream);
  const std::int64_t budget =
      std::min(kMostWorkspace, context.usable_bytes() / 16) / static_cast<std::int64_t>(sizeof(double));
  const std::vector<FitLaunch> launches = launches_of(needs, numbers.data(), budget);
  std::vector<Stream> own(std::min(kStreams, launches.size()));
  FitResults results;
  try {
    launch_all(stream, on_device.task, launches, own);
    auto room = run_beside([&batch] { return room_for(batch); });  // fresh memory costs time, which the card has
    try {
      host.solve();
      results = room.get();
    } catch (const Cancelled&) {
      stop.wait(stream, job);  // which tells the card
      throw;
    }
    stop.wait(stream, job);
  } catch (...) {
    // Nothing may still run when the batch's memory goes away.
    for (const Stream& one : own) settle(one.get());
    throw;
  }
  on_device.bring(context, stream, results);
  return results;
}

}  // namespace

FitShares share_batch(Context& context, const FitBatch& batch, HostFits on_host) {
  check_batch(batch);
  if (batch.problems.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("more than 2147483647 islands cannot be fitted at once; raise the seed threshold");
  return share_fits(batch, machine_of(context), on_host != nullptr ? places_asked() : FitPlaces::card,
                    context.threads());
}

FitResults fit_batch(Context& context, const FitBatch& batch, const FitShares& shares, HostFits on_host,
                     const Job& job) {
  if (batch.problems.empty()) return {};
  job.report("fit", 0);
  HostShare host(context, batch, shares.host, on_host, job);
  FitResults results;
  if (shares.card.empty()) {
    host.solve();
    results = room_for(batch);
  } else {
    results = on_card(context, batch, shares.card, host, job);
  }
  host.put(results);
  return results;
}

}  // namespace reber::cuda
