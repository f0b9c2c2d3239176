// SPDX-License-Identifier: BSD-3-Clause
// Panel: every stage of the pipeline with its parameters, its time, and the loop that runs it at every change.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/run/request/parameter_rules.hpp"
#include "gui/model/pipeline_rows.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/panels/pipeline_fields.hpp"
#include "gui/ui/edit.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// While fits are under way: how many of the sources that are shown by moments they have reached; empty else.
std::string refining_text(const Document& document, const LiveStatus& status) {
  using Method = FitRequest::Method;
  if (!document.result || !status.busy || !document.result_stale()) return "";
  const LiveResult& result = *document.result;
  if (result.request.fit.method != Method::moments || document.request.fit.method == Method::moments) return "";
  const auto all = static_cast<std::int64_t>(result.sources.size());
  const std::int64_t done =
      status.stage == to_string(StageId::fit) ? std::llround(status.fraction * static_cast<double>(all)) : 0;
  return fmt::format("fits: {} of {} refined, moments shown", done, counted(all, "source"));
}

/// The button that runs and stops, and what came of the newest run. True where the panel went live.
bool draw_run(Context& context, Document& document, const LiveStatus& status) {
  if (primary_button(status.busy ? "Stop" : "Run", {6 * ImGui::GetFontSize(), 0})) {
    if (status.busy)
      context.shell.cancel(document);
    else
      context.shell.run(document);
  }
  context.widgets.item("pipeline.run");
  ImGui::SameLine();
  const bool turned = ImGui::Checkbox("Live", &document.live);
  context.widgets.item("pipeline.live");
  tip("Every change runs at once; only the stages that it touches.");
  ImGui::SameLine();
  ImGui::TextDisabled("on %s", document.live_run && !document.live_run->backend().name.empty()
                                   ? document.live_run->backend().name.c_str()
                                   : context.shell.backend().c_str());
  if (!document.result) {
    ImGui::TextDisabled("No sources yet: Enter runs all stages.");
  } else {
    const LiveResult& result = *document.result;
    ImGui::PushStyleColor(ImGuiCol_Text, document.result_stale() ? palette().text_dim : palette().text);
    const std::string islands = counted(result.islands, "island"), sources = counted(result.standing(), "source");
    ImGui::Text("%s in %s, %.0f ms", sources.c_str(), islands.c_str(), result.wall_ms);
    ImGui::PopStyleColor();
  }
  if (const std::string left = refining_text(document, status); !left.empty()) {
    ImGui::TextWrapped("%s", left.c_str());
    context.widgets.item("pipeline.refining");
  }
  if (!status.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", status.error.c_str());
    ImGui::PopStyleColor();
  }
  return turned;
}

