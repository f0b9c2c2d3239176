// SPDX-License-Identifier: BSD-3-Clause
// Device-wide sort and scan. CUB's device headers are seen by sort_scan.cu alone: they are slow to compile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// out[i] = in[0] + ... + in[i-1], modulo 2^32; out may be in.
void exclusive_scan(cudaStream_t stream, const std::uint32_t* in, std::uint32_t* out, std::int64_t count);

/// Sorts by bits [first_bit, last_bit) alone; keys equal there keep their order. Returns the buffer that holds the
/// result: `keys` or `other`, both of `count`; the other one's contents are lost.
std::uint64_t* sort_keys(cudaStream_t stream, std::uint64_t* keys, std::uint64_t* other, std::int64_t count,
                         int first_bit, int last_bit);

/// The same by all bits of 32.
std::uint32_t* sort_keys(cudaStream_t stream, std::uint32_t* keys, std::uint32_t* other, std::int64_t count);

}  // namespace reber::cuda
