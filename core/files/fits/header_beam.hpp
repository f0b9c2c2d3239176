// SPDX-License-Identifier: BSD-3-Clause
// The restoring beam that a header states.
#pragma once

#include <optional>
#include <string>

#include "core/base/shape.hpp"
#include "core/files/fits/beam_table.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber::fits {

/// A usable beam, or the reason why there is none.
struct HeaderBeam {
  std::optional<Beam> beam;
  std::string note;     ///< where it came from, or why there is none
  std::string warning;  ///< set where the header states a beam that cannot be used
};

/// CASA's table of beams and the plane that is read.
struct PlaneOfTable {
  const BeamTable* table = nullptr;
  std::int64_t plane = 0;
};

/// From CASA's table where it has the plane (a sentinel there means no beam), else from BMAJ, BMIN, BPA (degrees), else
/// from the last AIPS HISTORY card of CLEAN. A usable beam is finite with
/// 0 < BMIN <= BMAJ, and not larger than both the image's diagonal and 64 pixels.
/// inherited: cards of the primary header where INHERIT = T, else null.
[[nodiscard]] HeaderBeam read_beam(const CardTable& cards, const CardTable* inherited, const Wcs& wcs, Shape shape,
                                   PlaneOfTable of_table);

}  // namespace reber::fits
