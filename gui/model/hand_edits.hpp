// SPDX-License-Identifier: BSD-3-Clause
// What a person asks of the list of sources: one added, merged, split or fitted from another place.
#pragma once

#include <cstdint>
#include <string>

#include "gui/model/state.hpp"

namespace reber::gui {

/// Why no source can be fitted by hand now, such as "run the pipeline first"; empty where one can.
[[nodiscard]] std::string why_no_hand_fit(const Document& document);

// Each asks for a fit; what comes of it is told by settle_hand_fit(). Returns why it is not even tried, or nothing.
/// at: 0-based pixels
[[nodiscard]] std::string ask_to_add(Document& document, PixelPosition at);
/// The selected rows, of one island, become one.
[[nodiscard]] std::string ask_to_merge(Document& document);
/// The chosen row becomes `parts`, from 2 to kMostParts.
[[nodiscard]] std::string ask_to_split(Document& document, std::int64_t parts);
/// The chosen row is fitted from another place.   at: 0-based pixels
[[nodiscard]] std::string ask_to_move(Document& document, PixelPosition at);

/// Takes what the newest result says of the fit that is tried, and selects the rows that came of it. Returns why it is
/// not in force, as a sentence, or nothing.
[[nodiscard]] std::string settle_hand_fit(Document& document);

}  // namespace reber::gui
