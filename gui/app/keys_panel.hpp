// SPDX-License-Identifier: BSD-3-Clause
// The list of keys, made from the table of actions.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

[[nodiscard]] std::unique_ptr<Panel> make_keys_panel();

}  // namespace reber::gui
