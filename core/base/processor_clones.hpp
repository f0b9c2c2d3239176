// SPDX-License-Identifier: BSD-3-Clause
// Functions that are compiled twice, for processors with AVX2 and for all others; the loader takes one of the two.
#pragma once

/// Before a function's definition. Both give the same bits: multiplies and adds are not fused. Sanitizers run before
/// the loader's choice can, so they get the one for all processors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define REBER_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define REBER_AVX2_CLONE
#endif
