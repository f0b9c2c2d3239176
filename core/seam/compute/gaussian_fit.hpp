// SPDX-License-Identifier: BSD-3-Clause
// Elliptical Gaussians fitted to the pixels of islands by generalised least squares: what a backend is asked and what
// it answers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/seam/compute/noise_correlation.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// peak x exp(-4 ln 2 d^T C^-1 d), d = (x - x0, y - y0) in pixels, C = fwhm2. Parameters in the order
/// peak, x0, y0, Cxx, Cxy, Cyy: C in place of axes and an angle, which a round source would leave undetermined.
struct GaussianComponent {
  static constexpr std::size_t kParameters = 6;
  double peak = 0, x = 0, y = 0;
  Covariance fwhm2;

  /// The value at (px, py); its derivatives by the six parameters as well.
  double evaluate(double px, double py, std::array<double, kParameters>& derivatives) const;
};

/// Pixels to be fitted together; value = pixel less background, negated for negative detections.
struct FitPixels {
  std::vector<std::int32_t> y, x;  ///< raster order
  std::vector<double> value, rms;
  double stand_for = 1;  ///< pixels of the grid for each of these: more where a lattice of them was taken
};

/// Limits of one component. Its peak is kept between 0.05 and 3 times the start's.
struct FitBounds {
  double reach = 1;  ///< of the centre from its start, pixels, on each axis
  double least_fwhm = 1, most_fwhm = 1;
  bool shape_free = true;  ///< fwhm2 is fitted as well
};

/// A component that has left its source: its peak is at one of these multiples of its start.
inline constexpr double kLeastPeak = 0.05, kMostPeak = 3;
/// Diagonal that is added to the noise covariance of the weights, in units of its largest row sum.
inline constexpr double kNoiseFloor = 1e-2;
/// Rounds of Levenberg-Marquardt before a fit is given up.
inline constexpr int kMostFitRounds = 100;
/// A fit has settled where chi^2 falls by less than this (or a thousandth of this times chi^2): no parameter then moves
/// by more than 1e-4 of its error.
inline constexpr double kFitSettled = 1e-8;

/// Which pixels and components belong together: ranges of the arrays of a FitBatch. Several problems may share pixels.
struct FitProblem {
  std::int64_t first_pixel = 0, pixels = 0;
  std::int64_t first_component = 0, components = 0;
  bool correlated = false;  ///< weights for noise correlated as `FitBatch::weights` says; else ordinary ones, 1/rms^2
  /// An answer that ends with this chi^2 or more is of no use: a backend may leave its components and errors out.
  double useful_chi2 = std::numeric_limits<double>::infinity();
};

/// Problems that are solved independently of each other.
struct FitBatch {
  FitPixels pixels;                      ///< of all problems
  std::vector<GaussianComponent> start;  ///< of all problems
  std::vector<FitBounds> bounds;         ///< one a component
  std::vector<FitProblem> problems;
  NoiseCorrelation weights;  ///< noise covariance of the weights: rms_i rms_j (R + kNoiseFloor x largest row sum)
  NoiseCorrelation errors;   ///< of the noise that the errors are stated for

  /// Appends a problem with pixels and components of its own.
  void add(const FitPixels& its_pixels, const std::vector<GaussianComponent>& its_start,
           const std::vector<FitBounds>& its_bounds, bool correlated);

  /// Makes room for problems of these numbers of pixels and components, one after the other and in place of what there
  /// was; sets their first pixels and components. The caller fills the room, in any order and from any thread.
  void lay_out(std::vector<FitProblem> sizes);
};

enum class FitStatus : std::int32_t {
  settled,         ///< components and errors hold, where chi^2 is of use
  too_few_pixels,  ///< not more than parameters
  not_positive,    ///< a matrix that must be positive definite is not
  not_finite,      ///< chi^2 at the start is not a number
  unsettled,       ///< kMostFitRounds were not enough
  component_left,  ///< a peak is at its bound
};

/// How one problem ended. Numbers hold where it settled.
struct FitOutcome {
  FitStatus status = FitStatus::unsettled;
  std::int32_t rounds = 0;    ///< steps taken
  double chi2 = 0;            ///< r^T V^-1 r, r = (value - model) / rms, V the correlation of the weights
  double rest = 0;            ///< sum of (value - model)^2
  double rest_over_rms2 = 0;  ///< sum of r^2
};

struct FittedGaussian {
  GaussianComponent component;
  /// Covariance of the six parameters; rows and columns of a shape that was not free are 0.
  std::array<std::array<double, 6>, 6> covariance{};
  bool at_bound = false;  ///< centre or shape
};

struct FitResults {
  std::vector<FitOutcome> problems;
  std::vector<FittedGaussian> components;  ///< as FitBatch::start; meaningless where the problem did not settle
};

}  // namespace reber
