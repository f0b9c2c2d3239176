// SPDX-License-Identifier: BSD-3-Clause
// Colours and spacing of the interface.
#include "gui/ui/theme.hpp"

#include <imgui.h>

#include "gui/ui/theme_colours.hpp"

namespace reber::gui {
namespace {

Palette shared{};

ImVec4 rgb(unsigned value, float alpha = 1) {
  return {static_cast<float>(value >> 16 & 255u) / 255, static_cast<float>(value >> 8 & 255u) / 255,
          static_cast<float>(value & 255u) / 255, alpha};
}

unsigned packed(unsigned value, float alpha = 1) { return ImGui::ColorConvertFloat4ToU32(rgb(value, alpha)); }

void set_colours(ImGuiStyle& style, const ThemeColours& of, bool light) {
  if (light)
    ImGui::StyleColorsLight(&style);
  else
    ImGui::StyleColorsDark(&style);
  const float over = 0.01f * static_cast<float>(of.grab_percent);  // values are read over it
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = rgb(of.text);
  c[ImGuiCol_TextDisabled] = rgb(of.text_dim);
  c[ImGuiCol_WindowBg] = c[ImGuiCol_MenuBarBg] = c[ImGuiCol_ScrollbarBg] = rgb(of.ground);
  c[ImGuiCol_PopupBg] = rgb(of.popup);
  c[ImGuiCol_Border] = c[ImGuiCol_Separator] = rgb(of.line);
  c[ImGuiCol_FrameBg] = rgb(of.field);
  c[ImGuiCol_FrameBgHovered] = rgb(of.field_hovered);
  c[ImGuiCol_FrameBgActive] = rgb(of.field_active);
  c[ImGuiCol_Header] = rgb(of.header);
  c[ImGuiCol_HeaderHovered] = rgb(of.header_hovered);
  c[ImGuiCol_HeaderActive] = rgb(of.header_active);
  c[ImGuiCol_Button] = rgb(of.button);
  c[ImGuiCol_ButtonHovered] = rgb(of.button_hovered);
  c[ImGuiCol_ButtonActive] = rgb(of.button_active);
  c[ImGuiCol_CheckMark] = rgb(of.accent);
  c[ImGuiCol_SliderGrab] = c[ImGuiCol_PlotHistogram] = rgb(of.grab, over);
  c[ImGuiCol_SliderGrabActive] = rgb(of.grab_active, over);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = rgb(of.tab);
  c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = rgb(of.tab_active);
  c[ImGuiCol_TabHovered] = rgb(of.tab_hovered);
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgCollapsed] = rgb(of.title);
  c[ImGuiCol_TitleBgActive] = rgb(of.title_active);
  c[ImGuiCol_TableHeaderBg] = rgb(of.table_head);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = rgb(of.line);
  if (!light) c[ImGuiCol_TableRowBgAlt] = rgb(0xffffff, 0.025f);
  shared = {.accent = packed(of.accent),
            .accent_soft = packed(of.accent, light ? 0.3f : 0.35f),
            .text = packed(of.text),
            .text_dim = packed(of.text_dim),
            .good = packed(of.good),
            .bad = packed(of.bad),
            .warn = packed(of.warn),
            .source = packed(0x35e0d0),
            .source_selected = packed(0xffd23f),
            .halo = packed(0x000000, 0.65f),
            .primary = packed(of.primary),
            .primary_hovered = packed(of.primary_hovered),
            .on_primary = packed(of.on_primary),
            .plot_selected = packed(of.plot_selected)};
}

}  // namespace

void apply_theme(bool light, double scale) {
  ImGuiStyle style;
  style.WindowRounding = style.ChildRounding = 0;
  style.FrameRounding = style.GrabRounding = style.PopupRounding = style.TabRounding = 3;
  style.WindowBorderSize = 1;
  style.FrameBorderSize = 1;  // white fields on white, empty boxes on a dark ground
  style.FramePadding = {7, 4};
  style.ItemSpacing = {7, 5};
  style.WindowPadding = {9, 8};
  style.ScrollbarSize = 12;
  style.GrabMinSize = 9;
  set_colours(style, light ? kLightColours : kDarkColours, light);
  style.ScaleAllSizes(static_cast<float>(scale));
  ImGui::GetStyle() = style;
}

const Palette& palette() { return shared; }

}  // namespace reber::gui
