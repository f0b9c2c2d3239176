// SPDX-License-Identifier: BSD-3-Clause
// Marks for code of host and device.
//   REBER_HD      a function compiled for the host and, under nvcc, for the device as well
//   REBER_VECTOR  a loop whose rounds are independent: the host's compiler may vectorise it
//   REBER_UNROLL  a loop that the device's compiler writes out, so that arrays stay in registers
//   REBER_ROLLED  a loop that it leaves as it is, to spare registers
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
