// SPDX-License-Identifier: BSD-3-Clause
// Errors of bright sources whose own sidelobes raised the noise that others are looked for in.
#pragma once

#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Sets what the errors of the fits of these sources are for: the noise of their places without their own sidelobes.
/// Those are noise to what lies in them; at the peak they belong to, where the fit decides, they are none. Of several
/// rows within a pixel of a source's brightest one it is the row of the highest peak. Rows of moments keep the raised
/// noise: the sums of their pixels hold the sidelobes. Fits with ordinary weights look at all of an island alike, where
/// the rings begin: these change the peak, but hardly the place, about which they are even. peaks: take them out of the
/// peak's error as well
void take_out_own_sidelobes(std::vector<RaisedNoise> raised, std::span<SourceRow> rows, bool peaks);

}  // namespace reber
