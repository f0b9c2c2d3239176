// SPDX-License-Identifier: BSD-3-Clause
// Frames and formats of positions, and what can be done with a place on the image.
#include "gui/panels/coordinate_menu.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "gui/model/hand_edits.hpp"
#include "gui/ui/action.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

using Frame = SkySystem::Frame;

void copy(Context& context, const std::string& text) {
  if (text.empty()) return;
  context.shell.copy_text(text);
  context.state.say("Copied: " + text);
}

void item(Context& context, const char* action) {
  const Action* const found = find_action(action);
  if (found == nullptr) return;
  const std::string keys = found->keys.substr(0, found->keys.find(' '));
  if (ImGui::MenuItem(found->title.c_str(), keys.c_str(), false, is_enabled(*found, context.state))) {
    run_action(context, action);
  }
  context.widgets.item(std::string("context.") + action);
}

void copy_item(Context& context, const char* what, const std::string& text) {
  if (text.empty()) return;
  if (ImGui::MenuItem(fmt::format("Copy {}: {}", what, text).c_str())) copy(context, text);
  context.widgets.item(std::string("context.copy_") + what);
}

}  // namespace

void draw_coordinate_button(Context& context) {
  CoordinateStyle& style = context.state.inspect.style;
  const Document& document = *context.state.document();
  const bool sky = document.header->wcs.celestial();
  const auto system = SkyView(document.header->wcs, style.system).shown();
  const std::string name = !sky ? "pixels" : system ? name_of(*system) : document.header->wcs.frame_name();
  if (ImGui::SmallButton((name + "##frame").c_str())) ImGui::OpenPopup("##frames");
  context.widgets.item("status.frame");
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", sky ? "Frame and format of positions" : document.header->wcs.why_not().c_str());
  }
  if (!ImGui::BeginPopup("##frames")) return;
  for (const SkySystem& choice :
       {SkySystem{Frame::icrs, 2000}, SkySystem{Frame::fk5, 2000}, SkySystem{Frame::fk4, 1950},
        SkySystem{Frame::galactic, 2000}, SkySystem{Frame::ecliptic, 2000}}) {
    if (ImGui::MenuItem(name_of(choice).c_str(), nullptr, style.system == choice)) style.system = choice;
    context.widgets.item("status.frame." + name_of(choice));
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Sexagesimal", nullptr, style.sexagesimal)) style.sexagesimal = true;
  context.widgets.item("status.sexagesimal");
  if (ImGui::MenuItem("Degrees", nullptr, !style.sexagesimal)) style.sexagesimal = false;
  context.widgets.item("status.degrees");
  ImGui::Separator();
  if (ImGui::MenuItem("Pixels from 0", nullptr, !style.one_based)) style.one_based = false;
  if (ImGui::MenuItem("Pixels from 1, as FITS", nullptr, style.one_based)) style.one_based = true;
  ImGui::EndPopup();
}

void copy_place(Context& context) {
  const Document& document = *context.state.document();
  const auto place = read_place(context.state);
  if (!place) return;
  const Readout r = readout_of(context.state, document, *place);
  copy(context, r.position().empty() ? r.pixel : r.position());
}

void CanvasMenu::draw(Context& context) {
  ViewerState& state = context.state;
  if (!ImGui::BeginPopup("##canvas menu")) return;
  if (ImGui::IsWindowAppearing()) place_ = state.cursor.at;
  Document& document = *state.document();
  const Readout r = readout_of(state, document, place_);
  copy_item(context, "position", r.position());
  copy_item(context, "pixel", r.pixel);
  copy_item(context, "value", r.value);
  ImGui::Separator();
  const auto x = static_cast<std::int64_t>(std::lround(place_.x)), y = static_cast<std::int64_t>(std::lround(place_.y));
  const float value = document.layer().pixels ? document.layer().pixels->value(y, x) : std::nanf("");
  RenderSettings& render = state.render();
  for (const bool high : {false, true}) {
    if (ImGui::MenuItem(high ? "High limit from this pixel" : "Low limit from this pixel", high ? "k" : "l", false,
                        std::isfinite(value))) {
      (high ? render.high : render.low) = value;
      render.limits = "manual";
    }
    context.widgets.item(high ? "context.high" : "context.low");
  }
  item(context, "image.auto_limits");
  ImGui::Separator();
  if (ImGui::MenuItem("Fit a source here", nullptr, false, why_no_hand_fit(document).empty()))
    if (const std::string why = ask_to_add(document, place_); !why.empty()) state.say("Not added: " + why, true);
  context.widgets.item("context.add");
  if (ImGui::MenuItem("Centre here")) document.view.centre = place_;
  context.widgets.item("context.centre");
  if (ImGui::MenuItem("Crosshair here")) state.cursor.crosshair = place_;
  context.widgets.item("context.crosshair");
  item(context, "panel.goto");
  item(context, "panel.header");
  ImGui::EndPopup();
}

}  // namespace reber::gui
