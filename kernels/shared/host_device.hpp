// SPDX-License-Identifier: BSD-3-Clause
// Marks a function that is compiled for the host and, under nvcc, for the device as well; and a loop whose rounds do
// not depend on each other, which the host's compiler may then make vector code of; and one that the device's compiler
// writes out, so that arrays stay in registers, or leaves as it is, to spare them.
#pragma once

#ifdef __CUDACC__
#define REBER_HD __host__ __device__ inline
#define REBER_VECTOR
#else
#define REBER_HD inline
#define REBER_VECTOR _Pragma("GCC ivdep")
#endif

#ifdef __CUDA_ARCH__
#define REBER_UNROLL _Pragma("unroll")
#define REBER_ROLLED _Pragma("unroll 1")
#else
#define REBER_UNROLL
#define REBER_ROLLED
#endif
