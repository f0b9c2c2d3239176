// SPDX-License-Identifier: BSD-3-Clause
// The power spectrum of an image: how its variance is shared out among angular scales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// An annulus of spatial frequencies. Per arcsec where the image has a place on the sky, else per pixel.
struct SpectrumBin {
  double low = 0, high = 0;  ///< edges
  double frequency = 0;      ///< mean of its modes
  double power = 0;          ///< mean of its modes, in the square of the image's unit
  double error = 0;          ///< of that mean, from the modes' scatter; NaN for fewer than two that are independent
  std::int64_t modes = 0;    ///< all, each with its conjugate
};

struct PowerSpectrum {
  std::string input, unit;
  Shape shape;
  double background = 0;          ///< that was subtracted: the median of a kappa-sigma clip
  double blank = 0;               ///< part of the pixels that are blank and count as background
  double mean = 0;                ///< of what is left: the root of the mode at frequency 0
  double variance = 0;            ///< sum of the power of all other modes: the variance of what is left
  bool sky = false;               ///< frequencies are per arcsec
  std::optional<double> beam;     ///< geometric mean of the beam's FWHMs, arcsec (pixels where off the sky)
  std::vector<SpectrumBin> bins;  ///< rising
};

/// Each mode has the power |F|^2 / N^2, F = sum (pixel - background) exp(-2 pi i f x) over N pixels: the powers of all
/// modes add up to the mean square of pixel - background (Parseval). The image is not tapered: its edges meet.
///   bins: annuli equal in log frequency; 0: each as wide as the lowest frequency
///   throws InputError, DataError where no pixel is finite, Cancelled
[[nodiscard]] PowerSpectrum power_spectrum(const Request& request, std::int64_t bins, Backend& backend, int threads,
                                           const Progress& progress);

[[nodiscard]] std::string to_text(const PowerSpectrum& spectrum);
[[nodiscard]] std::string to_json(const PowerSpectrum& spectrum);
/// One row per annulus.
[[nodiscard]] Catalogue spectrum_table(const PowerSpectrum& spectrum, const std::vector<std::string>& history);
/// Power against frequency, both logarithmic, with error bars and a line at one cycle per beam.
///   throws as write_panels
void write_spectrum_plot(const std::string& path, const PowerSpectrum& spectrum, bool overwrite);

}  // namespace reber
