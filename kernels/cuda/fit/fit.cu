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

/// Who solves a problem: the threads of a block; those of a block that is one warp, which have no barriers to wait at;
/// those of a block whose problem is too large for shared memory, which ask now and then whether to stop, as the others
/// are done in a millisecond or two.
enum class TeamKind { block, warp, asking_block };

template <TeamKind kKind>
struct Block {
  static constexpr int together = 1;
  static constexpr bool kLeavesOut = false;  // one column waits as long as all, and registers are full
  int rank, size;
  const volatile int* stop;
  mutable unsigned syncs = 0;
  __device__ void sync() const {
    if constexpr (kKind == TeamKind::warp) return __syncwarp();
    if constexpr (kKind == TeamKind::asking_block) {
      constexpr unsigned kEvery = 64;
      if (++syncs % kEvery == 0) {
        if (__syncthreads_or(rank == 0 && *stop != 0)) asm volatile("exit;");
        return;
      }
    }
    __syncthreads();
  }
};

template <FitMemory kMemory, TeamKind kKind>
constexpr int kMostThreads = kKind == TeamKind::warp       ? 32
                             : kMemory == FitMemory::apart ? 512
                                                           : 256;
/// Blocks a multiprocessor that registers are to allow; 0: the compiler's choice. More spill.
template <class Columns, FitMemory kMemory, TeamKind kKind>
constexpr int kLeastBlocks = kKind == TeamKind::warp        ? 16
                             : kMemory != FitMemory::shared ? 1
                             : std::is_same_v<Columns, int> ? 3
                                                            : 0;

template <class Columns, FitMemory kMemory, TeamKind kKind>
__global__ void __launch_bounds__(kMostThreads<kMemory, kKind>, kLeastBlocks<Columns, kMemory, kKind>)
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
  const Block<kKind> block{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), task.stop};
  ProblemFit<Block<kKind>, Columns> fit(block, input, parameters, columns, memory, matrix);
  const FitOutcome outcome = fit.run(task.fitted + problem.first_component);
  if (threadIdx.x == 0) task.outcomes[index] = outcome;
}

template <class Columns, FitMemory kMemory, TeamKind kKind>
void launch(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  const std::int64_t bytes = group.shared_doubles * static_cast<std::int64_t>(sizeof(double));
  const auto kernel = k_fit<Columns, kMemory, kKind>;
  allow_all_shared(kernel);
  kernel<<<static_cast<unsigned>(group.count), static_cast<unsigned>(group.threads), static_cast<std::size_t>(bytes),
           stream>>>(task, group.which, group.global_doubles, group.workspace);
  check_launch("k_fit", stream);
}

template <FitMemory kMemory, TeamKind kKind>
void launch(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  group.one_component ? launch<SevenColumns, kMemory, kKind>(stream, task, group)
                      : launch<int, kMemory, kKind>(stream, task, group);
}

}  // namespace

void launch_fit(cudaStream_t stream, const FitTask& task, const FitLaunch& group) {
  switch (group.memory) {
    case FitMemory::shared:
      if (group.one_component && group.threads == kFitWarp)
        return launch<SevenColumns, FitMemory::shared, TeamKind::warp>(stream, task, group);
      return launch<FitMemory::shared, TeamKind::block>(stream, task, group);
    case FitMemory::apart:
      return launch<FitMemory::apart, TeamKind::asking_block>(stream, task, group);
    case FitMemory::global:
      return launch<int, FitMemory::global, TeamKind::asking_block>(stream, task, group);
  }
}

}  // namespace reber::cuda
