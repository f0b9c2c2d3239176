// SPDX-License-Identifier: BSD-3-Clause
// What a browser says, from JSON.
#include "gui/model/browser_message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"

namespace reber::gui {
namespace {

using Json = nlohmann::json;
using Kind = BrowserMessage::Kind;

// Numbers of keys and modifiers are GLFW's, which the rest of the viewer speaks; models know no window.
constexpr int kShift = 1, kControl = 2, kAlt = 4;
constexpr int kFirstFunctionKey = 290, kFirstKeypadDigit = 320;

struct Named {
  std::string_view name;
  int key;
};
constexpr std::array kKeys{Named{"Space", 32},
                           Named{"Quote", 39},
                           Named{"Comma", 44},
                           Named{"Minus", 45},
                           Named{"Period", 46},
                           Named{"Slash", 47},
                           Named{"Semicolon", 59},
                           Named{"Equal", 61},
                           Named{"BracketLeft", 91},
                           Named{"Backslash", 92},
                           Named{"BracketRight", 93},
                           Named{"Backquote", 96},
                           Named{"Escape", 256},
                           Named{"Enter", 257},
                           Named{"Tab", 258},
                           Named{"Backspace", 259},
                           Named{"Insert", 260},
                           Named{"Delete", 261},
                           Named{"ArrowRight", 262},
                           Named{"ArrowLeft", 263},
                           Named{"ArrowDown", 264},
                           Named{"ArrowUp", 265},
                           Named{"PageUp", 266},
                           Named{"PageDown", 267},
                           Named{"Home", 268},
                           Named{"End", 269},
                           Named{"NumpadDecimal", 330},
                           Named{"NumpadDivide", 331},
                           Named{"NumpadMultiply", 332},
                           Named{"NumpadSubtract", 333},
                           Named{"NumpadAdd", 334},
                           Named{"NumpadEnter", 335},
                           Named{"ShiftLeft", 340},
                           Named{"ControlLeft", 341},
                           Named{"AltLeft", 342},
                           Named{"MetaLeft", 343},
                           Named{"ShiftRight", 344},
                           Named{"ControlRight", 345},
                           Named{"AltRight", 346},
                           Named{"MetaRight", 347}};

/// A finite number within bounds.
std::optional<double> number(const Json& message, const char* name, double least, double most) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_number()) return {};
  const double value = found->get<double>();
  if (!(value >= least && value <= most)) return {};
  return value;
}

std::optional<int> whole(const Json& message, const char* name, int least, int most) {
  const auto value = number(message, name, least, most);
  if (!value || *value != std::floor(*value)) return {};
  return static_cast<int>(*value);
}

bool flag(const Json& message, const char* name) {
  const auto found = message.find(name);
  return found != message.end() && found->is_boolean() && found->get<bool>();
}

