// SPDX-License-Identifier: BSD-3-Clause
// The header of an output image: what is kept of the input's, and what is new.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/files/fits/fits_writer.hpp"

namespace reber::fits {

/// Where the header's plane lies on each axis behind the first two, in pixels from 1. Empty where there is none, where
/// the plane lies along other axes, and where planes of channels have their frequencies by keyword (Obit's SPECLNMF).
[[nodiscard]] std::vector<double> axis_places(const ImageHeader& header);

/// The keyword with the numbers of these axes (from 1) as 1 and 2; empty where it belongs to another axis, or to one of
/// them and another; nothing where it has no axis number.
[[nodiscard]] std::optional<std::string> of_two_axes(const std::string& keyword, int x, int y);

/// All cards of an image of one plane, from SIMPLE to HISTORY, without DATASUM, CHECKSUM and END.
[[nodiscard]] std::string output_cards(Shape shape, int bitpix, const OutputHeader& header);

/// The same for a cube with all axes of header.like, x and y first, as floats. beam_table: CASAMBM = T, the beams are
/// in a table.
[[nodiscard]] std::string cube_cards(const OutputHeader& header, bool beam_table);

}  // namespace reber::fits
