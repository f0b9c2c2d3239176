// SPDX-License-Identifier: BSD-3-Clause
// How likely each detection is to be a source, from the negative detections of the same image.
#pragma once

#include <cstdint>
#include <vector>

#include "core/measure/sources/source.hpp"

namespace reber {

/// What reliability is judged by: natural logarithms of the brightest pixel, the sum and the mean of a source's pixels,
/// each over the local noise rms.
struct DetectionPoint {
  double peak = 0, sum = 0, mean = 0;
};
[[nodiscard]] DetectionPoint detection_point(const Source& source);

/// R = 1 - g D- / D+, at least 0, of each positive detection (g = 1: Serra, Jurek and Floeer 2012, PASA 29, 296). D+
/// and D- are the densities of positive and negative detections about it. Densities are sums of Gaussian kernels; a
/// kernel's covariance is that of the negatives times N^(-2/7) (Scott 1992), N their number. The tenth of the negatives
/// with the highest peaks does not enter the covariance: a few artefacts would smear all. With few negatives the
/// covariance is drawn towards that of a Gaussian noise's maxima above `seed` sigma, as if ten of them had been seen.
/// Where detections are few, D+ is too high at each of them, by its own kernel. So 1 - R is scaled: its sum is the
/// number of negatives that have a positive within two kernel widths. Assumes that noise and artefacts are as often
/// negative as positive, and that no source is negative. Without negatives R is 1. Detections are counted in cells of a
/// fifth of a kernel; the answer does not depend on their order.
[[nodiscard]] std::vector<double> reliabilities(const std::vector<DetectionPoint>& positive,
                                                const std::vector<DetectionPoint>& negative, double seed);

/// Sets Source::reliability of the positive ones.   returns the sum of 1 - R: the false detections to expect
double set_reliabilities(std::vector<Source>& positive, const std::vector<Source>& negative, double seed);

}  // namespace reber
