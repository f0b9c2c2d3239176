// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel: choices, numbers, texts that are read when they are done, headings of stages.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "gui/ui/fields.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Heading of a stage: its switch (a plain title where `on` is null), and the time it took at the right. True where the
/// switch was used.
bool stage_heading(Context& context, const Document& document, const char* title, const char* stage, bool* on);

/// A line that folds what follows away; true while it is open. Scripts call it `name`.
bool more(Context& context, const char* name);

/// A whole number by a slider.
bool whole_number(Context& context, const char* text, const char* name, std::int64_t& value, std::int64_t low,
                  std::int64_t high, const char* format);

/// A number by a slider.
bool number(Context& context, const char* text, const char* name, double& value, double low, double high,
            const char* format, ImGuiSliderFlags flags = 0);

/// A text that stands for a value of the request: shows `now` (of another document, or after undo, anew), and calls
/// `set` when the user is done with it; the words of an InputError stand below it until the text is right.
bool text_value(Context& context, const char* text, const char* name, std::int64_t document, const std::string& now,
                const char* hint, const std::function<void(const std::string&)>& set);

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
