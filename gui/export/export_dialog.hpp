// SPDX-License-Identifier: BSD-3-Clause
// The dialog that writes the view as a picture.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

[[nodiscard]] std::unique_ptr<Panel> make_export_dialog();

}  // namespace reber::gui
