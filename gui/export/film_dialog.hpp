// SPDX-License-Identifier: BSD-3-Clause
// The dialog that writes the planes of a cube as a film.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

[[nodiscard]] std::unique_ptr<Panel> make_film_dialog();

}  // namespace reber::gui
