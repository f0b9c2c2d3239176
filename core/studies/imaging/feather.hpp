// SPDX-License-Identifier: BSD-3-Clause
// An interferometer's image and a single dish's put together in the Fourier plane.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/files/io/atomic_file.hpp"
#include "core/run/cube/cube_source.hpp"

namespace reber {

struct FeatherRequest {
  std::string low;               ///< path of the single dish's image, on the pixels of the other
  double scale = 1;              ///< what its fluxes are multiplied with
  std::optional<Beam> low_beam;  ///< in place of its header's
  bool lowpass = false;  ///< its transform is multiplied with its beam's once more (uvcombine's lowpassfilterSD)
  std::vector<std::string> history;  ///< lines before what was done
  int threads = 0;
  FileOptions how;

  /// "LOW.fits", with ",scale=1.1", ",sdfwhm=30" (arcsec), ",lowpass" behind it.   throws InputError
  static FeatherRequest parse(const std::string& text);
};

/// F_out = (1 - B) F_high + scale r F_low, B the transform of the low image's beam, 1 at the origin, and r = beam area
/// of the high image over that of the low one for units per beam, 1 else: the sum of casatasks' feather and of
/// uvcombine (Cotton 2017, PASP 129, 094501). Blank pixels are zero in the transforms; those of the high image are
/// blank in the output. Plane by plane, in double. The low file has one plane or as many as the high one. Returns lines
/// for HISTORY.
///   throws InputError before the work where grids, units or planes do not fit, or a beam is missing; DataError;
///   Cancelled
std::vector<std::string> feather(const CubeSource& high, const FeatherRequest& request, const std::string& output,
                                 const Progress& progress, const LogSink& log);

}  // namespace reber
