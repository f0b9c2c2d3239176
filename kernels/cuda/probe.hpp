// SPDX-License-Identifier: BSD-3-Clause
// Whether the current card runs a kernel, and kernels that do nothing but read, copy or multiply and add.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reber::cuda {

/// Runs a kernel on the current device. right: whether its result is.
cudaError_t run_probe(bool& right) noexcept;

/// How a probe is cut into threads: the fastest of a few is taken.
struct ProbeShape {
  int threads = 256;
  int blocks_per_multiprocessor = 8;  ///< 0: one block per piece, as many as there are pieces
};

/// The probes of memory work on groups of four floats; `count` is a number of floats and a multiple of 4.
/// fill: value 1 + (i mod 1024) / 1024.
void probe_fill(cudaStream_t stream, float* out, std::int64_t count);
/// Adds every float once to *sum, in double.
void probe_read(cudaStream_t stream, ProbeShape shape, int multiprocessors, const float* in, std::int64_t count,
                double* sum);
void probe_copy(cudaStream_t stream, ProbeShape shape, int multiprocessors, const float* in, float* out,
                std::int64_t count);
/// Adds to *wrong the number of floats that differ.
void probe_compare(cudaStream_t stream, const float* a, const float* b, std::int64_t count, unsigned long long* wrong);

/// Multiply-adds of each thread of probe_fma: kProbeChains independent sums, `rounds` each.
inline constexpr int kProbeChains = 16;
/// Each sum ends at 1; adds to *wrong the number of threads whose sums do not.
void probe_fma(cudaStream_t stream, ProbeShape shape, int multiprocessors, int rounds, unsigned long long* wrong);
void probe_nothing(cudaStream_t stream);

}  // namespace reber::cuda
