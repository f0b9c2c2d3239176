// SPDX-License-Identifier: BSD-3-Clause
// What is taken out of the pixels of a tile before an FFT, so that it rounds less, and put back after it.
#pragma once

#include <cstdint>

#include "core/base/shape.hpp"

namespace reber::cpu {

/// The pixels that the outputs of a tile read; rows are `stride` floats apart.
struct TilePixels {
  float* first;
  std::int64_t stride;
  Shape read, out;  ///< rows and columns that are read, and of the outputs
};

/// A kernel's part in it.   sum, absolute: of its weights, and of their absolute values
struct KernelSums {
  float sum;
  double absolute;
};

/// A constant taken out of a tile, and its product with the kernel's sum put back, is exact for any values and any
/// boundary, as every output sees the whole kernel; a large offset then costs no precision. A power of two keeps
/// extreme values inside what a transform holds.
class FftLevels {
 public:
  /// Changes the pixels.
  static FftLevels take_out(const TilePixels& tile, const KernelSums& kernel);
  /// Changes the outputs, which stand where the pixels were.
  void put_back(const TilePixels& tile) const;

 private:
  float scale_ = 1, back_ = 0;
};

}  // namespace reber::cpu
