// SPDX-License-Identifier: BSD-3-Clause
// The islands of an image whose beam varies, in classes of like beams, each with its noise: a batch of fits has one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/seam/compute/noise_correlation.hpp"

namespace reber {

/// What noise of this autocorrelation, where the beam is `from`, is where it is `to`: at(d) = noise(A d) with the
/// symmetric A that makes `to` of `from`, bilinear between the table's offsets. Bilinear sums of an autocorrelation
/// are one.   FWHM^2 on the grid
[[nodiscard]] NoiseCorrelation stretched(const NoiseCorrelation& noise, const Covariance& from, const Covariance& to);

/// Classes in the order in which islands are added. A beam that does not vary is one class for all.
class BeamClasses {
 public:
  /// What the errors of a class take the noise for: its own beam, what was measured, or that stretched to its beam.
  enum class Errors { of_beam, as_measured, stretched };

  /// weights, errors: where the beam is `middle`;   middle: FWHM^2 on the grid, of a beam that varies
  BeamClasses(const NoiseCorrelation& weights, const NoiseCorrelation& errors, const std::optional<Covariance>& middle,
              Errors how);

  /// The next island, or whatever is fitted. It joins the first class whose FWHM is its own within 2 %.
  void add(const Covariance& beam);

  [[nodiscard]] std::size_t count() const { return classes_.size(); }
  [[nodiscard]] std::size_t of(std::size_t island) const { return island < of_.size() ? of_[island] : 0; }
  /// FWHM^2 on the grid; nothing of a beam that does not vary.
  [[nodiscard]] const Covariance& beam(std::size_t k) const { return classes_[k].beam; }
  [[nodiscard]] const NoiseCorrelation& weights(std::size_t k) const { return classes_[k].weights; }
  [[nodiscard]] const NoiseCorrelation& errors(std::size_t k) const { return classes_[k].errors; }

 private:
  struct Class {
    Covariance beam;
    NoiseCorrelation weights, errors;
  };
  std::optional<Covariance> middle_;
  NoiseCorrelation errors_;
  Errors how_;
  std::vector<Class> classes_;
  std::vector<std::size_t> of_;
};

}  // namespace reber
