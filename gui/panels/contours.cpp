// SPDX-License-Identifier: BSD-3-Clause
// Panel: at which values contours are drawn.
#include <fmt/format.h>
#include <imgui.h>

#include "core/base/error.hpp"
#include "gui/model/workspace.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

std::string percents_text(const std::vector<double>& percents) {
  std::string text;
  for (const double percent : percents) text += fmt::format("{}{}", text.empty() ? "" : ", ", percent);
  return text;
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
}

void ContoursPanel::load(Context& context, const Workspace& workspace, std::vector<std::string>&) {
  context.state.inspect.contours = workspace.contours;
}

std::unique_ptr<Panel> make_contours_panel() { return std::make_unique<ContoursPanel>(); }

}  // namespace reber::gui
