// SPDX-License-Identifier: BSD-3-Clause
// The block that solves a problem, its workspace in shared memory where that is large enough. Answers
// kernels/cpu/fit.cpp bit for bit: both run kernels/shared/fit_problem.hpp.
#include <cuda_runtime.h>

#include "kernels/cuda/fit.hpp"

namespace reber::cuda {
namespace {

constexpr int kMostThreads = 256;
/// The derivatives by one component of free shape, and the residual.
using SevenColumns = std::integral_constant<int, 7>;

/// Blocks whose problem is too large for shared memory ask now and then whether to stop; the others are done in a
/// millisecond or two.
template <bool kAsks>
struct Block {
  static constexpr int together = 1;
  static constexpr unsigned kEvery = 64;
  int rank, size;
  const volatile int* stop;
  mutable unsigned syncs = 0;
  __device__ void sync() const {
    if constexpr (kAsks) {
      if (++syncs % kEvery == 0) {
        if (__syncthreads_or(rank == 0 && *stop != 0)) asm volatile("exit;");
        return;
      }
    }
    __syncthreads();
  }
};

template <class Columns, bool kShared>
__global__ void __launch_bounds__(kMostThreads)
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
                       task.weights,
                       task.errors};
  double* memory = fit_memory;
  if constexpr (!kShared) memory = workspace + static_cast<std::int64_t>(blockIdx.x) * doubles;
  using Team = Block<!kShared>;
  const Team block{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), task.stop};
  ProblemFit<Team, Columns> fit(block, input, parameters, columns, memory);
  const FitOutcome outcome = fit.run(task.fitted + problem.first_component);
  if (threadIdx.x == 0) task.outcomes[index] = outcome;
}

template <class Columns, bool kShared>
void launch(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  std::int64_t bytes = 0;
  if (kShared) {
    bytes = group.doubles * static_cast<std::int64_t>(sizeof(double));
    check(cudaFuncSetAttribute(k_fit<Columns, kShared>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "cudaFuncSetAttribute", bytes);
  }
  k_fit<Columns, kShared>
      <<<static_cast<unsigned>(group.count), static_cast<unsigned>(group.threads), static_cast<std::size_t>(bytes),
         stream>>>(task, group.which, group.doubles, group.workspace);
  check_launch("k_fit", stream);
}

}  // namespace

void launch_fit(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  if (group.workspace != nullptr) {
    launch<int, false>(stream, task, group);
  } else if (group.one_component) {
    launch<SevenColumns, true>(stream, task, group);
  } else {
    launch<int, true>(stream, task, group);
  }
}

}  // namespace reber::cuda
