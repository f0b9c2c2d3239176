// SPDX-License-Identifier: BSD-3-Clause
// The host's side of the marching convolutions.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cuda/convolve/march/staging.hpp"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda {

/// Launches one marching kernel, whose weights are a parameter of it, with as many blocks as fit the card. Jobs are
/// all_finite.
/// Policy: `threads` of a block, its `bytes` of shared memory, its `shape`.
template <class Policy, class Weights>
class MarchConvolver final : public Convolver {
 public:
  using Kernel = void (*)(ConvolveJob, MarchGrid, Weights);

  /// name: of the kernel.
  MarchConvolver(const Context& context, const char* name, Kernel kernel, const Weights& weights,
                 std::string description)
      : name_(name), kernel_(kernel), weights_(weights), description_(std::move(description)) {
    int blocks = 0;
    allow_shared(kernel, Policy::bytes);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Policy::threads, Policy::bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    at_once_ = std::int64_t{context.device().multiprocessors} * std::max(blocks, 1);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    const MarchGrid grid = march_grid(job.in.nx, job.ny, at_once_, Policy::shape);
    kernel_<<<static_cast<unsigned>(grid.blocks), Policy::threads, Policy::bytes, stream>>>(job, grid, weights_);
    check_launch(name_, stream);
  }

  [[nodiscard]] std::string description() const override { return description_; }

 private:
  const char* name_;
  Kernel kernel_;
  Weights weights_;
  std::string description_;
  std::int64_t at_once_ = 1;
};

}  // namespace reber::cuda
