// SPDX-License-Identifier: BSD-3-Clause
// The dialog that writes a part of the image as FITS.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

[[nodiscard]] std::unique_ptr<Panel> make_sub_image_dialog();

}  // namespace reber::gui
