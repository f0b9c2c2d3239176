// SPDX-License-Identifier: BSD-3-Clause
// Names of the values of a Stokes axis.
#pragma once

#include <cstdint>
#include <string>

#include "core/sky/model/fits_cards.hpp"

namespace reber {

/// FITS's words for the values 4 to -8 of a Stokes axis (paper I, table 28): I, Q, U, V, RR, ...; the number where it
/// is another.
[[nodiscard]] std::string stokes_word(double value);
/// The word at a place on an axis of the header, both from 0; empty where it is no Stokes axis.
[[nodiscard]] std::string stokes_at(const fits::CardTable& cards, int axis, std::int64_t place);

}  // namespace reber
