// SPDX-License-Identifier: BSD-3-Clause
// The window's parts around the image.
#include "gui/app/layout.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "gui/app/actions.hpp"
#include "gui/app/panel_help.hpp"
#include "gui/app/status_bar.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBackground;  // the window is cleared to the same colour

using Box = Layout::Box;

bool begin_fixed(const char* name, const Box& box, ImGuiWindowFlags flags = 0) {
  ImGui::SetNextWindowPos({box.x, box.y});
  ImGui::SetNextWindowSize({box.width, box.height});
  // A large interface's least window is higher than a bar.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  const bool open = ImGui::Begin(name, nullptr, kFixed | flags);
  ImGui::PopStyleVar();
  // ImGui leaves the border out as well where there is no background.
  const ImGuiStyle& style = ImGui::GetStyle();
  if (style.WindowBorderSize > 0) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 from = ImGui::GetWindowPos(), size = ImGui::GetWindowSize(), to{from.x + size.x, from.y + size.y};
    list.PushClipRect(from, to, false);
    list.AddRect(from, to, ImGui::GetColorU32(ImGuiCol_Border), style.WindowRounding, 0, style.WindowBorderSize);
    list.PopClipRect();
  }
  return open;
}

/// The window that is being made, as a place for scripts.
void register_area(Context& context, const char* name) {
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  context.widgets.area(name, {at.x, at.y, size.x, size.y});
}

bool shown(const ViewerState& state, const PanelRow& panel) {
  return is_open(state, panel) && (panel.enabled == nullptr || panel.enabled(state));
}

bool any_shown(const ViewerState& state, Place place) {
  return std::ranges::any_of(panel_rows(), [&](const PanelRow& p) { return p.place == place && shown(state, p); });
}

void menu_of(Context& context, const std::string& path);

void draw_recent(Context& context) {
  const bool open = ImGui::BeginMenu("Open recent", !context.state.recent.empty());
  context.widgets.item("menu.recent");
  if (!open) return;
  for (const std::string& recent : std::vector<std::string>(context.state.recent))
    if (ImGui::MenuItem(elided(recent, 40 * ImGui::GetFontSize()).c_str())) context.shell.open(recent, {});
  ImGui::EndMenu();
}

/// "View/Stretch" is an entry of the menu "View" that opens a menu of its own.
void menu_items(Context& context, const std::string& path) {
  std::vector<std::string> opened;
  std::string group;
  for (const Action& action : actions()) {
    if (action.menu == path) {
      // A window that is opened goes with what stands before it.
      const std::string now = action.name.substr(0, action.name.find('.'));
      if (!group.empty() && now != "panel" && group != now) ImGui::Separator();
      if (now != "panel") group = now;
      const bool checked = action.checked && action.checked(context.state);
      const std::string keys = action.keys.substr(0, action.keys.find(' '));
      if (ImGui::MenuItem(action.title.c_str(), keys.c_str(), checked, is_enabled(action, context.state)))
        action.run(context);
      context.widgets.item("menu." + action.name);
      if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && GImGui->HoveredIdTimer > 0.6f)
        ImGui::SetTooltip("%s", action.tooltip.c_str());
      if (action.name == "panel.open") draw_recent(context);
    } else if (action.menu.starts_with(path + "/") && std::ranges::find(opened, action.menu) == opened.end()) {
      opened.push_back(action.menu);
      menu_of(context, action.menu);
    }
  }
}

void menu_of(Context& context, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const bool open = ImGui::BeginMenu(name.c_str());
  context.widgets.item("menu." + path);
  if (!open) return;
  menu_items(context, path);
  ImGui::EndMenu();
}

void draw_menu(Context& context) {
  if (!ImGui::BeginMainMenuBar()) return;
  std::vector<std::string> tops;
  for (const Action& action : actions()) {
    const std::string top = action.menu.substr(0, action.menu.find('/'));
    if (!top.empty() && std::ranges::find(tops, top) == tops.end()) tops.push_back(top);
  }
  for (const std::string& top : tops) menu_of(context, top);
  ImGui::EndMainMenuBar();
}

