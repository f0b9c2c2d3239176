// SPDX-License-Identifier: BSD-3-Clause
// The header of an output image: what is kept of the input's, and what is new.
#pragma once

#include <string>

#include "core/base/shape.hpp"
#include "core/io/fits_writer.hpp"

namespace reber::fits {

/// All cards of a two-axis image, from SIMPLE to HISTORY, without DATASUM, CHECKSUM and END.
[[nodiscard]] std::string output_cards(Shape shape, int bitpix, const OutputHeader& header);

}  // namespace reber::fits