std::string text(const Json& message, const char* name) {
  const auto found = message.find(name);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int modifiers(const Json& message) {
  return (flag(message, "shift") ? kShift : 0) | (flag(message, "ctrl") ? kControl : 0) |
         (flag(message, "alt") ? kAlt : 0);
}

constexpr double kFarthest = 1e5;  // pixels

std::optional<BrowserMessage> input(InputEvent event) {
  BrowserMessage made;
  made.event = event;
  return made;
}

std::optional<BrowserMessage> move(const Json& message) {
  const auto x = number(message, "x", -kFarthest, kFarthest), y = number(message, "y", -kFarthest, kFarthest);
  if (!x || !y) return {};
  return input({.kind = InputEvent::Kind::move, .x = *x, .y = *y});
}

std::optional<BrowserMessage> button(const Json& message) {
  const auto which = whole(message, "button", 0, 2);
  if (!which) return {};
  return input(
      {.kind = InputEvent::Kind::button, .code = *which, .down = flag(message, "down"), .mods = modifiers(message)});
}

std::optional<BrowserMessage> wheel(const Json& message) {
  constexpr double kMostSteps = 100;
  const auto x = number(message, "x", -kMostSteps, kMostSteps), y = number(message, "y", -kMostSteps, kMostSteps);
  if (!x || !y) return {};
  return input({.kind = InputEvent::Kind::wheel, .x = *x, .y = *y});
}

std::optional<BrowserMessage> key(const Json& message) {
  const int code = key_of_browser(text(message, "key"), text(message, "code"));
  if (code == 0) return {};
  return input({.kind = InputEvent::Kind::key,
                .code = code,
                .down = flag(message, "down"),
                .repeat = flag(message, "repeat"),
                .mods = modifiers(message)});
}

std::optional<BrowserMessage> character(const Json& message) {
  constexpr int kFirst = 32, kDelete = 127, kLast = 0x10ffff;
  const auto code = whole(message, "code", kFirst, kLast);
  if (!code || *code == kDelete) return {};
  return input({.kind = InputEvent::Kind::text, .code = *code});
}

std::optional<BrowserMessage> size(const Json& message) {
  constexpr int kLeast = 200, kMostWidth = 7680, kMostHeight = 4320;
  const auto width = whole(message, "width", 1, kMostWidth), height = whole(message, "height", 1, kMostHeight);
  const auto scale = number(message, "scale", 0.25, 8);
  if (!width || !height || !scale) return {};
  BrowserMessage made;
  made.kind = Kind::size;
  made.width = std::max(kLeast, *width);
  made.height = std::max(kLeast, *height);
  made.scale = *scale;
  return made;
}

std::optional<BrowserMessage> clipboard(const Json& message) {
  if (!message.contains("text")) return {};
  BrowserMessage made;
  made.kind = Kind::clipboard;
  made.text = text(message, "text");
  return made;
}

std::optional<BrowserMessage> drawn(const Json& message) {
  const auto frame = number(message, "frame", 0, 4294967295.0);
  if (!frame) return {};
  BrowserMessage made;
  made.kind = Kind::drawn;
  made.frame = static_cast<std::uint32_t>(*frame);
  return made;
}

template <Kind kKind>
std::optional<BrowserMessage> plain(const Json&) {
  BrowserMessage made;
  made.kind = kKind;
  return made;
}

struct Row {
  std::string_view name;
  std::optional<BrowserMessage> (*read)(const Json& message);
};
constexpr std::array kRows{Row{"move", move},
                           Row{"button", button},
                           Row{"wheel", wheel},
                           Row{"key", key},
                           Row{"text", character},
                           Row{"size", size},
                           Row{"clipboard", clipboard},
                           Row{"drawn", drawn},
                           Row{"released", plain<Kind::released>},
                           Row{"drive", plain<Kind::drive>},
                           Row{"hand over", plain<Kind::hand_over>},
                           Row{"keep", plain<Kind::keep>}};

}  // namespace

int key_of_browser(std::string_view key, std::string_view code) {
  if (key.size() == 1) {
    const char c = key.front();
    if (c >= 'a' && c <= 'z') return c - 'a' + 'A';
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9' && !code.starts_with("Numpad"))) return c;
  }
  if (code.starts_with("Key") && code.size() == 4) return code.back() >= 'A' && code.back() <= 'Z' ? code.back() : 0;
  const auto numbered = [code](std::string_view prefix, int most) {
    int value = -1;
    if (!code.starts_with(prefix)) return -1;
    const char *first = code.data() + prefix.size(), *last = code.data() + code.size();
    const auto [end, error] = std::from_chars(first, last, value);
    return error == std::errc() && end == last && value >= 0 && value <= most ? value : -1;
  };
  if (const int digit = numbered("Digit", 9); digit >= 0) return '0' + digit;
  if (const int digit = numbered("Numpad", 9); digit >= 0) return kFirstKeypadDigit + digit;
  if (const int function = numbered("F", 12); function > 0) return kFirstFunctionKey + function - 1;
  const auto* const found = std::ranges::find(kKeys, code, &Named::name);
  return found == kKeys.end() ? 0 : found->key;
}

std::optional<BrowserMessage> parse_browser_message(std::string_view json) {
  if (json.size() > kMostMessageBytes) return {};
  const Json message = parsed_json<Json>(json);
  if (!message.is_object()) return {};
  const std::string name = text(message, "t");
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? std::nullopt : row->read(message);
}

}  // namespace reber::gui
