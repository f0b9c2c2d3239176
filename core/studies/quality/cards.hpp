// SPDX-License-Identifier: BSD-3-Clause
// Single sources of a report: those that are brightest, and those that are doubtful.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/run/pipeline/row_account.hpp"

namespace reber {

struct SourceCard {
  std::int64_t row = 0;  ///< of the result's sources
  bool doubtful = false;
  std::string title;
  std::vector<std::string> lines;    ///< what it is, in words
  std::vector<std::string> doubts;   ///< why it is doubtful: its flags
  std::vector<AccountPart> account;  ///< how it was made
  double residual = 0;               ///< largest residual within a FWHM of its centre, sigma
  /// Image, model and what is left, in the same colours: PNGs. Empty where nothing was drawn.
  std::string data_png, model_png, residual_png;
};

/// Up to `each` of the brightest sources and as many of those whose flags speak against them, brightest first.
///   throws Cancelled, DeviceError
[[nodiscard]] std::vector<SourceCard> make_cards(const Result& result, std::size_t each, const Progress& progress);

}  // namespace reber
