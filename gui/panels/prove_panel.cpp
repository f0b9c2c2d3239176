// SPDX-License-Identifier: BSD-3-Clause
// Prove: the same request on two backends, their maps over each other, every check with its bound, the time of each.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/first_limits.hpp"
#include "gui/model/workbench.hpp"
#include "gui/panels/proof_sources.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

ImVec4 colour(unsigned packed) { return ImGui::ColorConvertU32ToFloat4(packed); }

/// The backend at work, or the best of them, that is not the reference.
std::string usual_tested(const Context& context) {
  const Document* document = context.state.document();
  std::string at_work = document != nullptr && document->live_run ? document->live_run->backend().name : "";
  if (at_work.empty()) at_work = context.shell.backend();
  if (!at_work.empty() && at_work != "auto" && at_work != "reference") return at_work;
  const std::vector<std::string> names = context.shell.backends();
  for (const char* wanted : {"cuda", "cpu"})
    if (std::ranges::find(names, wanted) != names.end()) return wanted;
  return names.empty() ? "" : names.front();
}

void backend_choice(Context& context, const char* label, std::string& chosen) {
  ImGui::SetNextItemWidth(7 * ImGui::GetFontSize());
  if (ImGui::BeginCombo(label, chosen.c_str())) {
    for (const std::string& name : context.shell.backends())
      if (name != "auto" && ImGui::Selectable(name.c_str(), name == chosen)) chosen = name;
    ImGui::EndCombo();
  }
  context.widgets.item(std::string("prove.") + label);
}

void start(Context& context, Document& document) {
  if (const std::string why = why_no_search(document); !why.empty()) return context.state.say(why, true);
  ProofWork& work = context.state.workbench->proof;
  if (!work.job) work.job = std::make_unique<JobSlot<std::shared_ptr<const Proof>>>(context.shell.wake());
  Request request = document.request;
  request.input = document.path;
  if (document.header) {
    request.open = document.open;
    request.open.hdu = document.header->hdu;
    request.open.plane = document.header->plane;
  }
  if (!request.background) request.background.emplace();
  if (!request.detect) request.detect.emplace();
  // The tested maps are looked at in the document itself.
  if (!document.result) context.shell.run(document);
  work.document = document.id;
  work.asked = true;
  Shell* shell = &context.shell;
  work.job->start([shell, request, tested = work.tested, oracle = work.oracle](const Progress& progress) {
    const std::shared_ptr<Backend> first = shell->make_backend(tested), second = shell->make_backend(oracle);
    return std::shared_ptr<const Proof>(std::make_shared<Proof>(make_proof(request, first, second, progress)));
  });
}

LayerKind layer_of(const std::string& map) {
  if (map == "convolved") return LayerKind::convolved;
  if (map == "mean") return LayerKind::background;
  if (map == "rms") return LayerKind::rms;
  if (map == "snr") return LayerKind::snr;
  return LayerKind::input;
}

/// A document with the oracle's maps, to be compared with the tested ones by all means of the viewer. Its layer
/// Residual is the difference in units of sigma of the map chosen last.
void show_map(Context& context, const ProofMap& map, bool difference) {
  ProofWork& work = context.state.workbench->proof;
  Document* tested = context.state.find(work.document);
  if (tested == nullptr || !tested->header) return;
  Document* oracle = context.state.find(work.oracle_document);
  if (oracle == nullptr) {
    oracle = &context.shell.add_document(*tested->header, fmt::format("{} by {}", tested->title(), work.proof->oracle));
    work.oracle_document = oracle->id;
    for (const ProofMap& each : work.proof->maps) {
      const LayerKind which = layer_of(each.name);
      Layer& layer = oracle->layer(which);
      layer.pixels = Pyramid::make(each.oracle, Progress());
      // The tested map may be still on its way: its pixels are these but for the differences that are looked for.
      Layer& own = tested->layer(which);
      if (!own.limits_set) set_first_limits(own.render, which, sorted_sample(*layer.pixels));
      own.limits_set = layer.limits_set = true;
      layer.render = own.render;
    }
  }
  const LayerKind kind = layer_of(map.name);
  Layer& residual = oracle->layer(LayerKind::residual);
  residual.pixels = Pyramid::make(map.difference, Progress());
  const double limit = std::clamp(map.worst, 1e-9, 5.0);
  residual.render.low = -limit;
  residual.render.high = limit;
  residual.render.limits = "manual";
  residual.limits_set = true;
  oracle->view = tested->view;
  oracle->fit_when_drawn = false;
  context.shell.show_layer(*tested, kind);
  oracle->shown = difference ? LayerKind::residual : kind;
  context.state.active = 0;
  for (std::size_t i = 0; i < context.state.documents.size(); ++i)
    if (context.state.documents[i]->id == tested->id) context.state.active = static_cast<std::int64_t>(i);
  context.state.compare.other_document = oracle->id;
  context.state.compare.other_layer = oracle->shown;
}

