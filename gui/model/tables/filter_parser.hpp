// SPDX-License-Identifier: BSD-3-Clause
// From the text of a filter to the steps that compute it.
#pragma once

#include <string>
#include <vector>

#include "gui/model/tables/filter_expression.hpp"

namespace reber::gui {

/// Steps in the order a stack machine takes them; none for empty text.
///   throws InputError that says what was expected and at which character
[[nodiscard]] std::vector<FilterExpression::Step> parse_filter(const std::string& text, const Catalogue& catalogue);

}  // namespace reber::gui
