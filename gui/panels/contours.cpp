// SPDX-License-Identifier: BSD-3-Clause
// Panel: at which values contours are drawn.
#include <fmt/format.h>
#include <imgui.h>

#include "core/base/error.hpp"
#include "gui/model/workspace.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

std::string percents_text(const std::vector<double>& percents) {
  std::string text;
  for (const double percent : percents) text += fmt::format("{}{}", text.empty() ? "" : ", ", percent);
  return text;
}

/// Which image is traced.
void draw_image(Context& context) {
  ViewerState& state = context.state;
  const Document* const shown = state.document();
  const Document* of = state.find(state.inspect.contours_of);
  label("Of");
  const bool open = ImGui::BeginCombo("##of", of == nullptr ? "the shown image" : of->title().c_str());
  context.widgets.item("contours.of");
  tip("Another open image is traced by the layer that it shows, and its lines are drawn at their place of the sky.");
  if (open) {
    if (ImGui::Selectable("the shown image", of == nullptr)) state.inspect.contours_of = -1;
    context.widgets.item("contours.of.shown");
    for (std::size_t i = 0; i < state.documents.size(); ++i) {
      const Document& each = *state.documents[i];
      ImGui::PushID(static_cast<int>(each.id));
      if (ImGui::Selectable(each.title().c_str(), &each == of)) state.inspect.contours_of = each.id;
      context.widgets.item(fmt::format("contours.of.{}", i));
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  if (of != nullptr && shown != nullptr && of != shown && !share_sky(state, *shown, *of))
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(palette().warn), "No part of the sky in common");
}

class ContoursPanel final : public Panel {
 public:
  void draw(Context& context) override;
  void save(const Context& context, Workspace& workspace) const override;
  void load(Context& context, const Workspace& workspace, std::vector<std::string>& problems) override;

 private:
  TextField percents_;
};

}  // namespace

void ContoursPanel::draw(Context& context) {
  bool& on = context.state.overlay_on["contours"];
  ImGui::Checkbox("Shown", &on);
  context.widgets.item("contours.on");
  draw_image(context);
  ContourLevels& levels = context.state.inspect.contours;
  using Rule = ContourLevels::Rule;
  static constexpr std::array<std::pair<Rule, const char*>, 2> kRules{
      {{Rule::sigma, "sigma"}, {Rule::percentile, "percentile"}}};
  choice(context, "Levels", "contours.rule", levels.rule, kRules);
  if (levels.rule == Rule::sigma) {
    number(context, "First", "contours.first", levels.first, 1, 20, "%.1f sigma");
    number(context, "Next", "contours.factor", levels.factor, 1.1, 10, "%.2f times");
    std::int64_t count = levels.count;
    if (whole_number(context, "Lines", "contours.count", count, 1, 12, "%d")) levels.count = static_cast<int>(count);
    ImGui::Checkbox("Below the background too", &levels.negative);
    context.widgets.item("contours.negative");
    tip("A dashed line as far below the middle as the first one is above.");
  } else {
    text_value(context, percents_, "Percent", "contours.percents", 0, percents_text(levels.percents), "90, 99, 99.9",
               [&](const std::string& text) { levels.percents = parse_percents(text); });
    tip("Parts of the layer's pixels that lie below each line.");
  }
  number(context, "Smooth", "contours.smooth", levels.smooth_px, 0, 20, levels.smooth_px > 0 ? "%.1f px" : "not");
  tip("Full width at half maximum of a Gaussian, in image pixels.");
}

void ContoursPanel::save(const Context& context, Workspace& workspace) const {
  workspace.contours = context.state.inspect.contours;
  workspace.contours.middle = workspace.contours.sigma = 0;
  workspace.contours.at_percents.clear();
  workspace.contours_of = context.state.saved_index(context.state.inspect.contours_of).value_or(-1);
}

void ContoursPanel::load(Context& context, const Workspace& workspace, std::vector<std::string>&) {
  ViewerState& state = context.state;
  state.inspect.contours = workspace.contours;
  const std::int64_t of = workspace.contours_of;
  const bool there = of >= 0 && of < static_cast<std::int64_t>(state.documents.size());
  state.inspect.contours_of = there ? state.documents[static_cast<std::size_t>(of)]->id : -1;
}

std::unique_ptr<Panel> make_contours_panel() { return std::make_unique<ContoursPanel>(); }

}  // namespace reber::gui
