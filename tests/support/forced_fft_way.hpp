// SPDX-License-Identifier: BSD-3-Clause
// An FFT way for the length of a test, whatever would be chosen.
#pragma once

#include <cstdlib>

namespace reber::testing {

/// The CUDA backend's way to transform (tile, lines, library), while this lives.
class ForcedFftWay {
 public:
  explicit ForcedFftWay(const char* way) { setenv("REBER_CUDA_FFT", way, 1); }
  ~ForcedFftWay() { unsetenv("REBER_CUDA_FFT"); }
  ForcedFftWay(const ForcedFftWay&) = delete;
  ForcedFftWay& operator=(const ForcedFftWay&) = delete;
};

}  // namespace reber::testing