void draw_maps(Context& context, const Proof& proof) {
  using Kind = Compare::Kind;
  struct Way {
    const char* name;
    Kind kind;
    bool difference;
    const char* tip;
  };
  static constexpr std::array<Way, 4> kWays = {
      {{"side by side", Kind::side_by_side, false, "Both maps beside each other"},
       {"blink", Kind::blink, false, "One after the other, named"},
       {"split", Kind::split, false, "One left, one right of a line to drag"},
       {"difference", Kind::side_by_side, true, "The map and, beside it, the difference in units of sigma"}}};
  if (!ImGui::BeginTable("##maps", 5, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  for (const char* head : {"map", "largest difference", "at (x, y)", "pixels that differ", "look"})
    ImGui::TableSetupColumn(head);
  ImGui::TableHeadersRow();
  for (const ProofMap& map : proof.maps) {
    ImGui::PushID(map.name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(map.name.c_str());
    ImGui::TableNextColumn();
    ImGui::Text("%.2g %s", map.worst, map.sigma.c_str());
    ImGui::TableNextColumn();
    const std::string place = map.worst_x < 0 ? "-" : fmt::format("{}, {}", map.worst_x, map.worst_y);
    if (ImGui::Selectable(place.c_str()) && map.worst_x >= 0)
      if (Document* document = context.state.find(context.state.workbench->proof.document))
        document->view.centre = {static_cast<double>(map.worst_x), static_cast<double>(map.worst_y)};
    ImGui::TableNextColumn();
    ImGui::Text("%lld of %lld", static_cast<long long>(map.differing),
                static_cast<long long>(map.tested->shape().count()));
    ImGui::TableNextColumn();
    for (const Way& way : kWays) {
      if (ImGui::SmallButton(way.name)) {
        show_map(context, map, way.difference);
        context.state.compare.kind = way.kind;
      }
      context.widgets.item(fmt::format("prove.{}.{}", map.name, way.name));
      tip(way.tip);
      ImGui::SameLine(0, 4);
    }
    ImGui::NewLine();
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_checks(const Proof& proof) {
  if (!ImGui::BeginTable("##checks", 5,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerV))
    return;
  for (const char* head : {"", "stage", "what is measured", "worst / bound", "where"}) ImGui::TableSetupColumn(head);
  ImGui::TableHeadersRow();
  for (const StageCheck& check : proof.verification.checks) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(colour(check.passed ? palette().good : palette().bad), "%s", check.passed ? "holds" : "BROKEN");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(check.stage.c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(check.metric.c_str());
    ImGui::TableNextColumn();
    ImGui::Text("%.3g / %.3g", check.worst, check.bound);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(check.where.c_str());
  }
  ImGui::EndTable();
}

/// Bars of the time of each stage, one colour per backend, logarithmic.
void draw_times(const Proof& proof) {
  double longest = 1, shortest = 1e9;
  for (const Report* report : {&proof.tested_report, &proof.oracle_report}) {
    for (const StageReport& stage : report->stages) {
      longest = std::max(longest, stage.wall_ms);
      if (stage.wall_ms > 0) shortest = std::min(shortest, stage.wall_ms);
    }
  }
  shortest = std::min(shortest, longest) * 0.5;
  const float width = ImGui::GetContentRegionAvail().x - 24 * ImGui::GetFontSize(), line = ImGui::GetTextLineHeight();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const StageReport& stage : proof.oracle_report.stages) {
    const auto found = std::ranges::find(proof.tested_report.stages, stage.name, &StageReport::name);
    if (found == proof.tested_report.stages.end()) continue;
    ImGui::TextUnformatted(stage.name.c_str());
    ImGui::SameLine(7 * ImGui::GetFontSize());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const auto length = [&](double ms) {
      return ms > shortest ? width * static_cast<float>(std::log(ms / shortest) / std::log(longest / shortest)) : 1.0f;
    };
    list.AddRectFilled(at, {at.x + length(found->wall_ms), at.y + 0.45f * line}, palette().accent);
    list.AddRectFilled({at.x, at.y + 0.5f * line}, {at.x + length(stage.wall_ms), at.y + 0.95f * line}, palette().warn);
    ImGui::Dummy({std::max(1.0f, width), line});
    ImGui::SameLine();
    ImGui::Text("%.1f / %.1f ms%s", found->wall_ms, stage.wall_ms,
                found->wall_ms > 0 ? fmt::format("   {:.1f} x", stage.wall_ms / found->wall_ms).c_str() : "");
  }
  ImGui::TextColored(colour(palette().accent), "%s", proof.tested_device.c_str());
  ImGui::SameLine();
  ImGui::TextColored(colour(palette().warn), "%s", proof.oracle_device.c_str());
}

void draw_tabs(Context& context, const Proof& proof, ProofPlot& plot) {
  if (!ImGui::BeginTabBar("##proof")) return;
  if (ImGui::BeginTabItem("Maps")) {
    draw_maps(context, proof);
    ImGui::EndTabItem();
  }
  context.widgets.item("prove.tab.maps");
  if (ImGui::BeginTabItem("Checks")) {
    draw_checks(proof);
    ImGui::EndTabItem();
  }
  context.widgets.item("prove.tab.checks");
  if (ImGui::BeginTabItem("Times")) {
    draw_times(proof);
    ImGui::EndTabItem();
  }
  context.widgets.item("prove.tab.times");
  if (!proof.sources.snr.empty() && ImGui::BeginTabItem("Sources")) {
    plot.draw(context, proof);
    ImGui::EndTabItem();
  }
  context.widgets.item("prove.tab.sources");
  ImGui::EndTabBar();
}

class ProvePanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  ProofPlot plot_;
};

}  // namespace

void ProvePanel::draw(Context& context) {
  ProofWork& work = context.state.workbench->proof;
  Document* document = context.state.document();
  if (work.tested.empty()) work.tested = usual_tested(context);
  backend_choice(context, "against", work.tested);
  ImGui::SameLine();
  backend_choice(context, "##oracle", work.oracle);
  ImGui::SameLine();
  const bool busy = work.job && work.job->busy();
  if (busy) {
    ImGui::ProgressBar(static_cast<float>(work.job->fraction()), {10 * ImGui::GetFontSize(), 0});
    ImGui::SameLine();
    if (ImGui::Button("Stop")) work.job->cancel();
  } else {
    ImGui::BeginDisabled(document == nullptr || !document->header || work.tested == work.oracle || document->in_memory);
    if (primary_button("Prove")) start(context, *document);
    ImGui::EndDisabled();
    context.widgets.item("prove.start");
    if (document != nullptr && document->header && work.oracle == "reference" &&
        document->header->shape.count() > std::int64_t{2048} * 2048) {
      ImGui::SameLine();
      ImGui::TextDisabled("the reference takes minutes on an image of this size");
    }
  }
  if (work.job) {
    if (auto done = work.job->take()) {
      work.proof = *done;
      work.asked = false;
      if (work.oracle_document >= 0) context.shell.close(work.oracle_document);
      work.oracle_document = -1;
    }
    if (const std::string error = work.job->error(); !error.empty())
      ImGui::TextColored(colour(palette().bad), "%s", error.c_str());
  }
  if (!work.proof) {
    ImGui::TextWrapped(
        "Runs the shown image's request on both backends, holds every map and every source against each other, "
        "and checks each stage against the bound that docs/numerics.md promises.");
    return;
  }
  const Proof& proof = *work.proof;
  ImGui::PushFont(bold_font());
  ImGui::TextColored(colour(proof.passed() ? palette().good : palette().bad), "%s",
                     proof.passed() ? "All bounds hold" : "A bound is broken");
  ImGui::PopFont();
  ImGui::SameLine();
  ImGui::TextWrapped("%s against %s: %s", proof.tested.c_str(), proof.oracle.c_str(), proof.verdict().c_str());
  draw_tabs(context, proof, plot_);
}

std::unique_ptr<Panel> make_prove_panel() { return std::make_unique<ProvePanel>(); }

}  // namespace reber::gui
