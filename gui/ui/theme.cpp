// SPDX-License-Identifier: BSD-3-Clause
// Colours, spacing and fonts of the interface.
#include "gui/ui/theme.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <filesystem>

namespace reber::gui {
namespace {

ImFont* bold = nullptr;
ImFont* mono = nullptr;
Palette shared{};

ImVec4 rgb(unsigned value, float alpha = 1) {
  return {static_cast<float>(value >> 16 & 255u) / 255, static_cast<float>(value >> 8 & 255u) / 255,
          static_cast<float>(value & 255u) / 255, alpha};
}

unsigned packed(unsigned value, float alpha = 1) { return ImGui::ColorConvertFloat4ToU32(rgb(value, alpha)); }

void set_dark(ImGuiStyle& style) {
  ImGui::StyleColorsDark(&style);
  const unsigned ground = 0x1b1e23, raised = 0x262a31, line = 0x353a43, accent = 0x4c9be8;
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = rgb(0xe3e6ea);
  c[ImGuiCol_TextDisabled] = rgb(0x8b939e);
  c[ImGuiCol_WindowBg] = c[ImGuiCol_MenuBarBg] = rgb(ground);
  c[ImGuiCol_PopupBg] = rgb(0x15181c, 0.98f);  // fields stand out of it
  c[ImGuiCol_Border] = c[ImGuiCol_Separator] = rgb(line);
  c[ImGuiCol_FrameBg] = rgb(raised);
  c[ImGuiCol_FrameBgHovered] = rgb(0x30353e);
  c[ImGuiCol_FrameBgActive] = rgb(0x383e49);
  c[ImGuiCol_Header] = rgb(0x2d3a4a);
  c[ImGuiCol_HeaderHovered] = rgb(0x36485d);
  c[ImGuiCol_HeaderActive] = rgb(0x3d5570);
  c[ImGuiCol_Button] = rgb(0x30363f);
  c[ImGuiCol_ButtonHovered] = rgb(0x3b4450);
  c[ImGuiCol_ButtonActive] = c[ImGuiCol_CheckMark] = rgb(accent);
  c[ImGuiCol_SliderGrab] = rgb(accent, 0.5f);  // the value is read over it
  c[ImGuiCol_SliderGrabActive] = rgb(0x7db8f2, 0.5f);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = rgb(0x22262c);
  c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = rgb(0x33465c);
  c[ImGuiCol_TabHovered] = rgb(0x3d5570);
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgCollapsed] = rgb(0x22262c);
  c[ImGuiCol_TitleBgActive] = rgb(0x2d3a4a);
  c[ImGuiCol_ScrollbarBg] = rgb(ground);
  c[ImGuiCol_TableHeaderBg] = rgb(raised);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = rgb(line);
  c[ImGuiCol_TableRowBgAlt] = rgb(0xffffff, 0.025f);
  c[ImGuiCol_PlotHistogram] = rgb(accent);
  shared = {packed(accent),   packed(accent, 0.35f), packed(0xe3e6ea),       packed(0x8b939e),
            packed(0x56b97f), packed(0xf07167),      packed(0xe9b44c),       packed(0x35e0d0),
            packed(0xffd23f), packed(0xff7ad9),      packed(0x000000, 0.65f)};
}

void set_light(ImGuiStyle& style) {
  ImGui::StyleColorsLight(&style);
  const unsigned ground = 0xf4f5f7, line = 0xcfd4da, accent = 0x1f6fc4;
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = rgb(0x1d232b);
  c[ImGuiCol_TextDisabled] = rgb(0x6b7480);
  c[ImGuiCol_WindowBg] = c[ImGuiCol_MenuBarBg] = rgb(ground);
  c[ImGuiCol_PopupBg] = rgb(0xffffff, 0.99f);
  c[ImGuiCol_Border] = c[ImGuiCol_Separator] = rgb(line);
  c[ImGuiCol_FrameBg] = rgb(0xffffff);
  c[ImGuiCol_FrameBgHovered] = rgb(0xe9eef5);
  c[ImGuiCol_FrameBgActive] = rgb(0xdde7f3);
  c[ImGuiCol_Header] = rgb(0xd7e5f5);
  c[ImGuiCol_HeaderHovered] = rgb(0xc5daf1);
  c[ImGuiCol_HeaderActive] = rgb(0xb3cfee);
  c[ImGuiCol_Button] = rgb(0xe2e6eb);
  c[ImGuiCol_ButtonHovered] = rgb(0xd3dbe5);
  c[ImGuiCol_ButtonActive] = c[ImGuiCol_CheckMark] = rgb(accent);
  c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = rgb(accent, 0.45f);
  c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = rgb(0xe6e9ed);
  c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = rgb(0xc5daf1);
  c[ImGuiCol_TableHeaderBg] = rgb(0xe6e9ed);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = rgb(line);
  c[ImGuiCol_PlotHistogram] = rgb(accent);
  shared = {packed(accent),   packed(accent, 0.3f), packed(0x1d232b),       packed(0x6b7480),
            packed(0x23804a), packed(0xc0392b),     packed(0xa66a00),       packed(0x35e0d0),
            packed(0xffd23f), packed(0xff7ad9),     packed(0x000000, 0.65f)};
}

ImFont* add(const char* file, double size) {
  // Latin, Greek, superscripts of sexagesimal numbers, punctuation, arrows, signs of mathematics and shapes.
  static const std::array<ImWchar, 17> ranges{0x20,   0xff,   0x100,  0x17f,  0x2b0,  0x3ff,  0x2010, 0x2070, 0x2080,
                                              0x209c, 0x2190, 0x22ff, 0x25a0, 0x25ff, 0x2600, 0x27bf, 0};
  for (const char* folder : {"truetype/dejavu", "dejavu", "TTF", "dejavu-sans-fonts", "dejavu-sans-mono-fonts"}) {
    const std::string path = fmt::format("/usr/share/fonts/{}/{}", folder, file);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
      return ImGui::GetIO().Fonts->AddFontFromFileTTF(path.c_str(), static_cast<float>(std::round(size)), nullptr,
                                                      ranges.data());
  }
  return nullptr;
}

}  // namespace

void apply_theme(bool light, double scale) {
  ImGuiStyle style;
  style.WindowRounding = style.ChildRounding = 0;
  style.FrameRounding = style.GrabRounding = style.PopupRounding = style.TabRounding = 3;
  style.WindowBorderSize = 1;
  style.FrameBorderSize = light ? 1 : 0;  // white fields on white
  style.FramePadding = {7, 4};
  style.ItemSpacing = {7, 5};
  style.WindowPadding = {9, 8};
  style.ScrollbarSize = 12;
  style.GrabMinSize = 6;
  if (light)
    set_light(style);
  else
    set_dark(style);
  style.ScaleAllSizes(static_cast<float>(scale));
  ImGui::GetStyle() = style;
}

void add_fonts(double scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  if (add("DejaVuSans.ttf", 14 * scale) == nullptr) {
    ImFontConfig plain;
    plain.SizePixels = static_cast<float>(std::round(13 * scale));
    atlas.AddFontDefault(&plain);
  }
  bold = add("DejaVuSans-Bold.ttf", 14 * scale);
  mono = add("DejaVuSansMono.ttf", 13 * scale);
  if (bold == nullptr) bold = atlas.Fonts[0];
  if (mono == nullptr) mono = atlas.Fonts[0];
}

ImFont* bold_font() { return bold; }
ImFont* mono_font() { return mono; }
const Palette& palette() { return shared; }

}  // namespace reber::gui
