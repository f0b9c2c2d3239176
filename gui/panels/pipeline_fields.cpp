// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel.
#include "gui/panels/pipeline_fields.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

const StageReport* stage_named(const Document& document, const char* name) {
  if (!document.result) return nullptr;
  const auto& stages = document.result->report.stages;
  const auto found = std::ranges::find(stages, name, &StageReport::name);
  return found == stages.end() ? nullptr : &*found;
}

}  // namespace

bool stage_heading(Context& context, const Document& document, const char* title, const char* stage, bool* on) {
  bool changed = false;
  if (on != nullptr) {
    changed = ImGui::Checkbox(title, on);
    context.widgets.item(fmt::format("pipeline.{}", stage));
  } else {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(title);
  }
  if (const StageReport* report = stage_named(document, stage)) {
    const auto& ran = document.stages_run;
    const bool fresh = std::ranges::find(ran, stage) != ran.end();
    const std::string text = fmt::format("{:.1f} ms", report->wall_ms);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::PushStyleColor(ImGuiCol_Text, fresh ? palette().good : palette().text_dim);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    tip(report->algorithm + (fresh ? "" : "\nkept from an earlier run"));
  }
  return changed;
}

bool more(Context& context, const char* name) {
  const bool open =
      ImGui::TreeNodeEx(name, ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth, "More");
  context.widgets.item(name);
  return open;
}

}  // namespace reber::gui
