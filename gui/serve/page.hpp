// SPDX-License-Identifier: BSD-3-Clause
// The page that browsers get.
#pragma once

#include <string>

namespace reber::gui {

/// The whole page: markup, style and script, with nothing to load besides.
[[nodiscard]] const std::string& page();
/// What the page may do, for the header Content-Security-Policy: its own script and style, its own line, nothing else.
[[nodiscard]] const std::string& page_policy();
/// A page that says why there is none.   words: HTML
[[nodiscard]] std::string refusal(const std::string& words);

}  // namespace reber::gui
