// SPDX-License-Identifier: BSD-3-Clause
// Smoothing and rebinning of spectra.
#pragma once

#include <memory>
#include <string>

#include "core/run/cube/strip.hpp"

namespace reber {

/// `gauss:5ch`, `gauss:12km/s` (FWHM), `boxcar:3`, `hanning` (1/4, 1/2, 1/4), `rebin:4`.
///   Smoothing: sum of h v over the finite channels, over the sum of their h; so the ends of the axis and blank
///   channels neither darken nor spread. A channel that is blank stays blank. A Gaussian is sampled at the channels and
///   ends at 4 standard deviations.
///   Rebinning: mean of the finite channels of each group, from the first channel on; blank where none is. Channels
///   left over at the end are dropped.
///   Units stay. Noise is measured after the step, with its correlation (channel_noise.hpp).
///   throws InputError
[[nodiscard]] std::unique_ptr<SpectrumStep> spectral_step(const std::string& text);

}  // namespace reber
