// SPDX-License-Identifier: BSD-3-Clause
// Marks a function that is compiled for the host and, under nvcc, for the device as well.
#pragma once

#ifdef __CUDACC__
#define REBER_HD __host__ __device__ inline
#else
#define REBER_HD inline
#endif
