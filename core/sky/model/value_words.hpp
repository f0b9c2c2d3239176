// SPDX-License-Identifier: BSD-3-Clause
// Values of an image in words.
#pragma once

#include <string>

#include "core/sky/model/unit.hpp"

namespace reber {

/// A value of an image in words, with a prefix that suits its size: "23.1 uJy/beam".
[[nodiscard]] std::string words_in_unit(double value, const Unit& unit);

}  // namespace reber
