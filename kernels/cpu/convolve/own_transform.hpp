// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of real tiles of any sides, slower than those of pairs: for kernels too large for these.
#pragma once

#include <cstdint>
#include <vector>

namespace reber::cpu {

/// One complex transform of eight sequences at a time, one in each lane.
///   out[k] = sum_j in[j] exp(-2 pi i j k / n)
/// Stockham's self-sorting scheme in steps of 4, 2, 3 and 5 (Van Loan 1992, Computational Frameworks for the FFT, 1.7).
class LaneTransform {
 public:
  /// Values of one place in all eight sequences: eight real parts, then eight imaginary ones.
  struct Pair;

  /// n: a product of 2, 3 and 5 (else InternalError).
  explicit LaneTransform(std::int64_t n);
  [[nodiscard]] std::int64_t size() const { return n_; }
  /// values, spare: n each, both overwritten; gives that of the two which holds the result.
  Pair* run(Pair* values, Pair* spare) const;

 private:
  std::int64_t n_;
  std::vector<int> steps_;
  std::vector<float> turns_;  ///< cos and -sin of 2 pi k / n
};

/// Real tiles of (ny, nx) pixels, ny and nx multiples of 8, and their spectra of (ny, nx / 2 + 1) pairs, rows one
/// behind the other. Not normalised: there and back multiplies by ny nx. Rounding: about 1e-7 log2(ny nx) of the
/// largest value. The same bits on every thread; several threads may use one.
class OwnTransform {
 public:
  OwnTransform(std::int64_t ny, std::int64_t nx);
  /// pixels kept.
  void forward(const float* pixels, float* spectrum) const;
  /// spectrum overwritten.
  void backward(float* spectrum, float* pixels) const;

 private:
  void columns(float* spectrum, bool back) const;

  std::int64_t ny_, nx_;
  LaneTransform along_y_, along_half_x_;
  std::vector<float> turns_;  ///< cos and -sin of 2 pi k / nx, k to nx / 2
};

}  // namespace reber::cpu