/// In a list, where the bar has no room for buttons.
void draw_layer_list(Context& context, Document& document) {
  ImGui::SetNextItemWidth(9 * ImGui::GetFontSize());
  const bool open = ImGui::BeginCombo("##layers", kLayerNames[static_cast<std::size_t>(document.shown)]);
  context.widgets.item("layers");
  if (open) {
    for (int index = 0; index < kLayerKinds; ++index) {
      const auto kind = static_cast<LayerKind>(index);
      const char* name = kLayerNames[static_cast<std::size_t>(index)];
      if (!layer_possible(document, kind)) continue;
      if (ImGui::Selectable(name, document.shown == kind)) context.shell.show_layer(document, kind);
      context.widgets.item(fmt::format("layer.{}", name));
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine(0, 2);
}

/// The width of the buttons of the layers that there are.
float layer_buttons_width(const Document& document) {
  float width = 0;
  for (int index = 0; index < kLayerKinds; ++index)
    if (layer_possible(document, static_cast<LayerKind>(index)))
      width += ImGui::CalcTextSize(kLayerNames[static_cast<std::size_t>(index)]).x +
               2 * ImGui::GetStyle().FramePadding.x + 2;
  return width;
}

void draw_layer_buttons(Context& context, Document& document) {
  for (int index = 0; index < kLayerKinds; ++index) {
    const auto kind = static_cast<LayerKind>(index);
    if (!layer_possible(document, kind)) continue;
    const bool on = document.shown == kind;
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_TabActive]);
    if (ImGui::Button(kLayerNames[static_cast<std::size_t>(index)])) context.shell.show_layer(document, kind);
    if (on) ImGui::PopStyleColor();
    context.widgets.item(fmt::format("layer.{}", kLayerNames[static_cast<std::size_t>(index)]));
    ImGui::SameLine(0, 2);
  }
}

}  // namespace

void Layout::draw_tool_bar(Context& context, const Box& box) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8, 4});
  begin_fixed("##tools", box, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  register_area(context, "tools");
  ViewerState& state = context.state;
  Document* document = state.document();
  if (document != nullptr) {
    const bool narrow = layer_buttons_width(*document) + 16 * ImGui::GetFontSize() > box.width;
    if (narrow)
      draw_layer_list(context, *document);
    else
      draw_layer_buttons(context, *document);
  }
  // Documents to the right of the layers.
  ImGui::SameLine(0, 18);
  if (state.documents.size() > 1 &&
      ImGui::BeginTabBar("##documents", ImGuiTabBarFlags_FittingPolicyScroll | ImGuiTabBarFlags_NoTooltip |
                                            ImGuiTabBarFlags_TabListPopupButton)) {
    std::int64_t closed = -1;
    // The shown one is scrolled into sight, also where the layers' buttons take its place.
    ImGuiTabBar& tabs = *ImGui::GetCurrentContext()->CurrentTabBar;
    if (const float left = tabs.BarRect.Min.x; std::exchange(tabs_left_, left) != left)
      tabs.NextSelectedTabId = tabs.SelectedTabId;
    for (std::size_t i = 0; i < state.documents.size(); ++i) {
      const Document& one = *state.documents[i];
      bool keep = true;
      const bool select = state.active != last_active_ && state.active == static_cast<std::int64_t>(i);
      const bool seen = ImGui::BeginTabItem(
          fmt::format("{}###document{}", elided(one.title(), 16 * ImGui::GetFontSize()), one.id).c_str(), &keep,
          select ? ImGuiTabItemFlags_SetSelected : 0);
      context.widgets.item(fmt::format("document.{}", i));
      if (seen && !select && state.active == last_active_) state.active = static_cast<std::int64_t>(i);
      if (seen) ImGui::EndTabItem();
      if (!keep) closed = one.id;
    }
    last_active_ = state.active;
    ImGui::EndTabBar();
    if (closed >= 0) context.shell.close(closed);
  } else if (document != nullptr) {
    ImGui::AlignTextToFramePadding();
    const float room = ImGui::GetContentRegionAvail().x;
    if (room > 5 * ImGui::GetFontSize()) ImGui::TextDisabled("%s", elided(document->title(), room).c_str());
    context.widgets.item("tools.title");
    tip(document->title());
  }
  ImGui::End();
}

