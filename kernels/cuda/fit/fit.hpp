// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits on the device: one block per problem, every round of it in one launch; the longest problems, and
// batches of few, by the host's threads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/device/context.hpp"
#include "kernels/shared/fit_problem.hpp"
#include "kernels/shared/fit_split.hpp"

namespace reber::cuda {

/// A batch on the device, and where its answers go.
struct FitTask {
  const std::int32_t *y = nullptr, *x = nullptr;
  const double *value = nullptr, *rms = nullptr;
  const GaussianComponent* start = nullptr;
  const FitBounds* bounds = nullptr;
  const FitProblem* problems = nullptr;
  CorrelationView weights{}, errors{};
  FitOutcome* outcomes = nullptr;      ///< one a problem
  FittedGaussian* fitted = nullptr;    ///< one a component
  const volatile int* stop = nullptr;  ///< StopFlag::word()
};

/// Where the workspace of a problem lies: in a block's shared memory; there but for its matrix; in global memory.
enum class FitMemory { shared, apart, global };

/// Threads of the smallest blocks, of problems of one component in shared memory alone.
inline constexpr int kFitWarp = 32;

/// Problems that one launch solves: they fit the same block.
struct FitLaunch {
  const std::int32_t* which = nullptr;  ///< numbers of problems, on the device
  std::int64_t count = 0;
  bool one_component = false;  ///< each has one component, of free shape; not in global memory
  int threads = 0;
  FitMemory memory = FitMemory::shared;
  std::int64_t shared_doubles = 0;  ///< of a block
  std::int64_t global_doubles = 0;  ///< of a problem
  double* workspace = nullptr;      ///< count x global_doubles
};

/// Columns of the tables of a problem with so many free parameters.
REBER_HD int fit_columns(int parameters) { return parameters + 1; }

void launch_fit(cudaStream_t stream, const FitTask& task, const FitLaunch& launch);

/// Who solves what of a batch.   on_host: null where the card is to solve all;   throws InternalError, InputError for a
/// batch that cannot be solved
[[nodiscard]] FitShares share_batch(Context& context, const FitBatch& batch, HostFits on_host);
/// shares: of share_batch(); without any for the card nothing of it is asked for
[[nodiscard]] FitResults fit_batch(Context& context, const FitBatch& batch, const FitShares& shares, HostFits on_host,
                                   const Job& job);

}  // namespace reber::cuda
