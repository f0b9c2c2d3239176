// SPDX-License-Identifier: BSD-3-Clause
// A table into a file of any catalogue format.
#include "gui/ui/table_export.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {
namespace {

/// The next popup stands on the button drawn last and grows upwards: below it the window ends.
void open_upwards() {
  const ImVec2 button = ImGui::GetItemRectMin();
  const ImVec2 room = ImGui::GetMainViewport()->WorkPos;
  const float least = room.y + 20 * ImGui::GetFontSize();
  ImGui::SetNextWindowPos({button.x, std::max(button.y, least)}, ImGuiCond_Always, {0, 1});
}

}  // namespace

void TableExport::draw(Context& context, const std::string& name, const Document& document, std::int64_t rows,
                       const std::function<Catalogue()>& make) {
  const bool pressed = ImGui::Button("Export");
  if (context.widgets.take_request(name + ".export") || pressed) {
    path_ = proposed_path(document.path, "_" + name + ".csv");
    error_.clear();
    overwrite_ = false;
    ImGui::OpenPopup("##export");
  }
  context.widgets.item(name + ".export");
  open_upwards();
  if (!ImGui::BeginPopup("##export")) return;
  ImGui::Text("Writes the %s shown, all columns.", counted(rows, "row").c_str());
  ImGui::Dummy({34 * ImGui::GetFontSize(), 0});
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();  // Enter writes
  field_.draw(context, name + ".export.path", "path of the catalogue", path_);
  const bool entered = field_.entered();
  for (const CatalogueFormat& format : catalogue_formats()) {
    ImGui::TextDisabled("%s", format.extension);
    ImGui::SameLine(4.5f * ImGui::GetFontSize());
    ImGui::TextDisabled("%s", format.text);
  }
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item(name + ".export.replace");
  const bool wanted = primary_button("Write") || entered;
  context.widgets.item(name + ".export.write");
  if (wanted) {
    try {
      const CatalogueFormat* format = find_catalogue_format(path_);
      if (format != nullptr && format->columns != nullptr)
        throw InputError(
            fmt::format("{} holds a list that is made of a whole run, not of rows: reber find -o {} writes it",
                        format->extension, path_));
      const Catalogue table = make();
      write_catalogue(table, path_, overwrite_);
      context.state.say(fmt::format("{} written to {}", counted(table.rows(), "row"), path_));
      ImGui::CloseCurrentPopup();
    } catch (const Error& failure) {
      error_ = failure.what();
    }
  }
  if (!error_.empty()) {
    ImGui::PushTextWrapPos(32 * ImGui::GetFontSize());
    complain(error_);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndPopup();
}

}  // namespace reber::gui
