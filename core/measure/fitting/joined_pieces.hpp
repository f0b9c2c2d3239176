// SPDX-License-Identifier: BSD-3-Clause
// Pieces of one wide source that noise cut apart, made one row again.
#pragma once

#include <vector>

#include "core/measure/fitting/refinements.hpp"

namespace reber {

/// Whether an island has several rows that no fit of the whole describes: each has no fit or one of its part alone, and
/// one of them keeps a plain sum. Cut rows are none, nor are cores and what others leave.   beam: FWHM^2 on the grid
[[nodiscard]] bool are_pieces(std::span<const SourceRow> island, const DetectOptions& options, const Covariance& beam);

/// One Gaussian is fitted to all pixels of such an island and those around it. Where it leaves nothing but noise, and
/// no peak that would ask for a component, it is the simpler account of them. The island then becomes one row of all
/// its pixels, without a fit yet; refinements give it one. The order of the rows stays. Nothing without a beam.
///   in: as for refine_rows(), of the same rows;   throws DeviceError, Cancelled
void join_pieces(std::vector<SourceRow>& rows, const Refining& in);

}  // namespace reber
