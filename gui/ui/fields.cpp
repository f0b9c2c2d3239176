// SPDX-License-Identifier: BSD-3-Clause
// Small pieces that the panels share.
#include "gui/ui/fields.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

void label(const char* text) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text);
  ImGui::SameLine(7.5f * ImGui::GetFontSize());
  ImGui::SetNextItemWidth(-1);
}

namespace {

/// The slider's own knob has no colour: it would lie over the number. Its place is where the vertices of the unseen
/// colour are.
constexpr ImU32 kUnseen = IM_COL32(1, 2, 3, 1);

/// A track along the lower edge of the field, filled up to the knob.
void draw_track(const ImDrawList& made, int first) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  float from = high.x, to = low.x;
  for (int i = first; i < made.VtxBuffer.Size; ++i) {
    if (made.VtxBuffer[i].col != kUnseen) continue;
    from = std::min(from, made.VtxBuffer[i].pos.x);
    to = std::max(to, made.VtxBuffer[i].pos.x);
  }
  if (!(from < to)) return;
  const float high_of = std::max(2.0f, std::round(0.16f * ImGui::GetFontSize())), top = high.y - high_of;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool held = ImGui::IsItemActive();
  const unsigned colour = ImGui::GetColorU32(held ? palette().primary_hovered : palette().accent);
  list.AddRectFilled({low.x, top}, {from, high.y}, ImGui::GetColorU32(palette().accent_soft), 2,
                     ImDrawFlags_RoundCornersBottomLeft);
  list.AddRectFilled({from, top - high_of}, {to, high.y}, colour, 1);
}

}  // namespace

bool slider_of(const char* id, ImGuiDataType type, void* value, const void* low, const void* high, const char* format,
               ImGuiSliderFlags flags) {
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  const int first = list.VtxBuffer.Size;
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, kUnseen);
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, kUnseen);
  const bool changed = ImGui::SliderScalar(id, type, value, low, high, format, flags | ImGuiSliderFlags_AlwaysClamp);
  ImGui::PopStyleColor(2);
  draw_track(list, first);
  return changed;
}

bool slider(const char* id, double& value, double low, double high, const char* format, ImGuiSliderFlags flags) {
  return slider_of(id, ImGuiDataType_Double, &value, &low, &high, format, flags);
}

bool primary_button(const char* text, const ImVec2& size) {
  ImGui::PushStyleColor(ImGuiCol_Button, palette().primary);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, palette().primary_hovered);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, palette().primary);
  ImGui::PushStyleColor(ImGuiCol_Text, palette().on_primary);
  const bool pressed = ImGui::Button(text, size);
  ImGui::PopStyleColor(4);
  return pressed;
}

std::string printf_text(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 2)) text.insert(at, 1, '%');
  return text;
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void complain(const std::string& error) {
  if (error.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
  ImGui::TextWrapped("%s", error.c_str());
  ImGui::PopStyleColor();
}

void tip(const std::string& text, bool at_once) {
  constexpr float kRest = 0.4f;  // seconds
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || ImGui::IsAnyMouseDown()) return;
  if (!at_once && GImGui->HoveredIdTimer < kRest && GImGui->HoveredIdDisabled == false) return;
  // Below the item or, in the lower part of the window, above it; it grows towards the middle.
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), size = ImGui::GetMainViewport()->Size;
  const bool above = high.y > 0.75f * size.y, left = low.x > 0.5f * size.x;
  constexpr float kGap = 4;
  ImGui::SetNextWindowPos({left ? high.x : low.x, above ? low.y - kGap : high.y + kGap}, ImGuiCond_Always,
                          {left ? 1.0f : 0.0f, above ? 1.0f : 0.0f});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(24 * ImGui::GetFontSize());
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::string elided(const std::string& text, float most) {
  if (ImGui::CalcTextSize(text.c_str()).x <= most) return text;
  const auto inside_character = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
  };
  for (std::size_t kept = text.size(); kept > 2; --kept) {
    // Of the end a little more: it has the number and the kind of the file.
    std::size_t head = (kept - 1) / 2, tail = text.size() - (kept - head);
    while (head > 0 && inside_character(head)) --head;
    while (inside_character(tail)) ++tail;
    std::string shorter = text.substr(0, head) + "..." + text.substr(tail);
    if (ImGui::CalcTextSize(shorter.c_str()).x <= most) return shorter;
  }
  return "...";
}

bool whole_number(Context& context, const char* text, const char* name, std::int64_t& value, std::int64_t low,
                  std::int64_t high, const char* format) {
  label(text);
  ImGui::PushID(name);
  const bool changed = slider_of("##whole", ImGuiDataType_S64, &value, &low, &high, format, 0);
  ImGui::PopID();
  context.widgets.item(name);
  return changed;
}

bool number(Context& context, const char* text, const char* name, double& value, double low, double high,
            const char* format, ImGuiSliderFlags flags) {
  label(text);
  ImGui::PushID(name);
  const bool changed = slider("##number", value, low, high, format, flags);
  ImGui::PopID();
  context.widgets.item(name);
  return changed;
}

bool text_value(Context& context, TextField& field, const char* text, const char* name, std::int64_t document,
                const std::string& now, const char* hint, const std::function<void(const std::string&)>& set) {
  if (field.document != document || field.of != now) field = {document, now, now, ""};
  label(text);
  ImGui::PushID(name);
  ImGui::InputTextWithHint("##text", hint, &field.text);
  ImGui::PopID();
  context.widgets.item(name);
  bool changed = false;
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    field.error.clear();
    try {
      set(field.text);
      changed = true;
    } catch (const InputError& error) {
      field.error = error.what();
    }
  }
  if (!field.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().bad);
    ImGui::TextWrapped("%s", field.error.c_str());
    ImGui::PopStyleColor();
  }
  return changed;
}

bool choice_of(Context& context, const char* text, const char* name, int& chosen, const char* const* words, int count) {
  label(text);
  bool changed = false;
  const bool open = ImGui::BeginCombo(fmt::format("##{}", name).c_str(), chosen < 0 ? "" : words[chosen]);
  context.widgets.item(name);
  if (!open) return false;
  for (int i = 0; i < count; ++i) {
    if (ImGui::Selectable(words[i], i == chosen)) {
      changed = i != chosen;
      chosen = i;
    }
    context.widgets.item(fmt::format("{}.{}", name, words[i]));
  }
  ImGui::EndCombo();
  return changed;
}

}  // namespace reber::gui