/// Sigmas or false discoveries: which of the two rows sets the threshold.
bool choose_threshold(Context& context, Request& request) {
  static constexpr const char* kRules[] = {"in sigma", "false discoveries"};
  const bool possible = fdr_possible(request), by_rate = request.fdr > 0;
  bool changed = false;
  label("Threshold");
  ImGui::BeginDisabled(!possible);
  const bool open = ImGui::BeginCombo("##rule", kRules[by_rate ? 1 : 0]);
  context.widgets.item("pipeline.rule");
  tip(possible ? "A number of sigma, or the part of the detected pixels that may be false."
               : "False discoveries need the p-value of one S/N a pixel: not with several scales.");
  if (open) {
    for (const bool rate : {false, true}) {
      if (ImGui::Selectable(kRules[rate ? 1 : 0], rate == by_rate) && rate != by_rate)
        changed = !edit(request, "detect.fdr", rate ? 0.01 : 0.0);
      context.widgets.item(std::string("pipeline.rule.") + kRules[rate ? 1 : 0]);
    }
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  return changed;
}

bool edit_rows(Context& context, Document& document, Section section, const char* more_name, PipelineFields& fields) {
  bool changed = false;
  for (const Parameter* row : panel_rows(document.request, section, false))
    changed = edit_row(context, document, *row, fields) || changed;
  if (!more(context, more_name)) return changed;
  for (const Parameter* row : panel_rows(document.request, section, true))
    changed = edit_row(context, document, *row, fields) || changed;
  return changed;
}

bool edit_convolution(Context& context, Document& document, PipelineFields& fields) {
  Request& request = document.request;
  bool on = request.convolve.has_value();
  bool changed = stage_heading(context, document, "Convolve", "convolve", &on);
  if (on && !request.convolve) request.convolve.emplace().kernel = GaussianPixels{5, 5, 0};
  if (!on) request.convolve.reset();
  if (!request.convolve) return changed;
  ImGui::Indent();
  changed = edit_rows(context, document, Section::convolution, "pipeline.convolve.more", fields) || changed;
  ImGui::Unindent();
  return changed;
}

bool edit_background(Context& context, Document& document, PipelineFields& fields) {
  bool changed = stage_heading(context, document, "Background", "background", nullptr);
  if (!document.request.background) {
    document.request.background.emplace();
    changed = true;
  }
  ImGui::Indent();
  changed = edit_rows(context, document, Section::background, "pipeline.background.more", fields) || changed;
  ImGui::Unindent();
  return changed;
}

bool edit_detection(Context& context, Document& document, PipelineFields& fields) {
  Request& request = document.request;
  bool on = request.detect.has_value();
  bool changed = stage_heading(context, document, "Find sources", "detect", &on);
  if (on && !request.detect) request.detect.emplace();
  if (!on) request.detect.reset();
  if (!request.detect) return changed;
  ImGui::Indent();
  changed = choose_threshold(context, request) || changed;
  changed = edit_rows(context, document, Section::detection, "pipeline.detect.more", fields) || changed;
  ImGui::Unindent();
  changed = stage_heading(context, document, "Measure", "fit", nullptr) || changed;
  ImGui::Indent();
  changed = edit_rows(context, document, Section::measurement, "pipeline.measure.more", fields) || changed;
  ImGui::Unindent();
  return changed;
}

/// The search for structures: behind each run while it is on.
void draw_extended(Context& context, Document& document, const LiveStatus& status) {
  ExtendedView& view = document.extended;
  if (ImGui::Checkbox("Extended sources", &view.wanted)) {
    if (view.wanted) context.state.raised_panel = "extended";
    if (!view.wanted) view.asked = 0;
  }
  context.widgets.item("pipeline.extended");
  tip("Structures of every scale as a tree, measured from their pixels: shells, lobes, filaments. They are looked for "
      "behind each run, the compact sources taken out.");
  if (!view.wanted || !document.result) return;
  const bool current = view.result.generation == document.result->generation && !document.result_stale();
  if (current && !view.result.error.empty()) {
    complain(view.result.error);
    context.widgets.item("pipeline.extended.error");
  } else if (current && view.result.found) {
    const auto compact = std::ranges::count(view.result.found->sources, SegmentClass::compact, &ExtendedSource::kind);
    const auto all = static_cast<std::int64_t>(view.result.found->sources.size()) - compact;
    ImGui::TextDisabled("%s, %.0f ms", counted(all, "structure").c_str(), view.result.wall_ms);
  } else if (status.stage == "extended") {
    ImGui::TextDisabled("being looked for ...");
  }
}

void draw_copy(Context& context, const Document& document) {
  if (ImGui::Button("Copy the command")) copy_command(context, document);
  context.widgets.item("pipeline.copy");
  tip("The command line that finds these sources, for a terminal or a script. A filter of the table is no part of it.");
}

void draw_remarks(Context& context, const Document& document) {
  if (!document.result) return;
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  for (const auto& [name, value] : document.result->report.facts) {
    // A threshold is told where it is other than the panel's own.
    if (name != "noise rms" && name != "algorithm" && name != "threshold") continue;
    std::string text = value;  // terminals are given plain letters
    if (const auto at = text.find("uJy"); at != std::string::npos) text.replace(at, 1, "\xC2\xB5");
    ImGui::TextWrapped("%s: %s", name.c_str(), text.c_str());
    context.widgets.item("pipeline." + name);
  }
  ImGui::PopStyleColor();
  for (const std::string& warning : document.result->report.warnings) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
    ImGui::TextWrapped("%s", warning.c_str());
    ImGui::PopStyleColor();
  }
}

class PipelinePanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  PipelineFields fields_;
};

}  // namespace

void PipelinePanel::draw(Context& context) {
  Document& document = *context.state.document();
  const LiveStatus status = document.live_run ? document.live_run->status() : LiveStatus{};
  bool changed = draw_run(context, document, status);
  changed = edit_convolution(context, document, fields_) || changed;
  changed = edit_background(context, document, fields_) || changed;
  changed = edit_detection(context, document, fields_) || changed;
  if (document.request.detect) draw_extended(context, document, status);
  if (changed) request_changed(context, document);
  if (has_command(document)) draw_copy(context, document);
  draw_remarks(context, document);
}

std::unique_ptr<Panel> make_pipeline_panel() { return std::make_unique<PipelinePanel>(); }

}  // namespace reber::gui
