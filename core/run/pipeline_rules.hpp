// SPDX-License-Identifier: BSD-3-Clause
// Small rules of a run that stand on the header alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/io/fits_image.hpp"

namespace reber {

/// A value of an image in words, with a prefix that suits its size: "23.1 uJy/beam".
[[nodiscard]] std::string words_in_unit(double value, const Unit& unit);

}  // namespace reber
