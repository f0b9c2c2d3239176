// SPDX-License-Identifier: BSD-3-Clause
// What stands under the cursor, at the left of the status bar.
#include "gui/panels/status_readout.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "core/run/pipeline_rules.hpp"
#include "gui/shell/theme.hpp"

namespace reber::gui {

void draw_status_readout(Context& context) {
  const Document* document = context.state.document();
  const Cursor& cursor = context.state.cursor;
  if (document == nullptr) {
    ImGui::TextDisabled("Ctrl+O opens a FITS image; or drop a file on this window");
    return;
  }
  if (!cursor.on_image || !document->header || !document->layer().pixels) {
    ImGui::TextDisabled(" ");
    return;
  }
  const double x = std::round(cursor.at.x), y = std::round(cursor.at.y);
  const float value = document->layer().pixels->value(static_cast<std::int64_t>(y), static_cast<std::int64_t>(x));
  ImGui::PushFont(mono_font());
  ImGui::Text("x %.0f  y %.0f   %s", x + 1, y + 1,
              std::isfinite(value) ? words_in_unit(value, document->header->unit).c_str() : "blank");
  ImGui::PopFont();
}

}  // namespace reber::gui
