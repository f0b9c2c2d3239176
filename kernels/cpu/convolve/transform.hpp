// SPDX-License-Identifier: BSD-3-Clause
// Transforms of real tiles: FFTW's, or our own in a build without it (REBER_FFTW=OFF).
#pragma once

#include <cstdint>
#include <memory>

namespace reber::cpu {

/// Tiles of (ny, nx) pixels and spectra of (ny, nx / 2 + 1) pairs (re, im). Not normalised: there and back multiplies
/// by ny nx. Several threads may use one. FFTW may abort() where no memory is left: AbortMeansNoMemory holds.
class Transform {
 public:
  virtual ~Transform() = default;
  /// pixels may be overwritten.
  virtual void forward(float* pixels, float* spectrum) const = 0;
  /// spectrum may be overwritten.
  virtual void backward(float* spectrum, float* pixels) const = 0;
};

/// Made once a process for each size, and kept. ny, nx: multiples of 8 without factors above 5.
[[nodiscard]] const Transform& transform_of(std::int64_t ny, std::int64_t nx);

/// What a transform here costs, over what FFTW's costs.
[[nodiscard]] double transform_cost();

}  // namespace reber::cpu
