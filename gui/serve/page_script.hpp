// SPDX-License-Identifier: BSD-3-Clause
// The script of the page.
#pragma once

namespace reber::gui {

extern const char* const kPageScript;

}  // namespace reber::gui
