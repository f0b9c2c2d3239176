// SPDX-License-Identifier: BSD-3-Clause
// Panel: every stage of the pipeline with its parameters, its time, and the loop that runs it at every change.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "gui/panels/fields.hpp"
#include "gui/panels/panels.hpp"
#include "gui/shell/theme.hpp"

namespace reber::gui {
namespace {

/// Text of the kernel field of the document that is shown; it need not be a kernel yet.
struct KernelField {
  std::int64_t document = -1;
  std::string text, error;
} kernel_field;

const StageReport* stage_named(const Document& document, const char* name) {
  if (!document.result) return nullptr;
  const auto& stages = document.result->report.stages;
  const auto found = std::ranges::find(stages, name, &StageReport::name);
  return found == stages.end() ? nullptr : &*found;
}

/// Heading of a stage: its switch, and the time it took at the right.
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
    const auto& ran = document.result->stages_run;
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

template <typename Value, std::size_t Count>
bool choice(Context& context, const char* text, const char* name, Value& value,
            const std::array<std::pair<Value, const char*>, Count>& values) {
  label(text);
  const auto now = std::ranges::find(values, value, &std::pair<Value, const char*>::first);
  bool changed = false;
  const bool open = ImGui::BeginCombo(fmt::format("##{}", name).c_str(), now == values.end() ? "" : now->second);
  context.widgets.item(name);
  if (!open) return false;
  for (const auto& [one, words] : values) {
    if (ImGui::Selectable(words, one == value)) {
      changed = !(one == value);
      value = one;
    }
    context.widgets.item(fmt::format("{}.{}", name, words));
  }
  ImGui::EndCombo();
  return changed;
}

bool edit_kernel(Context& context, Document& document) {
  ConvolveRequest& convolve = *document.request.convolve;
  if (kernel_field.document != document.id) kernel_field = {document.id, to_string(convolve.kernel), ""};
  label("Kernel");
  ImGui::InputText("##kernel", &kernel_field.text);
  context.widgets.item("pipeline.kernel");
  tip("gaussian:FWHM, gaussian:MAJ,MIN,ANGLE (pixels), beam:MAJ,MIN,PA (arcsec: the beam to reach), box:N, tophat:R, "
      "mexican-hat:S, file:PATH");
  bool changed = false;
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    try {
      convolve.kernel = parse_kernel(kernel_field.text);
      kernel_field.error.clear();
      changed = true;
    } catch (const InputError& error) {
      kernel_field.error = error.what();
    }
  }
  if (!kernel_field.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", kernel_field.error.c_str());
    ImGui::PopStyleColor();
  }
  return changed;
}

bool edit_convolution(Context& context, Document& document) {
  Request& request = document.request;
  bool on = request.convolve.has_value();
  bool changed = stage_heading(context, document, "Convolve", "convolve", &on);
  if (on && !request.convolve) {
    request.convolve.emplace();
    request.convolve->kernel = GaussianPixels{5, 5, 0};
    kernel_field.document = -1;
  }
  if (!on) request.convolve.reset();
  if (!request.convolve) return changed;
  ImGui::Indent();
  changed = edit_kernel(context, document) || changed;
  static constexpr std::array<std::pair<std::optional<Algorithm>, const char*>, 4> kAlgorithms{
      {{std::nullopt, "auto"},
       {Algorithm::direct, "direct"},
       {Algorithm::separable, "separable"},
       {Algorithm::fft, "fft"}}};
  changed = choice(context, "Algorithm", "pipeline.algorithm", request.convolve->algorithm, kAlgorithms) || changed;
  static constexpr std::array<std::pair<Boundary, const char*>, 6> kBoundaries{{{Boundary::zero, "zero"},
                                                                                {Boundary::reflect, "reflect"},
                                                                                {Boundary::mirror, "mirror"},
                                                                                {Boundary::nearest, "nearest"},
                                                                                {Boundary::wrap, "wrap"},
                                                                                {Boundary::blank, "blank"}}};
  changed = choice(context, "Outside", "pipeline.boundary", request.convolve->boundary, kBoundaries) || changed;
  ImGui::Unindent();
  return changed;
}

bool edit_background(Context& context, Document& document) {
  Request& request = document.request;
  bool changed = stage_heading(context, document, "Background", "background", nullptr);
  if (!request.background) {
    request.background.emplace();
    changed = true;
  }
  ImGui::Indent();
  static constexpr std::array<std::pair<BackgroundRequest::Method, const char*>, 2> kMethods{
      {{BackgroundRequest::Method::mesh, "mesh of cells"}, {BackgroundRequest::Method::clip, "one value"}}};
  changed = choice(context, "Method", "pipeline.method", request.background->method, kMethods) || changed;
  if (request.background->method == BackgroundRequest::Method::mesh) {
    label("Cell");
    int box = static_cast<int>(request.background->box);
    if (ImGui::SliderInt("##box", &box, 0, 512, box == 0 ? "from the beam" : "%d px", ImGuiSliderFlags_AlwaysClamp)) {
      request.background->box = box;
      changed = true;
    }
    context.widgets.item("pipeline.box");
    label("Filter");
    int half = request.background->mesh.filter / 2;
    if (ImGui::SliderInt("##filter", &half, 0, 4, fmt::format("{0} x {0} cells", 2 * half + 1).c_str())) {
      request.background->mesh.filter = 2 * half + 1;
      changed = true;
    }
    context.widgets.item("pipeline.filter");
  }
  label("Clip");
  changed = slider("##clip", request.background->mesh.clip.kappa, 1.5, 6, "%.1f sigma", 0) || changed;
  context.widgets.item("pipeline.clip");
  ImGui::Unindent();
  return changed;
}

bool edit_detection(Context& context, Document& document) {
  Request& request = document.request;
  bool on = request.detect.has_value();
  bool changed = stage_heading(context, document, "Find sources", "detect", &on);
  if (on && !request.detect) request.detect.emplace();
  if (!on) request.detect.reset();
  if (!request.detect) return changed;
  DetectOptions& detect = *request.detect;
  ImGui::Indent();
  label("Seed");
  if (slider("##seed", detect.seed, 1, 20, "%.2f sigma", 0)) {
    detect.flood = std::min(detect.flood, detect.seed);
    changed = true;
  }
  context.widgets.item("pipeline.seed");
  tip("An island must hold a pixel above this. Ctrl+wheel on the image changes it by a tenth.");
  label("Flood");
  if (slider("##flood", detect.flood, 0.5, 20, "%.2f sigma", 0)) {
    detect.seed = std::max(detect.seed, detect.flood);
    changed = true;
  }
  context.widgets.item("pipeline.flood");
  tip("An island is made of the pixels above this.");
  label("Least pixels");
  int area = static_cast<int>(detect.min_area);
  if (ImGui::SliderInt("##area", &area, 1, 50, "%d", ImGuiSliderFlags_AlwaysClamp)) {
    detect.min_area = area;
    changed = true;
  }
  context.widgets.item("pipeline.area");
  static constexpr std::array<std::pair<Connectivity, const char*>, 2> kConnectivities{
      {{Connectivity::eight, "8 neighbours"}, {Connectivity::four, "4 neighbours"}}};
  changed = choice(context, "Joined by", "pipeline.connectivity", detect.connectivity, kConnectivities) || changed;
  static constexpr std::array<std::pair<FitRequest::Method, const char*>, 2> kFits{
      {{FitRequest::Method::none, "moments"}, {FitRequest::Method::gaussian, "Gaussian fit"}}};
  changed = choice(context, "Measure by", "pipeline.fit", request.fit.method, kFits) || changed;
  changed = ImGui::Checkbox("Deblend", &request.deblend.on) || changed;
  context.widgets.item("pipeline.deblend");
  tip("Islands with several peaks become several sources.");
  ImGui::SameLine();
  changed = ImGui::Checkbox("Negative too", &request.negative_too) || changed;
  context.widgets.item("pipeline.negative");
  ImGui::Unindent();
  return changed;
}

void draw_outcome(const Document& document) {
  if (!document.result) return;
  const SessionResult& result = *document.result;
  ImGui::Separator();
  ImGui::PushStyleColor(ImGuiCol_Text, document.result_stale() ? palette().text_dim : palette().text);
  ImGui::Text("%zu sources in %lld islands, %.0f ms", result.sources.size(), static_cast<long long>(result.islands),
              result.wall_ms);
  ImGui::PopStyleColor();
  for (const auto& [name, value] : result.report.facts)
    if (name == "noise rms" || name == "algorithm") ImGui::TextDisabled("%s: %s", name.c_str(), value.c_str());
  for (const std::string& warning : result.report.warnings) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
    ImGui::TextWrapped("%s", warning.c_str());
    ImGui::PopStyleColor();
  }
}

}  // namespace

void draw_pipeline_panel(Context& context) {
  Document& document = *context.state.document();
  bool changed = edit_convolution(context, document);
  changed = edit_background(context, document) || changed;
  changed = edit_detection(context, document) || changed;
  const SessionStatus status = document.session ? document.session->status() : SessionStatus{};
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
  if ((changed || turned) && document.live) context.shell.run(document);
  if (!status.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", status.error.c_str());
    ImGui::PopStyleColor();
  }
  draw_outcome(document);
}

}  // namespace reber::gui
