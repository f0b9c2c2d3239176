// SPDX-License-Identifier: BSD-3-Clause
// The header of an output image: what is kept of the input's, and what is new.
#pragma once

#include <string>

#include "core/base/shape.hpp"
#include "core/files/fits/fits_writer.hpp"

namespace reber::fits {

/// All cards of a two-axis image, from SIMPLE to HISTORY, without DATASUM, CHECKSUM and END.
[[nodiscard]] std::string output_cards(Shape shape, int bitpix, const OutputHeader& header);

/// The same for a cube with all axes of header.like, as floats. beam_table: CASAMBM = T, the beams are in a table.
[[nodiscard]] std::string cube_cards(const OutputHeader& header, bool beam_table);

}  // namespace reber::fits
