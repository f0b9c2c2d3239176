// SPDX-License-Identifier: BSD-3-Clause
// The words of a step of `reber cube`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/beam.hpp"

namespace reber {

/// "gauss:5ch" -> ("gauss", "5ch"); the second is empty without a colon.
[[nodiscard]] std::pair<std::string, std::string> split_step(const std::string& text);
/// "5ch" -> (5, "ch"); no number where the text does not begin with one.
[[nodiscard]] std::pair<std::optional<double>, std::string> split_unit(const std::string& text);
/// Words between commas.
[[nodiscard]] std::vector<std::string> split_commas(const std::string& text);
/// The whole text as a finite number.
[[nodiscard]] std::optional<double> whole_number(const std::string& text);
/// "MAJ,MIN,PA", FWHM in arcsec, degrees; one number for a round beam.   what: an option or step, for the error
///   throws InputError
[[nodiscard]] Beam beam_of_words(const std::string& text, const std::string& what);

}  // namespace reber
