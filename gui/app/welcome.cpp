// SPDX-License-Identifier: BSD-3-Clause
// A first minute: what to open, three hints, recent files; in the place of the image while none is open, and as a
// window.
#include "gui/app/welcome.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "gui/ui/action.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

struct Hint {
  const char* action;  ///< that the button runs
  const char* button;
  const char* text;
};
constexpr std::array kHints{
    Hint{"run.start", "Find sources   Enter", "Ctrl and the wheel over the image\nmove the threshold."},
    Hint{"image.auto_limits", "Limits   a", "Right-drag on the image: contrast.\nThe wheel zooms, Ctrl+0 shows all."},
    Hint{"window.palette", "Find any action   Ctrl+Shift+p",
         "F1 lists every key; F2, F3, F4\nlay the window out for a task."}};

/// Buttons of one width below each other, what goes with them beside.
void draw_hints(Context& context) {
  float width = 0;
  for (const Hint& hint : kHints) width = std::max(width, ImGui::CalcTextSize(hint.button).x);
  width += 2 * ImGui::GetStyle().FramePadding.x;
  for (const Hint& hint : kHints) {
    const Action* action = find_action(hint.action);
    ImGui::BeginDisabled(action == nullptr || !is_enabled(*action, context.state));
    if (ImGui::Button(hint.button, {width, 0})) run_action(context, hint.action);
    ImGui::EndDisabled();
    context.widgets.item(fmt::format("welcome.{}", hint.action));
    ImGui::SameLine();
    ImGui::TextDisabled("%s", hint.text);
  }
}

void draw_recent(Context& context, float width) {
  if (context.state.recent.empty()) return;
  ImGui::Dummy({0, 0.4f * ImGui::GetFontSize()});
  ImGui::TextDisabled("Recent");
  for (std::size_t i = 0; i < context.state.recent.size(); ++i) {
    const std::string path = context.state.recent[i];
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(elided(path, width).c_str(), false, 0, {width, 0})) context.shell.open(path, {});
    context.widgets.item(fmt::format("welcome.recent.{}", i));
    ImGui::PopID();
    if (i >= context.state.recent.size()) break;
  }
}

void draw_contents(Context& context, float width) {
  if (primary_button("Open an image ...   Ctrl+O")) run_action(context, "panel.open");
  context.widgets.item("welcome.open");
  const std::string sample = context.shell.sample();
  const Document* document = context.state.document();
  if (!sample.empty() && (document == nullptr || document->path != sample)) {
    ImGui::SameLine();
    if (ImGui::Button("The sample field")) context.shell.open(sample, {});
    context.widgets.item("welcome.sample");
  }
  ImGui::SameLine();
  if (ImGui::Button("The tour")) set_open(context.state, "tour", true);
  context.widgets.item("welcome.tour");
  tip("Ten steps on the sample field that play themselves");
  ImGui::Dummy({0, 0.4f * ImGui::GetFontSize()});
  draw_hints(context);
  draw_recent(context, width);
}

class WelcomePanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void WelcomePanel::draw(Context& context) {
  if (ImGui::IsWindowAppearing()) {  // beside what it speaks of
    const ImVec2 corner = ImGui::GetMainViewport()->WorkPos;
    ImGui::SetWindowPos({corner.x + 2 * ImGui::GetFontSize(), corner.y + 4 * ImGui::GetFontSize()});
  }
  const Document* document = context.state.document();
  if (document != nullptr && document->path == context.shell.sample())
    ImGui::TextWrapped("A simulated sky at 150 MHz to try things on. A FITS image can be dropped here, or");
  draw_contents(context, ImGui::GetContentRegionAvail().x);
}

std::unique_ptr<Panel> make_welcome_panel() { return std::make_unique<WelcomePanel>(); }

void draw_welcome(Context& context, const ScreenRect& area) {
  ImGui::SetNextWindowPos({static_cast<float>(area.x), static_cast<float>(area.y)});
  ImGui::SetNextWindowSize({static_cast<float>(area.width), static_cast<float>(area.height)});
  ImGui::Begin("##welcome", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings);
  const float unit = ImGui::GetFontSize();
  ImGui::SetCursorPos({0.5f * static_cast<float>(area.width) - 14 * unit, 0.3f * static_cast<float>(area.height)});
  ImGui::BeginGroup();
  ImGui::PushFont(bold_font());
  ImGui::TextUnformatted("Reber");
  ImGui::PopFont();
  ImGui::TextDisabled("Drop a FITS image here, or");
  draw_contents(context, 28 * unit);
  ImGui::EndGroup();
  ImGui::End();
}

}  // namespace reber::gui
