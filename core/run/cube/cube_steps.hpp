// SPDX-License-Identifier: BSD-3-Clause
// The steps of `reber cube` as words and as what they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/cube/line_mask.hpp"
#include "core/run/cube/moment_maps.hpp"
#include "core/run/cube/pv_cut.hpp"

namespace reber {

/// Steps as the user gave them, checked as far as they can be without a cube.
struct CubeSteps {
  std::vector<std::string> planes;  ///< smooth, regrid and feather, whole words: taken plane by plane, before
  std::vector<std::unique_ptr<SpectrumStep>> spectra;  ///< contsub, spectral
  std::optional<double> noise;                         ///< of every voxel, in the cube's unit; empty: measured
  std::optional<MaskRule> mask;
  std::vector<double> resolutions;  ///< further ones of a broad mask: FWHM of round beams, arcsec
  std::vector<Moment> moments;
  std::vector<PvLine> cuts;
  std::vector<std::string> texts;  ///< all of them, for HISTORY
};

/// "spectral:gauss:5ch", "mask:strict=4,2,2,2", ...: smooth, regrid and feather in any order, then contsub and spectral
/// in any order, noise, mask, and moments and pv.   throws InputError where a step is unknown, comes twice or too late
[[nodiscard]] CubeSteps parse_cube_steps(const std::vector<std::string>& steps);

}  // namespace reber
