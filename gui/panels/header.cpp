// SPDX-License-Identifier: BSD-3-Clause
// Windows: the header with a search, and the place to go to.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "gui/model/sky/compass.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/readout_of.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Centres the view on a place, with the field asked for; the crosshair marks it.
void go(Context& context, const std::string& text) {
  ViewerState& state = context.state;
  Document& document = *state.document();
  const TypedPlace place = parse_place(text, state.inspect.style);
  PixelPosition at;
  if (place.pixel) {
    at = *place.pixel;
  } else {
    const SkyView sky(document.header->wcs, place.system);
    if (!sky.celestial()) throw InputError("this image has no celestial coordinates: write \"pixel x y\"");
    if (sky.shown() != place.system) {
      throw InputError(fmt::format("{} positions cannot be placed on this image's {}", name_of(place.system),
                                   document.header->wcs.frame_name()));
    }
    const auto pixel = sky.to_pixel(*place.sky);
    if (!pixel) throw InputError("that position is not on this image's projection");
    at = *pixel;
  }
  const Shape shape = document.header->shape;
  if (!(at.x > -0.5 && at.y > -0.5 && at.x < static_cast<double>(shape.nx) - 0.5 &&
        at.y < static_cast<double>(shape.ny) - 0.5)) {
    state.say(fmt::format("x {:.1f}, y {:.1f} lies outside the image", at.x, at.y));
  }
  document.view.centre = at;
  state.cursor.crosshair = at;
  const ScreenRect* const area = context.widgets.find("canvas");
  double size = place.size_px.value_or(0);
  if (place.size_deg) {
    const double step = pixel_step_deg(document.header->wcs, at.x, at.y);
    if (step > 0) size = *place.size_deg / step;
  }
  if (size > 0 && area != nullptr) {
    document.view.zoom = std::clamp(std::min(area->width, area->height) / size, kLeastZoom, kMostZoom);
  }
}

class HeaderPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::string search_;
};

class GotoPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::string place_, error_;
};

}  // namespace

void HeaderPanel::draw(Context& context) {
  const Document& document = *context.state.document();
  if (!document.header) return;
  ImGui::SetNextItemWidth(-9 * ImGui::GetFontSize());
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::InputTextWithHint("##search", "Search keywords, values and comments", &search_);
  context.widgets.item("header.search");
  ImGui::SameLine();
  const std::string wanted = upper(search_);
  std::vector<std::string> found;
  for (const std::string& card : document.header->cards) {
    if (wanted.empty() || upper(card).find(wanted) != std::string::npos) found.push_back(printable(card));
  }
  if (ImGui::Button("Copy")) {
    std::string all;
    for (const std::string& card : found) all += card + "\n";
    context.shell.copy_text(all);
  }
  context.widgets.item("header.copy");
  ImGui::SameLine();
  ImGui::TextDisabled("%zu of %zu", found.size(), document.header->cards.size());
  ImGui::BeginChild("##cards");
  ImGui::PushFont(mono_font());
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(found.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const std::string& card = found[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      if (ImGui::Selectable(card.c_str())) {
        context.shell.copy_text(card);
        context.state.say("Copied the card");
      }
      ImGui::PopID();
    }
  }
  ImGui::PopFont();
  ImGui::EndChild();
}

void GotoPanel::draw(Context& context) {
  if (!context.state.document()->header) return;
  ImGui::TextDisabled("12:34:56.7 -12:34:56 5'     188.7 -12.6 0.2d     gal 120.5 -3     pixel 100 200 50");
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
    error_.clear();
  }
  ImGui::SetNextItemWidth(-5 * ImGui::GetFontSize());
  bool done = ImGui::InputText("##place", &place_, ImGuiInputTextFlags_EnterReturnsTrue);
  context.widgets.item("goto.place");
  ImGui::SameLine();
  done |= ImGui::Button("Go", {-1, 0});
  context.widgets.item("goto.go");
  if (done) {
    try {
      go(context, place_);
      error_.clear();
      set_open(context.state, "goto", false);
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
  ImGui::TextWrapped("%s", error_.c_str());
  ImGui::PopStyleColor();
}

std::unique_ptr<Panel> make_header_panel() { return std::make_unique<HeaderPanel>(); }

std::unique_ptr<Panel> make_goto_panel() { return std::make_unique<GotoPanel>(); }

}  // namespace reber::gui
