// SPDX-License-Identifier: BSD-3-Clause
// What the line at the bottom tells, by what matters most.
#include "gui/app/status_bar.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "gui/panels/status_readout.hpp"
#include "gui/ui/action.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// The text, cut where it is wider than `most`.
std::string fitted(std::string text, float most) {
  if (ImGui::CalcTextSize(text.c_str()).x <= most) return text;
  const auto inside_character = [&] { return (static_cast<unsigned char>(text.back()) & 0xc0u) == 0x80u; };
  while (!text.empty() && ImGui::CalcTextSize((text + " ...").c_str()).x > most) {
    while (text.size() > 1 && inside_character()) text.pop_back();
    text.pop_back();
  }
  return text + " ...";
}

/// As much of it as leaves the readout its place and value.
std::string shown_notice(const Notice& notice, float bar_width) { return fitted(notice.text, 0.5f * bar_width); }

/// At the right end of a bar.
void draw_notice(Context& context, const Notice& notice, float bar_width) {
  const std::string shown = shown_notice(notice, bar_width);
  ImGui::SameLine(bar_width - ImGui::CalcTextSize(shown.c_str()).x - ImGui::GetFontSize());
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(notice.is_error ? palette().bad : palette().text), "%s",
                     shown.c_str());
  context.widgets.item("status.notice");
  tip(notice.text);
}

constexpr const char *kFailed = "the card failed", *kAgain = "Try again";

float card_failure_width() {
  const ImGuiStyle& style = ImGui::GetStyle();
  return ImGui::CalcTextSize(kFailed).x + ImGui::CalcTextSize(kAgain).x + 2 * style.FramePadding.x +
         style.ItemSpacing.x + ImGui::GetFontSize();
}

/// The card was left: why, and the way back to it.
void draw_card_failure(Context& context, float bar_width) {
  ImGui::SameLine(bar_width - card_failure_width());
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(palette().bad), "%s", kFailed);
  tip(context.state.card_failure);
  ImGui::SameLine();
  if (ImGui::Button(kAgain)) run_action(context, "run.take_card_back");
  context.widgets.item("status.card");
  tip(find_action("run.take_card_back")->tooltip);
}

}  // namespace

void draw_status(Context& context, const ScreenRect& box, const std::string& activity, double fraction) {
  const auto width = static_cast<float>(box.width);
  const ViewerState& state = context.state;
  ImGui::AlignTextToFramePadding();
  const float unit = ImGui::GetFontSize();
  const bool small = width < 60 * unit;
  const float bar = (small ? 8 : 13) * unit, work = bar + 7 * unit;
  const char* software = "drawing on the processor";
  const bool says = !state.notice.text.empty() && state.now < state.notice.until;
  const bool failed = !state.card_failure.empty() && activity.empty() && !says;
  const float notice = ImGui::CalcTextSize(shown_notice(state.notice, width).c_str()).x + unit;
  const float room = width - 2 * unit - (!activity.empty() ? work : says ? notice : failed ? card_failure_width() : 0);
  const float used = draw_status_readout(context, room);
  context.widgets.area("status.readout", {box.x, box.y, used, box.height});
  if (!activity.empty()) {
    ImGui::SameLine(width - work);
    ImGui::ProgressBar(static_cast<float>(fraction), {bar, 0}, elided(activity, bar - unit).c_str());
    context.widgets.item("status.work");
    tip(activity);
    ImGui::SameLine();
    if (ImGui::Button("Stop  Esc")) context.shell.cancel(*context.state.document());
    context.widgets.item("status.stop");
  } else if (says) {
    draw_notice(context, state.notice, width);
  } else if (failed) {
    draw_card_failure(context, width);
  } else if (!state.software_renderer.empty() && used + ImGui::CalcTextSize(software).x + 3 * unit < width) {
    ImGui::SameLine(width - ImGui::CalcTextSize(software).x - unit);
    ImGui::TextDisabled("%s", software);
    context.widgets.item("status.software");
    tip(fmt::format("No graphics card draws this window ({}): everything works, at a lower rate.",
                    state.software_renderer));
  }
}

}  // namespace reber::gui
