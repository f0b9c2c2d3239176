// SPDX-License-Identifier: BSD-3-Clause
// Sources added, merged, split and fitted from another place by hand, with the finder's own fits.
#pragma once

#include <span>

#include "core/run/pipeline/hand_rows.hpp"
#include "core/run/pipeline/result.hpp"

namespace reber {

/// Does what was asked for, one after the other: each sees the rows that those before it left. A fit is of all rows of
/// the islands it touches together (FitLadder::as_asked); an added or moved row brings the pixels within a beam's FWHM
/// of its start. Where no such fit describes the islands, a merged or split row is fitted to its own pixels, an added
/// or moved one as a core above the level around it, and a merged one keeps the moments of its pixels at last. Rows
/// that were fitted along are `refitted`. What cannot be done leaves the rows as they were and says why. Only positive
/// detections of a run with fits, a beam and no scales.   result: a finished run with sources
///   throws DeviceError, Cancelled
[[nodiscard]] HandRows fit_by_hand(const Result& result, std::span<const HandFit> fits, const Job& job = {});

}  // namespace reber
