// SPDX-License-Identifier: BSD-3-Clause
// A plot into a file: any catalogue format, or a picture as PDF, SVG or PNG.
#include "gui/ui/plot_export.hpp"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "gui/model/proposed_path.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {

void PlotExport::write(Context& context, const std::string& name, const Document& document,
                       const std::function<Catalogue()>& table, const std::function<reber::Panel()>& plot) {
  try {
    if (is_picture(path_))
      write_panels(path_, std::filesystem::path(document.path).filename().string(), {plot()}, 1, overwrite_);
    else
      write_catalogue(table(), path_, overwrite_);
    std::string title = name;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    context.state.say(title + " written to " + path_);
    ImGui::CloseCurrentPopup();
  } catch (const Error& failure) {
    error_ = failure.what();
  }
}

void PlotExport::draw(Context& context, const std::string& name, const Document& document, const char* words,
                      const std::function<Catalogue()>& table, const std::function<reber::Panel()>& plot) {
  if (ImGui::Button("Export")) {
    path_ = proposed_path(document.path, "_" + name + ".csv");
    error_.clear();
    overwrite_ = false;
    ImGui::OpenPopup("##plot export");
  }
  context.widgets.item(name + ".export");
  const ImVec2 button = ImGui::GetItemRectMin();
  // Below and beside it the window may end.
  const float em = ImGui::GetFontSize(), width = 34 * em;
  const float most = std::max(0.0f, ImGui::GetIO().DisplaySize.x - width - 3 * em);
  const float least = ImGui::GetMainViewport()->WorkPos.y + 14 * em;
  ImGui::SetNextWindowPos({std::min(button.x, most), std::max(button.y, least)}, ImGuiCond_Always, {0, 1});
  if (!ImGui::BeginPopup("##plot export")) return;
  ImGui::TextUnformatted(words);
  ImGui::Dummy({width, 0});
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();  // Enter writes
  field_.draw(context, name + ".export.path", "path of the table or the plot", path_);
  const bool entered = field_.entered();
  ImGui::TextDisabled(".csv .fits .vot and other tables; .pdf .svg .png a plot");
  ImGui::Checkbox("Replace the file if it exists", &overwrite_);
  context.widgets.item(name + ".export.replace");
  const bool wanted = primary_button("Write") || entered;
  context.widgets.item(name + ".export.write");
  if (wanted) write(context, name, document, table, plot);
  if (!error_.empty()) {
    ImGui::PushTextWrapPos(32 * em);
    complain(error_);
    ImGui::PopTextWrapPos();
  }
  ImGui::EndPopup();
}

}  // namespace reber::gui