void Layout::draw_column(Context& context, const Box& box) {
  begin_fixed("##column", box);
  // One panel that is opened comes into view; a layout opens many.
  std::vector<const PanelRow*> now;
  for (const auto& [row, panel] : context.panels.all()) {
    if (row.place != Place::side || !shown(context.state, row)) continue;
    now.push_back(&row);
  }
  const auto is_new = [this](const PanelRow* row) {
    return std::ranges::find(side_before_, row) == side_before_.end();
  };
  const bool one_new = !side_before_.empty() && std::ranges::count_if(now, is_new) == 1;
  for (const auto& [row, panel] : context.panels.all()) {
    if (std::ranges::find(now, &row) == now.end()) continue;
    ImGui::PushFont(bold_font());
    const bool open =
        ImGui::CollapsingHeader(row.title, ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_AllowItemOverlap);
    ImGui::PopFont();
    if (one_new && is_new(&row)) ImGui::SetScrollHereY(0);
    context.widgets.item(fmt::format("panel.{}", row.name));
    ImGui::SameLine(ImGui::GetContentRegionMax().x - 1.4f * ImGui::GetFontSize());
    help_button(context, row);
    if (!open) continue;
    ImGui::PushID(row.name);
    panel->draw(context);
    ImGui::PopID();
    ImGui::Dummy({0, 4});
  }
  side_before_ = std::move(now);
  ImGui::End();
}

namespace {

/// Folded, its tabs alone; a click on one of them brings the rest back.
void draw_strip(Context& context, const Box& box, bool folded) {
  if (folded) ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8, 4});
  begin_fixed("##strip", box, folded ? ImGuiWindowFlags_NoScrollbar : 0);
  if (folded) ImGui::PopStyleVar();
  register_area(context, "strip");
  if (ImGui::BeginTabBar("##bottom")) {
    const PanelRow* help_of = nullptr;
    const std::string raised = std::exchange(context.state.raised_panel, {});
    if (!raised.empty()) context.state.strip_folded = false;
    for (const auto& [row, panel] : context.panels.all()) {
      if (row.place != Place::bottom || !shown(context.state, row)) continue;
      const bool seen = ImGui::BeginTabItem(row.title, nullptr, raised == row.name ? ImGuiTabItemFlags_SetSelected : 0);
      context.widgets.item(fmt::format("panel.{}", row.name));
      if (folded && ImGui::IsItemClicked()) context.state.strip_folded = false;
      if (!seen) continue;
      help_of = &row;
      ImGui::PushID(row.name);
      if (!folded) panel->draw(context);
      ImGui::PopID();
      ImGui::EndTabItem();
    }
    if (help_of != nullptr) help_tab(context, *help_of);
    constexpr ImGuiTabItemFlags kAtEnd = ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip;
    if (ImGui::TabItemButton(folded ? "\u25b4###fold" : "\u25be###fold", kAtEnd)) context.state.strip_folded = !folded;
    context.widgets.item("strip.fold");
    tip(folded ? "Opens this part" : "Folds this part down to its tabs");
    ImGui::EndTabBar();
  }
  ImGui::End();
}

/// What a part of the window takes, in canvas points.
struct Part {
  double& size;
  double room;  ///< part of the window that the sizes are made for, 1 at most
  double kept;  ///< points of scale 1 that a small window leaves it
  double scale;

  [[nodiscard]] float shown() const { return static_cast<float>(size_shown(size, room, kept) * scale); }
  void drag(double by, double least) {
    size = std::clamp(size_that_shows(size_shown(size, room, kept) - by / scale, room, kept), least, kMostPart);
  }
};

/// A bar of 4 units between two parts; drags change the size, measured from the far side.
void splitter(Context& context, const char* name, const Box& bar, bool vertical, Part part, double least) {
  // Padding would clip a window of this size to nothing.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  begin_fixed(name, bar, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar(2);
  ImGui::SetCursorScreenPos({bar.x, bar.y});
  ImGui::InvisibleButton("##bar", {bar.width, bar.height});
  context.widgets.item(std::string("splitter.") + (vertical ? "column" : "strip"));
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetForegroundDrawList()->AddRectFilled({bar.x, bar.y}, {bar.x + bar.width, bar.y + bar.height},
                                                  palette().accent_soft);
  }
  if (ImGui::IsItemActive()) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    part.drag(static_cast<double>(vertical ? moved.x : moved.y), least);
  }
  ImGui::End();
}

}  // namespace

