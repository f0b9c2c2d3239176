// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms in double precision, of lines of any length and of whole images.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/base/thread_pool.hpp"

namespace reber {

/// out[k] = sum_j in[j] exp(-2 pi i j k / n), for any n above 0. By steps of two where n is a power of two, else as a
/// convolution with a chirp (Bluestein 1970). Several threads may use one.
class FourierLine {
 public:
  explicit FourierLine(std::int64_t n);
  /// In place.   spare: receives memory to work in, kept by the caller from call to call
  void transform(std::complex<double>* values, std::vector<std::complex<double>>& spare) const;

 private:
  void by_two(std::complex<double>* values) const;

  std::int64_t n_, m_;                       ///< m_: the power of two that does the work
  std::vector<std::complex<double>> turns_;  ///< exp(-2 pi i k / m), k below m / 2
  std::vector<std::int64_t> mirrored_;       ///< indices with their bits the other way round
  std::vector<std::complex<double>> chirp_, chirp_spectrum_;
};

/// Spectrum of a real image: ny rows of nx / 2 + 1 numbers, row ky, column kx; the others follow by conjugation. Not
/// normalised.   values: row-major, all finite   throws Cancelled
[[nodiscard]] std::vector<std::complex<double>> fourier_image(const std::vector<double>& values, Shape shape,
                                                              ThreadPool& pool, const Progress& progress);

}  // namespace reber
