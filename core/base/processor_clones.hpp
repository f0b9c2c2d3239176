// SPDX-License-Identifier: BSD-3-Clause
// Functions that are compiled several times, for processors with wide vectors and for all others; the loader chooses.
#pragma once

/// Before a function's definition; with AVX-512 as well where a function is mostly arithmetic. All give the same bits:
/// multiplies and adds are not fused. Sanitizers run before the loader's choice can, so they get the one for all
/// processors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define REBER_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#define REBER_AVX512_CLONE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define REBER_AVX2_CLONE
#define REBER_AVX512_CLONE
#endif
