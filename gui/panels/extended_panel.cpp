// SPDX-License-Identifier: BSD-3-Clause
// Panel: structures as a tree; what lies in another one stands behind it, further to the right.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/measure/extended/extended_catalogue.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/table_export.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr double kArcmin = 60;

struct Head {
  const char *name, *unit, *text;
  float width;  ///< in letters
};
constexpr std::array kHeads{
    Head{"Structure", "", "Source_id, behind the Parent_id that it lies in", 9},
    Head{"Class", "", "compact, multiple, shell, filament or extended", 6},
    Head{"Parent", "", "Structure that it lies in", 4.5f},
    Head{"Total_flux", "Jy", "Everything inside, and of a root a beam's width around it", 6.5f},
    Head{"E_Total_flux", "Jy", "1-sigma error of Total_flux", 7},
    Head{"Diffuse_flux", "Jy", "Sum of the pixels without compact sources", 7},
    Head{"Compact_flux", "Jy", "Sum of the compact sources inside", 7.5f},
    Head{"N_compact", "", "Compact sources inside it, at any depth", 6},
    Head{"Extent", "arcmin", "Largest distance between two corners of its outline", 5.5f},
    Head{"Area", "arcmin2", "Area of its pixels", 5.5f},
    Head{"Scale", "arcmin", "FWHM of the smoothing at which it stands out; 0: the image itself", 5.5f},
    Head{"Peak_flux", "Jy/beam", "Brightest pixel, less background", 6.5f},
};

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string(); }

std::string text_of(const ExtendedSource& s, std::size_t column) {
  switch (column) {
    case 1:
      return std::string(to_string(s.kind));
    case 2:
      return s.parent > 0 ? std::to_string(s.parent) : "";
    case 3:
      return cell(s.total);
    case 4:
      return cell(s.e_total);
    case 5:
      return cell(s.diffuse);
    case 6:
      return cell(s.compact);
    case 7:
      return s.kind == SegmentClass::compact ? "" : std::to_string(s.compacts);
    case 8:
      return cell(s.extent_deg * kArcmin);
    case 9:
      return cell(s.area_deg2 * kArcmin * kArcmin);
    case 10:
      return cell(s.scale_deg * kArcmin);
    default:
      return cell(s.peak);
  }
}

/// How many structures each row lies in.
std::vector<int> depths_of(const ExtendedSources& found) {
  std::vector<int> depths;
  for (const ExtendedSource& s : found.sources)
    depths.push_back(s.parent > 0 ? depths[static_cast<std::size_t>(s.parent - 1)] + 1 : 0);
  return depths;
}

/// The whole of it in the middle of the view.
void look_at(Context& context, Document& document, const ExtendedSource& source) {
  const ScreenRect* canvas = context.widgets.find("canvas");
  constexpr double kRoom = 1.6;
  document.view.centre = {0.5 * static_cast<double>(source.x0 + source.x1),
                          0.5 * static_cast<double>(source.y0 + source.y1)};
  if (canvas == nullptr) return;
  const double side =
      kRoom * static_cast<double>(std::max({source.x1 - source.x0, source.y1 - source.y0, std::int64_t{8}}));
  document.view.zoom = std::clamp(std::min(canvas->width, canvas->height) / side, kLeastZoom, kMostZoom);
}

class ExtendedPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  void draw_row(Context& context, Document& document, const ExtendedSource& source, int depth);
  void draw_table(Context& context, Document& document, const ExtendedSources& found);

  TableExport export_;
  bool compact_ = false;
  std::int64_t scrolled_to_ = -1;
};

}  // namespace

void ExtendedPanel::draw_row(Context& context, Document& document, const ExtendedSource& source, int depth) {
  ExtendedView& view = document.extended;
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(source.id));
  const std::string name = std::string(static_cast<std::size_t>(2 * depth), ' ') + std::to_string(source.id);
  if (ImGui::Selectable(name.c_str(), view.selected == source.id,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    view.selected = scrolled_to_ = source.id;
    if (source.row >= 0) document.selection.select_only(source.row);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) look_at(context, document, source);
  }
  context.widgets.item(fmt::format("extended.row.{}", source.id));
  for (std::size_t i = 1; i < kHeads.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    ImGui::TextUnformatted(text_of(source, i).c_str());
  }
  ImGui::PopID();
}

void ExtendedPanel::draw_table(Context& context, Document& document, const ExtendedSources& found) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("##extended", static_cast<int>(kHeads.size()), kFlags)) return;
  ImGui::TableSetupScrollFreeze(1, 2);
  for (const Head& head : kHeads)
    ImGui::TableSetupColumn(head.name, ImGuiTableColumnFlags_None, head.width * ImGui::GetFontSize());
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    ImGui::TableHeader(kHeads[i].name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kHeads[i].text);
  }
  ImGui::TableNextRow();
  for (std::size_t i = 0; i < kHeads.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    ImGui::TextDisabled("%s", kHeads[i].unit);
  }
  ImGui::PushFont(mono_font());
  const std::vector<int> depths = depths_of(found);
  const bool scroll = document.extended.selected >= 0 &&
                      std::exchange(scrolled_to_, document.extended.selected) != document.extended.selected;
  for (const ExtendedSource& source : found.sources) {
    if (source.kind == SegmentClass::compact && !compact_) continue;
    draw_row(context, document, source, depths[static_cast<std::size_t>(source.id - 1)]);
    if (scroll && source.id == document.extended.selected) ImGui::SetScrollHereY(0.4f);
  }
  ImGui::PopFont();
  ImGui::EndTable();
}

void ExtendedPanel::draw(Context& context) {
  Document& document = *context.state.document();
  const ExtendedSources* found = document.extended.shown();
  if (found == nullptr) {
    ImGui::TextDisabled(document.extended.result.error.empty() ? "Not looked for yet: Enter runs all stages."
                                                               : "None: the panel Pipeline says why.");
    return;
  }
  const bool old = document.result_stale() || document.extended.result.generation != document.result->generation;
  if (found->sources.empty()) {
    ImGui::TextDisabled("Nothing here is extended.");
    return;
  }
  export_.draw(context, "extended", document, static_cast<std::int64_t>(found->sources.size()),
               [&] { return extended_catalogue(*found, *document.header, document.result->history); });
  ImGui::SameLine();
  ImGui::Checkbox("compact sources inside", &compact_);
  context.widgets.item("extended.compact");
  tip("Rows of the compact sources as well, behind the structure that they lie in.");
  ImGui::SameLine();
  ImGui::TextDisabled(old ? "(being computed again)" : "a tree: what lies in a structure stands behind it");
  draw_table(context, document, *found);
}

std::unique_ptr<Panel> make_extended_panel() { return std::make_unique<ExtendedPanel>(); }

}  // namespace reber::gui
