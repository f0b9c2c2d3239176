// SPDX-License-Identifier: BSD-3-Clause
// The block that solves a problem, its workspace in shared memory where that is large enough, else all but the matrix.
// Answers kernels/cpu/fit.cpp bit for bit: both run kernels/shared/fit_problem.hpp.
#include <cuda_runtime.h>

#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/fit/fit.hpp"

namespace reber::cuda {
namespace {

/// The derivatives by one component of free shape, and the residual.
using SevenColumns = std::integral_constant<int, 7>;

/// Blocks whose problem is too large for shared memory ask now and then whether to stop; the others are done in a
/// millisecond or two.
template <bool kAsks>
struct Block {
  static constexpr int together = 1;
  static constexpr bool kLeavesOut = false;  // one column waits as long as all, and registers are full
  int rank, size;
  const volatile int* stop;
  mutable unsigned syncs = 0;
  __device__ void sync() const {
    if constexpr (kAsks) {
      constexpr unsigned kEvery = 64;
      if (++syncs % kEvery == 0) {
        if (__syncthreads_or(rank == 0 && *stop != 0)) asm volatile("exit;");
        return;
      }
    }
    __syncthreads();
  }
};

template <FitMemory kMemory>
constexpr int kMostThreads = kMemory == FitMemory::apart ? 512 : 256;
/// Blocks a multiprocessor that registers are to allow; 0: the compiler's choice. More spill.
template <class Columns, FitMemory kMemory>
constexpr int kLeastBlocks = kMemory != FitMemory::shared   ? 1
                             : std::is_same_v<Columns, int> ? 3
                                                            : 0;

template <class Columns, FitMemory kMemory>
__global__ void __launch_bounds__(kMostThreads<kMemory>, kLeastBlocks<Columns, kMemory>)
    k_fit(FitTask task, const std::int32_t* __restrict__ which, std::int64_t doubles, double* workspace) {
  extern __shared__ double fit_memory[];
  if (__syncthreads_or(threadIdx.x == 0 && *task.stop != 0)) return;
  const std::int32_t index = which[blockIdx.x];
  const FitProblem problem = task.problems[index];
  const FitBounds* bounds = task.bounds + problem.first_component;
  int parameters = 0;
  for (int k = 0; k < static_cast<int>(problem.components); ++k) parameters += model::free_parameters(bounds[k]);
  Columns columns{};
  if constexpr (std::is_same_v<Columns, int>) columns = fit_columns(parameters);
  const FitInput input{task.y + problem.first_pixel,
                       task.x + problem.first_pixel,
                       task.value + problem.first_pixel,
                       task.rms + problem.first_pixel,
                       static_cast<int>(problem.pixels),
                       task.start + problem.first_component,
                       bounds,
                       static_cast<int>(problem.components),
                       problem.correlated,
                       problem.useful_chi2,
                       task.weights,
                       task.errors};
  double *memory = fit_memory, *matrix = nullptr;
  if constexpr (kMemory != FitMemory::shared) {
    double* own = workspace + static_cast<std::int64_t>(blockIdx.x) * doubles;
    (kMemory == FitMemory::apart ? matrix : memory) = own;
  }
  using Team = Block<kMemory != FitMemory::shared>;
  const Team block{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), task.stop};
  ProblemFit<Team, Columns> fit(block, input, parameters, columns, memory, matrix);
  const FitOutcome outcome = fit.run(task.fitted + problem.first_component);
  if (threadIdx.x == 0) task.outcomes[index] = outcome;
}

template <class Columns, FitMemory kMemory>
void launch(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  const std::int64_t bytes = group.shared_doubles * static_cast<std::int64_t>(sizeof(double));
  allow_all_shared(k_fit<Columns, kMemory>);
  k_fit<Columns, kMemory>
      <<<static_cast<unsigned>(group.count), static_cast<unsigned>(group.threads), static_cast<std::size_t>(bytes),
         stream>>>(task, group.which, group.global_doubles, group.workspace);
  check_launch("k_fit", stream);
}

template <FitMemory kMemory>
void launch(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  group.one_component ? launch<SevenColumns, kMemory>(stream, task, group) : launch<int, kMemory>(stream, task, group);
}

}  // namespace

void launch_fit(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  switch (group.memory) {
    case FitMemory::shared:
      return launch<FitMemory::shared>(stream, task, group);
    case FitMemory::apart:
      return launch<FitMemory::apart>(stream, task, group);
    case FitMemory::global:
      return launch<int, FitMemory::global>(stream, task, group);
  }
}

}  // namespace reber::cuda
