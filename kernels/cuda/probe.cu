// SPDX-License-Identifier: BSD-3-Clause
// A kernel so small that only a broken installation fails it; and kernels that show what the card reaches at best.
#include <cuda_runtime.h>

#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/probe.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 64;
constexpr int kInFlight = 8;  ///< 16-byte accesses of a thread under way at once
constexpr float kFactor = 0.999F, kTerm = 0.001F;

/// In the module itself, so that the probe needs no allocation.
__device__ float probe_output[kThreads];

__global__ void k_probe() { probe_output[threadIdx.x] = fmaf(static_cast<float>(threadIdx.x), 2.0f, 1.0f); }

__global__ void k_probe_nothing() {}

__global__ void k_probe_fill(float* out, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    out[i] = 1.0F + static_cast<float>(i % 1024) / 1024.0F;
}

/// Calls body(first group of the thread, stride, groups left) for pieces of kInFlight groups a thread.
template <class Body>
__device__ void for_each_piece(std::int64_t groups, Body body) {
  const std::int64_t piece = std::int64_t{blockDim.x} * kInFlight;
  for (std::int64_t start = blockIdx.x * piece; start < groups; start += gridDim.x * piece)
    body(start + threadIdx.x, start + piece <= groups);
}

__global__ void k_probe_read(const float4* __restrict__ in, std::int64_t groups, double* sum) {
  double all = 0;
  for_each_piece(groups, [&](std::int64_t first, bool whole) {
    float4 values[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const std::int64_t at = first + std::int64_t{k} * blockDim.x;
      values[k] = whole || at < groups ? __ldcs(in + at) : float4{0, 0, 0, 0};
    }
    float total = 0;
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) total += (values[k].x + values[k].y) + (values[k].z + values[k].w);
    all += static_cast<double>(total);
  });
  for (int offset = 16; offset > 0; offset /= 2) all += __shfl_down_sync(0xffffffffU, all, offset);
  // Order of these few additions shows in the last bits alone; the sum is checked with room for it.
  if (threadIdx.x % 32 == 0) atomicAdd(sum, all);
}

__global__ void k_probe_copy(const float4* __restrict__ in, float4* __restrict__ out, std::int64_t groups) {
  for_each_piece(groups, [&](std::int64_t first, bool whole) {
    float4 values[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const std::int64_t at = first + std::int64_t{k} * blockDim.x;
      if (whole || at < groups) values[k] = __ldcs(in + at);
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const std::int64_t at = first + std::int64_t{k} * blockDim.x;
      if (whole || at < groups) __stcs(out + at, values[k]);
    }
  });
}

__global__ void k_probe_compare(const float* a, const float* b, std::int64_t count, unsigned long long* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long found = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    found += a[i] == b[i] ? 0 : 1;
  if (found != 0) atomicAdd(wrong, found);  // a sum of integers: the order does not show
}

__global__ void k_probe_fma(int rounds, float factor, float term, unsigned long long* wrong) {
  float sums[kProbeChains];
#pragma unroll
  for (int k = 0; k < kProbeChains; ++k) sums[k] = static_cast<float>(threadIdx.x % 8 + k);
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < kProbeChains; ++k) sums[k] = fmaf(sums[k], factor, term);
  }
  bool right = true;
#pragma unroll
  for (int k = 0; k < kProbeChains; ++k) right = right && fabsf(sums[k] - 1) <= 0.01F;
  if (!right) atomicAdd(wrong, 1ULL);
}

unsigned grid_of(ProbeShape shape, int multiprocessors, std::int64_t groups) {
  const std::int64_t pieces = (groups + shape.threads * kInFlight - 1) / (std::int64_t{shape.threads} * kInFlight);
  const std::int64_t wanted = std::int64_t{multiprocessors} * shape.blocks_per_multiprocessor;
  return static_cast<unsigned>(wanted == 0 || wanted > pieces ? pieces : wanted);
}

}  // namespace

cudaError_t run_probe(bool& right) noexcept {
  right = false;
  float host[kThreads] = {};
  k_probe<<<1, kThreads>>>();
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = settle(cudaStream_t{});
  if (code == cudaSuccess) code = cudaMemcpyFromSymbol(host, probe_output, sizeof(host));
  right = code == cudaSuccess;
  for (int i = 0; i < kThreads; ++i) right = right && host[i] == 2.0f * static_cast<float>(i) + 1.0f;
  return code;
}

void probe_fill(cudaStream_t stream, float* out, std::int64_t count) {
  k_probe_fill<<<4096, 256, 0, stream>>>(out, count);
  check_launch("k_probe_fill", stream);
}

void probe_read(cudaStream_t stream, ProbeShape shape, int multiprocessors, const float* in, std::int64_t count,
                double* sum) {
  const std::int64_t groups = count / 4;
  k_probe_read<<<grid_of(shape, multiprocessors, groups), shape.threads, 0, stream>>>(
      reinterpret_cast<const float4*>(in), groups, sum);
  check_launch("k_probe_read", stream);
}

void probe_copy(cudaStream_t stream, ProbeShape shape, int multiprocessors, const float* in, float* out,
                std::int64_t count) {
  const std::int64_t groups = count / 4;
  k_probe_copy<<<grid_of(shape, multiprocessors, groups), shape.threads, 0, stream>>>(
      reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), groups);
  check_launch("k_probe_copy", stream);
}

void probe_compare(cudaStream_t stream, const float* a, const float* b, std::int64_t count, unsigned long long* wrong) {
  k_probe_compare<<<4096, 256, 0, stream>>>(a, b, count, wrong);
  check_launch("k_probe_compare", stream);
}

void probe_fma(cudaStream_t stream, ProbeShape shape, int multiprocessors, int rounds, unsigned long long* wrong) {
  const auto blocks = static_cast<unsigned>(multiprocessors * shape.blocks_per_multiprocessor);
  k_probe_fma<<<blocks, shape.threads, 0, stream>>>(rounds, kFactor, kTerm, wrong);
  check_launch("k_probe_fma", stream);
}

void probe_nothing(cudaStream_t stream) {
  k_probe_nothing<<<1, 32, 0, stream>>>();
  check_launch("k_probe_nothing", stream);
}

}  // namespace reber::cuda
