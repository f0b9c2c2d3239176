// SPDX-License-Identifier: BSD-3-Clause
// Lines no wider than a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reber::app {

/// The text with lines of more than `columns` characters broken between words. What follows stands under the last field
/// of its line, which two blanks or more set apart, or else a little to the right of the line's begin; a word that is
/// wider than the page stays whole.
[[nodiscard]] std::string folded(std::string_view text, std::size_t columns);
/// The same for sentences: every line begins at the left.
[[nodiscard]] std::string folded_prose(std::string_view text, std::size_t columns);

}  // namespace reber::app
