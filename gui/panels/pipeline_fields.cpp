// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel.
#include "gui/panels/pipeline_fields.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

const StageReport* stage_named(const Document& document, const char* name) {
  if (!document.result) return nullptr;
  const auto& stages = document.result->report.stages;
  const auto found = std::ranges::find(stages, name, &StageReport::name);
  return found == stages.end() ? nullptr : &*found;
}

/// What stands in a text field; it need not be a value yet.
struct TextField {
  std::int64_t document = -1;
  std::string of;  ///< the value that it was made of
  std::string text, error;
};

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

bool whole_number(Context& context, const char* text, const char* name, std::int64_t& value, std::int64_t low,
                  std::int64_t high, const char* format) {
  label(text);
  ImGui::PushID(name);
  const bool changed =
      ImGui::SliderScalar("##whole", ImGuiDataType_S64, &value, &low, &high, format, ImGuiSliderFlags_AlwaysClamp);
  ImGui::PopID();
  context.widgets.item(name);
  return changed;
}

bool number(Context& context, const char* text, const char* name, double& value, double low, double high,
            const char* format, ImGuiSliderFlags flags) {
  label(text);
  ImGui::PushID(name);
  const bool changed = slider("##number", value, low, high, format, flags);
  ImGui::PopID();
  context.widgets.item(name);
  return changed;
}

bool text_value(Context& context, const char* text, const char* name, std::int64_t document, const std::string& now,
                const char* hint, const std::function<void(const std::string&)>& set) {
  static std::map<std::string, TextField> fields;
  TextField& field = fields[name];
  if (field.document != document || field.of != now) field = {document, now, now, ""};
  label(text);
  ImGui::PushID(name);
  ImGui::InputTextWithHint("##text", hint, &field.text);
  ImGui::PopID();
  context.widgets.item(name);
  bool changed = false;
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    field.error.clear();
    try {
      set(field.text);
      changed = true;
    } catch (const InputError& error) {
      field.error = error.what();
    }
  }
  if (!field.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", field.error.c_str());
    ImGui::PopStyleColor();
  }
  return changed;
}

bool choice_of(Context& context, const char* text, const char* name, int& chosen, const char* const* words, int count) {
  label(text);
  bool changed = false;
  const bool open = ImGui::BeginCombo(fmt::format("##{}", name).c_str(), chosen < 0 ? "" : words[chosen]);
  context.widgets.item(name);
  if (!open) return false;
  for (int i = 0; i < count; ++i) {
    if (ImGui::Selectable(words[i], i == chosen)) {
      changed = i != chosen;
      chosen = i;
    }
    context.widgets.item(fmt::format("{}.{}", name, words[i]));
  }
  ImGui::EndCombo();
  return changed;
}

}  // namespace reber::gui
