// SPDX-License-Identifier: BSD-3-Clause
// Small pieces that the panels share: a label with its field to the right, sliders of doubles, tool tips.
#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// A button for what a dialog or panel is there for: in the accent's colour.
bool primary_button(const char* text, const ImVec2& size = {});

/// A label at the left; the next widget fills the rest of the line.
void label(const char* text);
/// A slider whose number stands in its field, and whose knob on a track below it. True while it changes.
bool slider_of(const char* id, ImGuiDataType type, void* value, const void* low, const void* high, const char* format,
               ImGuiSliderFlags flags);
/// The same of a double.
bool slider(const char* id, double& value, double low, double high, const char* format, ImGuiSliderFlags flags);
/// The text, its middle left out where it is broader than `most`: the ends of long names tell them apart.
[[nodiscard]] std::string elided(const std::string& text, float most);
/// A text for a format of printf.
[[nodiscard]] std::string printf_text(std::string text);
/// "1 source", "2 sources".
[[nodiscard]] std::string counted(std::int64_t count, const std::string& what);
/// What went wrong, in the colour of errors; nothing where it is empty.
void complain(const std::string& error);
/// Shown while the mouse rests on the item drawn last, or as soon as it is there, beside it: not while it is held, and
/// not over it.
void tip(const std::string& text, bool at_once = false);

/// A whole number by a slider.
bool whole_number(Context& context, const char* text, const char* name, std::int64_t& value, std::int64_t low,
                  std::int64_t high, const char* format);

/// A number by a slider.
bool number(Context& context, const char* text, const char* name, double& value, double low, double high,
            const char* format, ImGuiSliderFlags flags = 0);

/// What stands in a text field; it need not be a value yet.
struct TextField {
  std::int64_t document = -1;
  std::string of;  ///< the value that it was made of
  std::string text, error;
};

/// A text that stands for a value of the request: shows `now` (of another document, or after undo, anew), and calls
/// `set` when the user is done with it; the words of an InputError stand below it until the text is right.
bool text_value(Context& context, TextField& field, const char* text, const char* name, std::int64_t document,
                const std::string& now, const char* hint, const std::function<void(const std::string&)>& set);

bool choice_of(Context& context, const char* text, const char* name, int& chosen, const char* const* words, int count);

/// One of a few values, each with its word. Scripts call an entry "name.word".
template <typename Value, std::size_t Count>
bool choice(Context& context, const char* text, const char* name, Value& value,
            const std::array<std::pair<Value, const char*>, Count>& values) {
  std::array<const char*, Count> words;
  int chosen = -1;
  for (std::size_t i = 0; i < Count; ++i) {
    words[i] = values[i].second;
    if (values[i].first == value) chosen = static_cast<int>(i);
  }
  if (!choice_of(context, text, name, chosen, words.data(), static_cast<int>(Count))) return false;
  value = values[static_cast<std::size_t>(chosen)].first;
  return true;
}

}  // namespace reber::gui