ScreenRect Layout::draw_parts(Context& context, double scale, const std::string& activity, double fraction) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  if (context.state.hide_interface) return {viewport.Pos.x, viewport.Pos.y, viewport.Size.x, viewport.Size.y};
  draw_menu(context);
  LayoutSizes& sizes = context.state.sizes;
  const float line = ImGui::GetFrameHeight() + 9;
  Box left{viewport.WorkPos.x, viewport.WorkPos.y, viewport.WorkSize.x, viewport.WorkSize.y};
  const Box status{left.x, left.y + left.height - line, left.width, line};
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8, 4});
  begin_fixed("##status", status, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleVar();
  register_area(context, "status");
  draw_status(context, {status.x, status.y, status.width, status.height}, activity, fraction);
  ImGui::End();
  left.height -= line;
  // Sizes are made for a window of 1280 x 800; in a smaller one the parts give way, so that the image keeps half of it.
  constexpr double kFullWidth = 1280, kFullHeight = 800, kColumnKept = 276, kStripKept = 170, kLowWindow = 560;
  const double height_pt = static_cast<double>(viewport.Size.y) / scale;
  if (any_shown(context.state, Place::side)) {
    const Part part{sizes.column, std::min(1.0, static_cast<double>(viewport.Size.x) / scale / kFullWidth), kColumnKept,
                    scale};
    const float width = std::min(part.shown(), 0.6f * left.width);
    draw_column(context, {left.x + left.width - width, left.y, width, left.height});
    splitter(context, "##column bar", {left.x + left.width - width - 4, left.y, 4, left.height}, true, part,
             kLeastColumn);
    left.width -= width + 4;
  }
  draw_tool_bar(context, {left.x, left.y, left.width, line});
  left.y += line;
  left.height -= line;
  if (any_shown(context.state, Place::bottom)) {
    const bool folded = context.state.strip_folded.value_or(height_pt < kLowWindow);
    const Part part{sizes.strip, std::min(1.0, height_pt / kFullHeight), kStripKept, scale};
    const float height = folded ? line + 4 : std::min(part.shown(), 0.7f * left.height);
    draw_strip(context, {left.x, left.y + left.height - height, left.width, height}, folded);
    if (!folded)
      splitter(context, "##strip bar", {left.x, left.y + left.height - height - 4, left.width, 4}, false, part,
               kLeastStrip);
    left.height -= height + 4;
  }
  context.widgets.area("window", {viewport.Pos.x, viewport.Pos.y, viewport.Size.x, viewport.Size.y});
  return {left.x, left.y, left.width, left.height};
}

void Layout::draw_floating(Context& context, double scale) {
  const auto s = static_cast<float>(scale);
  for (const auto& [row, panel] : context.panels.all()) {
    const bool dialog = row.place == Place::dialog;
    if ((row.place != Place::floating && !dialog) || !shown(context.state, row)) continue;
    bool open = true;
    ImGui::SetNextWindowSize({row.width * s, row.height * s},
                             row.height > 0 ? ImGuiCond_FirstUseEver : ImGuiCond_Always);
    const ImVec2 middle = ImGui::GetMainViewport()->GetCenter();
    ImGui::SetNextWindowPos(middle, ImGuiCond_FirstUseEver, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({200 * s, 80 * s}, ImGui::GetMainViewport()->Size);
    if (ImGui::Begin(row.title, &open, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse)) {
      if (dialog && ImGui::IsWindowAppearing()) ImGui::SetWindowFocus();
      help_in_title(context, row);
      panel->draw(context);
    }
    ImGui::End();
    if (!open) set_open(context.state, row.name, false);
  }
  palette_.draw(context, scale);
}

const PanelRow* front_window(const ViewerState& state) {
  const ImVector<ImGuiWindow*>& windows = GImGui->Windows;  // the last one is in front
  const PanelRow* front = nullptr;
  std::ptrdiff_t highest = -1;
  for (const PanelRow& row : panel_rows()) {
    if ((row.place != Place::dialog && row.place != Place::floating) || !shown(state, row)) continue;
    // One that was opened in this frame has no window yet: behind the end, which is in front.
    const auto at = std::find(windows.begin(), windows.end(), ImGui::FindWindowByName(row.title)) - windows.begin();
    if (front != nullptr && at <= highest) continue;
    front = &row;
    highest = at;
  }
  return front;
}

bool has_keyboard(const PanelRow& window) {
  const ImGuiWindow* focused = GImGui->NavWindow;
  return focused != nullptr && focused->RootWindow == ImGui::FindWindowByName(window.title);
}

}  // namespace reber::gui
