// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel.
#include "gui/panels/pipeline_fields.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "core/run/request/parameter_rules.hpp"
#include "gui/model/pipeline_rows.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

const StageReport* stage_named(const Document& document, const char* name) {
  if (!document.result) return nullptr;
  const auto& stages = document.result->report.stages;
  const auto found = std::ranges::find(stages, name, &StageReport::name);
  return found == stages.end() ? nullptr : &*found;
}

/// The field of a row; of another document, or after undo, made anew.
PipelineField& field_of(PipelineFields& fields, const Document& document, const Parameter& row) {
  PipelineField& field = fields[std::string(row.name)];
  const std::string now = value_text(row, document.request);
  if (field.document != document.id || field.of != now) field = {document.id, now, now, ""};
  return field;
}

bool accept(PipelineField& field, const std::optional<Complaint>& complaint) {
  field.error = complaint ? complaint->text : "";
  return !complaint;
}

void name_item(Context& context, const Parameter& row, const std::string& ending = {}) {
  for (const std::string& name : widget_names(row)) context.widgets.item(name + ending);
}

bool check_box(Context& context, Document& document, const Parameter& row, PipelineFields& fields) {
  bool value = std::get<bool>(row.access.get(document.request));
  const bool turned = ImGui::Checkbox(row_title(row, document.request).c_str(), &value);
  name_item(context, row);
  tip(row_tip(row));
  return turned && accept(field_of(fields, document, row), edit(document.request, row.name, value));
}

/// What a slider of whole numbers says: a word for 0, both sides of a square filter, else the number.
std::string whole_format(const Parameter& row, std::int64_t value) {
  if (value == 0 && !row.look.empty.empty()) return std::string(row.look.empty);
  if (row.range.odd) return fmt::format("{0} x {0}", value);
  return std::string(row.look.format);
}

/// Odd numbers are counted 0, 1, 2 under the handle, so that it stops at no even one.
bool whole_slider(Document& document, const Parameter& row, PipelineFields& fields) {
  const std::int64_t step = row.range.odd ? 2 : 1;
  const std::int64_t now = std::get<std::int64_t>(row.access.get(document.request));
  const std::int64_t first = row.range.odd ? 1 : 0;
  std::int64_t value = (now - first) / step;
  const std::int64_t low = (static_cast<std::int64_t>(row.look.low) - first) / step,
                     high = (static_cast<std::int64_t>(row.look.high) - first) / step;
  const std::string format = whole_format(row, now);
  const bool moved = slider_of("##whole", ImGuiDataType_S64, &value, &low, &high, format.c_str(), 0);
  return moved && accept(field_of(fields, document, row), edit(document.request, row.name, step * value + first));
}

bool real_slider(Document& document, const Parameter& row, PipelineFields& fields) {
  double shown = std::get<double>(row.access.get(document.request)) * row.unit.per_stored;
  const ImGuiSliderFlags flags = row.look.kind == Look::Kind::log_slider ? ImGuiSliderFlags_Logarithmic : 0;
  const std::string format(row.look.format);
  const bool moved = slider("##number", shown, row.look.low, row.look.high, format.c_str(), flags);
  return moved &&
         accept(field_of(fields, document, row), edit(document.request, row.name, shown / row.unit.per_stored));
}

/// Read when the user is done with it. A number that is 0 shows the hint.
bool text_field(Document& document, const Parameter& row, PipelineFields& fields) {
  PipelineField& field = field_of(fields, document, row);
  const bool number = row.look.kind == Look::Kind::number;
  std::string text = number && field.text == "0" ? "" : field.text;
  const std::string hint(row.look.empty);
  ImGui::InputTextWithHint("##text", hint.c_str(), &text);
  field.text = number && text.empty() ? "0" : text;
  return ImGui::IsItemDeactivatedAfterEdit() && accept(field, edit_text(document.request, row.name, field.text));
}

bool choice(Context& context, Document& document, const Parameter& row, PipelineFields& fields) {
  const std::string now = std::get<std::string>(row.access.get(document.request));
  const auto shown = std::ranges::find(row.access.words, now, &ChoiceWord::word);
  const std::string preview(shown == row.access.words.end() ? std::string_view() : shown->text);
  const bool open = ImGui::BeginCombo("##choice", preview.c_str());
  name_item(context, row);
  tip(row_tip(row));
  if (!open) return false;
  bool changed = false;
  for (const ChoiceWord& word : row.access.words) {
    const std::string text(word.text);
    if (ImGui::Selectable(text.c_str(), word.word == now) && word.word != now)
      changed = accept(field_of(fields, document, row), edit(document.request, row.name, std::string(word.word)));
    name_item(context, row, "." + text);
  }
  ImGui::EndCombo();
  return changed;
}

bool labelled(Context& context, Document& document, const Parameter& row, PipelineFields& fields) {
  label(row_title(row, document.request).c_str());
  if (row.look.kind == Look::Kind::choice) return choice(context, document, row, fields);
  bool changed = false;
  if (row.look.kind == Look::Kind::text || row.look.kind == Look::Kind::number)
    changed = text_field(document, row, fields);
  else
    changed = row.access.kind == Access::Kind::whole ? whole_slider(document, row, fields)
                                                     : real_slider(document, row, fields);
  name_item(context, row);
  tip(row_tip(row));
  return changed;
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

bool edit_row(Context& context, Document& document, const Parameter& row, PipelineFields& fields) {
  ImGui::PushID(row.name.data(), row.name.data() + row.name.size());
  const bool changed = row.look.kind == Look::Kind::check ? check_box(context, document, row, fields)
                                                          : labelled(context, document, row, fields);
  ImGui::PopID();
  if (const std::string& error = field_of(fields, document, row).error; !error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", error.c_str());
    ImGui::PopStyleColor();
  }
  return changed;
}

}  // namespace reber::gui
