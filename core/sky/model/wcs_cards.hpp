// SPDX-License-Identifier: BSD-3-Clause
// What of a header may reach WCSLIB.
#pragma once

#include <array>
#include <string>

#include "core/sky/model/fits_cards.hpp"

namespace reber {

/// Most axes of a coordinate system that are read.
inline constexpr int kMaxWcsAxes = 16;

/// The cards with a number, or a string that ends, written anew in the fixed format, and END. WCSLIB's parser (7.12)
/// copies a string without closing quote over the end of its buffer. Where there is a CTYPE, without those of a plate
/// solution of the Digitized Sky Survey (CNPIX1, AMDX1 ...), which a solution made since leaves in the header: with a
/// SIP polynomial beside them the parser frees memory that it never had, and it would take them for the description.
[[nodiscard]] std::string cards_for_wcslib(const fits::CardTable& table);

/// Keyword of the two axes (1-based) whose value has the wrong type: WCSLIB would drop it and go on with a default.
/// Empty where all is well.
[[nodiscard]] std::string wrong_card(const fits::CardTable& table, const std::array<int, 2>& axes);

}  // namespace reber
