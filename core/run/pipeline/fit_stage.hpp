// SPDX-License-Identifier: BSD-3-Clause
// Stage: Gaussians fitted to the sources.
#pragma once

#include <memory>
#include <vector>

#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/source.hpp"
#include "core/run/pipeline/detect_stage.hpp"

namespace reber {

/// Rows as the fits and refinements leave them: some are added, noise peaks are left out.
struct Fitted {
  std::shared_ptr<const SourceFitter> fitter;  ///< with the noise as measured outside the islands
  std::vector<SourceRow> rows;
};

struct FitInputs {
  MeasuredPlane plane;
  const Detected& detected;
  const std::vector<SourceRow>& sources;
  /// Of the positive image, for the negative one; null: one is made and measures the noise.
  std::shared_ptr<const SourceFitter> fitter;
};
/// throws DeviceError, Cancelled
/// Half the integral of the noise's autocorrelation, in pixels: of noise with sidelobes a small part of the beam's
/// area, but never less than a quarter of it.
[[nodiscard]] double area_of_noise(const NoiseCorrelation& noise, double beam);

[[nodiscard]] Fitted run_fit(const FitInputs& in, const Request& request, StageWork& work);

}  // namespace reber
