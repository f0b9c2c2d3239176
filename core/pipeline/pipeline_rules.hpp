// SPDX-License-Identifier: BSD-3-Clause
// Small rules of a run that stand on the header alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/beam.hpp"
#include "core/model/image_header.hpp"

namespace reber {

/// A value of an image in words, with a prefix that suits its size: "23.1 uJy/beam".
[[nodiscard]] std::string words_in_unit(double value, const Unit& unit);

/// Fewest pixels of an island that can hold two sources: three quarters of a beam's area, at least 7. Two points at the
/// seed level a beam apart cover more than one.
[[nodiscard]] std::int64_t least_blend(const ImageHeader& header, const std::optional<Beam>& beam);

}  // namespace reber
