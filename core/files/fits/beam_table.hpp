// SPDX-License-Identifier: BSD-3-Clause
// The table of beams by channel and polarisation that CASA writes beside a cube (CASAMBM = T, extension BEAMS).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/files/fits/fits_guard.hpp"
#include "core/sky/model/beam.hpp"

namespace reber::fits {

/// Beams of a cube's planes, in the order of the planes; nothing for a plane that has none (a blank one: CASA writes
/// zeros, others NaN or the smallest float).
struct BeamTable {
  std::vector<std::optional<Beam>> planes;
  std::string problem;  ///< why there is none, where the planes are empty
};

/// The beam of a channel and a polarisation, both counted from 0. Sentinels as in BEAMS.
struct PlacedBeam {
  std::int64_t channel = 0, stokes = 0;
  double major_deg = 0, minor_deg = 0, pa_deg = 0;
};
/// The same for beams that do not come from a table: channels count along the spectral axis, polarisations along the
/// Stokes axis, as told below.
[[nodiscard]] BeamTable beams_of_planes(const std::vector<PlacedBeam>& beams, const CardTable& cards,
                                        const std::vector<std::int64_t>& axes, int x_axis, int y_axis);

/// From the extension BEAMS of the file: columns BMAJ, BMIN (arcsec, or by TUNIT deg or arcmin), BPA (deg), CHAN and
/// POL (from 0). axes, x_axis, y_axis: of the image; chan counts along its spectral axis, pol along its Stokes axis;
/// without them along the other axes in order.
[[nodiscard]] BeamTable read_beam_table(const ByteSource& bytes, const Scan& scan, const CardTable& cards,
                                        const std::vector<std::int64_t>& axes, int x_axis, int y_axis);

/// Whether the file has an extension BEAMS.
[[nodiscard]] bool has_beam_table(const Scan& scan);

/// The whole extension as blocks, with checksums. A plane without a beam gets zeros. chan and pol of each plane follow
/// from the same axes.
[[nodiscard]] std::string beam_table_blocks(const std::vector<std::optional<Beam>>& planes, const CardTable& cards,
                                            const std::vector<std::int64_t>& axes, int x_axis, int y_axis);

}  // namespace reber::fits
