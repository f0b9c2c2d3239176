// SPDX-License-Identifier: BSD-3-Clause
// Panel: every stage of the pipeline with its parameters, its time, and the loop that runs it at every change.
#include <fmt/format.h>
#include <imgui.h>

#include "gui/panels/pipeline_stages.hpp"
#include "gui/ui/edit.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// The button that runs and stops, and what came of the newest run. True where the panel went live.
bool draw_run(Context& context, Document& document, const LiveStatus& status) {
  if (ImGui::Button(status.busy ? "Stop" : "Run", {6 * ImGui::GetFontSize(), 0})) {
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
  ImGui::TextDisabled("on %s", document.session && !document.session->backend().name.empty()
                                   ? document.session->backend().name.c_str()
                                   : context.shell.backend().c_str());
  if (!document.result) {
    ImGui::TextDisabled("No sources yet: Enter runs all stages.");
  } else {
    const LiveResult& result = *document.result;
    ImGui::PushStyleColor(ImGuiCol_Text, document.result_stale() ? palette().text_dim : palette().text);
    const std::string islands = counted(result.islands, "island"),
                      sources = counted(static_cast<std::int64_t>(result.sources.size()), "source");
    ImGui::Text("%s in %s, %.0f ms", sources.c_str(), islands.c_str(), result.wall_ms);
    ImGui::PopStyleColor();
  }
  if (!status.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", status.error.c_str());
    ImGui::PopStyleColor();
  }
  return turned;
}

void draw_remarks(const Document& document) {
  if (!document.result) return;
  for (const auto& [name, value] : document.result->report.facts)
    if (name == "noise rms" || name == "algorithm") {
      std::string text = value;  // terminals are given plain letters
      if (const auto at = text.find("uJy"); at != std::string::npos) text.replace(at, 1, "\xC2\xB5");
      ImGui::TextDisabled("%s: %s", name.c_str(), text.c_str());
    }
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
  TextFields fields_;
};

}  // namespace

void PipelinePanel::draw(Context& context) {
  Document& document = *context.state.document();
  const LiveStatus status = document.session ? document.session->status() : LiveStatus{};
  bool changed = draw_run(context, document, status);
  changed = edit_convolution(context, document, fields_) || changed;
  changed = edit_background(context, document, fields_) || changed;
  changed = edit_detection(context, document, fields_) || changed;
  changed = edit_measurement(context, document, fields_) || changed;
  if (changed) request_changed(context, document);
  draw_remarks(document);
}

std::unique_ptr<Panel> make_pipeline_panel() { return std::make_unique<PipelinePanel>(); }

}  // namespace reber::gui
