// SPDX-License-Identifier: BSD-3-Clause
// Panel: what is drawn on the image, in which colours, how broad.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "gui/model/image/overlay_ink.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/model/workbench.hpp"
#include "gui/panels/mark_fields.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

class InksPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  void draw_marks(Context& context);

  int of_ = -1;  ///< index of a catalogue; -1: the sources
};

}  // namespace

/// Size and colour of marks by column: of the sources, or of a catalogue from a file.
void InksPanel::draw_marks(Context& context) {
  Document& document = *context.state.document();
  const auto& catalogues = context.state.workbench->catalogues;
  of_ = std::min(of_, static_cast<int>(catalogues.size()) - 1);
  const auto title = [&](int i) {
    return i < 0 ? std::string("sources found here")
                 : std::filesystem::path(catalogues[static_cast<std::size_t>(i)]->path).filename().string();
  };
  ImGui::Separator();
  ImGui::TextUnformatted("Marks by column");
  tip("A mark whose size follows a column is a circle. The legend stands on the image.");
  if (!catalogues.empty()) {
    label("Of");
    if (ImGui::BeginCombo("##of", title(of_).c_str())) {
      for (int i = -1; i < static_cast<int>(catalogues.size()); ++i) {
        ImGui::PushID(i);
        if (ImGui::Selectable(title(i).c_str(), i == of_)) of_ = i;
        ImGui::PopID();
        context.widgets.item(fmt::format("marks.of.{}", i + 1));
      }
      ImGui::EndCombo();
    }
    context.widgets.item("marks.of");
  }
  follow_result(document);
  if (of_ >= 0) {
    OpenCatalogue& catalogue = *catalogues[static_cast<std::size_t>(of_)];
    draw_mark_fields(context, "marks", catalogue.marks, *catalogue.catalogue);
  } else if (!document.result || document.sources.table.catalogue().columns.empty()) {
    ImGui::TextDisabled("once sources were found");
  } else {
    draw_mark_fields(context, "marks", document.sources.marks, document.sources.table.catalogue());
  }
}

void InksPanel::draw(Context& context) {
  ViewerState& state = context.state;
  for (const InkRow& row : ink_rows()) {
    OverlayInk ink = ink_of(state.inks, row.name);
    ImGui::PushID(row.name);
    ImGui::BeginDisabled(ink.automatic);
    ImGui::ColorEdit3("##colour", ink.colour.data(), ImGuiColorEditFlags_NoInputs);
    ImGui::EndDisabled();
    context.widgets.item(fmt::format("inks.{}.colour", row.name));
    ImGui::SameLine();
    ImGui::TextUnformatted(row.title);
    ImGui::SameLine(11 * ImGui::GetFontSize());
    ImGui::SetNextItemWidth(row.may_be_automatic ? 5 * ImGui::GetFontSize() : -1.0f);
    slider("##width", ink.width, 0.5, 5, "%.1f", 0);
    context.widgets.item(fmt::format("inks.{}.width", row.name));
    tip("Width of the line");
    if (row.may_be_automatic) {
      ImGui::SameLine();
      ImGui::Checkbox("auto", &ink.automatic);
      context.widgets.item(fmt::format("inks.{}.auto", row.name));
      tip("Black or white, whichever stands out of the colours of the image");
    }
    ImGui::PopID();
    if (ink == row.usual)
      state.inks.erase(row.name);
    else
      state.inks[row.name] = ink;
  }
  ImGui::Checkbox("Ellipses follow the table's filter", &state.filter_ellipses);
  context.widgets.item("inks.filter");
  tip("Sources that the filter hides in the table are hidden on the image as well.");
  draw_marks(context);
  if (ImGui::Button("As at first")) state.inks.clear();
  context.widgets.item("inks.reset");
  tip("Colours that stay apart for colour-blind readers (Okabe and Ito 2008)");
}

std::unique_ptr<Panel> make_inks_panel() { return std::make_unique<InksPanel>(); }

}  // namespace reber::gui
