// SPDX-License-Identifier: BSD-3-Clause
// The dialog that saves and opens sessions.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

[[nodiscard]] std::unique_ptr<Panel> make_session_dialog();

}  // namespace reber::gui
