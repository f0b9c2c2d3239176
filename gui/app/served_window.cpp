// SPDX-License-Identifier: BSD-3-Clause
// The window for browsers.
#include "gui/app/served_window.hpp"

#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace reber::gui {
namespace {

struct KeyPair {
  int glfw;
  ImGuiKey imgui;
};
/// Keys that ImGui itself acts upon, in text fields.
constexpr std::array kKeys{
    KeyPair{GLFW_KEY_TAB, ImGuiKey_Tab},
    KeyPair{GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
    KeyPair{GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
    KeyPair{GLFW_KEY_UP, ImGuiKey_UpArrow},
    KeyPair{GLFW_KEY_DOWN, ImGuiKey_DownArrow},
    KeyPair{GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
    KeyPair{GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
    KeyPair{GLFW_KEY_HOME, ImGuiKey_Home},
    KeyPair{GLFW_KEY_END, ImGuiKey_End},
    KeyPair{GLFW_KEY_INSERT, ImGuiKey_Insert},
    KeyPair{GLFW_KEY_DELETE, ImGuiKey_Delete},
    KeyPair{GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
    KeyPair{GLFW_KEY_SPACE, ImGuiKey_Space},
    KeyPair{GLFW_KEY_ENTER, ImGuiKey_Enter},
    KeyPair{GLFW_KEY_ESCAPE, ImGuiKey_Escape},
    KeyPair{GLFW_KEY_A, ImGuiKey_A},
    KeyPair{GLFW_KEY_C, ImGuiKey_C},
    KeyPair{GLFW_KEY_V, ImGuiKey_V},
    KeyPair{GLFW_KEY_X, ImGuiKey_X},
    KeyPair{GLFW_KEY_Y, ImGuiKey_Y},
    KeyPair{GLFW_KEY_Z, ImGuiKey_Z},
};

/// CSS's word for the pointer that ImGui wants.
const char* cursor_word(ImGuiMouseCursor cursor) {
  switch (cursor) {
    case ImGuiMouseCursor_None:
      return "none";
    case ImGuiMouseCursor_TextInput:
      return "text";
    case ImGuiMouseCursor_ResizeAll:
      return "move";
    case ImGuiMouseCursor_ResizeNS:
      return "ns-resize";
    case ImGuiMouseCursor_ResizeEW:
      return "ew-resize";
    case ImGuiMouseCursor_ResizeNESW:
      return "nesw-resize";
    case ImGuiMouseCursor_ResizeNWSE:
      return "nwse-resize";
    case ImGuiMouseCursor_Hand:
      return "pointer";
    case ImGuiMouseCursor_NotAllowed:
      return "not-allowed";
    default:
      return "default";
  }
}

}  // namespace

ServedWindow::ServedWindow(const ServedOptions& options, double user_scale)
    : Window(options.scale, user_scale),
      frame_at_(Clock::now()),
      server_({options.port, options.hosts, options.folder, [this] { post(); }}) {
  set_screen_scale(1);
  begin_fonts({options.width, options.height});
  target_.resize(options.width, options.height);
  open_interface();
  connect_interface();
}

ServedWindow::~ServedWindow() {
  stop_wakes();
  close_interface();
}

void ServedWindow::connect_interface() {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendPlatformName = "browser";
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ClipboardUserData = this;
  io.SetClipboardTextFn = [](void* self, const char* text) { static_cast<ServedWindow*>(self)->set_clipboard(text); };
  io.GetClipboardTextFn = [](void* self) { return static_cast<ServedWindow*>(self)->clipboard_.c_str(); };
#if IMGUI_VERSION_NUM < 18700
  for (const KeyPair& key : kKeys) io.KeyMap[key.imgui] = key.glfw;
#endif
}

void ServedWindow::post() {
  {
    const std::lock_guard lock(mutex_);
    news_ = true;
  }
  change_.notify_one();
}

void ServedWindow::wait(double seconds) {
  const auto sleep_until = [this](Clock::time_point end, const auto& done) {
    std::unique_lock lock(mutex_);
    change_.wait_until(lock, end, [&] { return done(); });
    news_ = false;
  };
  if (seconds > 0) {
    const auto span = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    sleep_until(Clock::now() + span, [this] { return news_; });
  } else {
    // As a screen would: no more frames than are seen. A slow line makes them rare, but work that waits for frames
    // goes on.
    constexpr auto kFrame = std::chrono::milliseconds(16), kLongest = std::chrono::milliseconds(150);
    if (server_.watched() && server_.waits()) sleep_until(shown_at_ + kLongest, [this] { return !server_.waits(); });
    std::this_thread::sleep_until(shown_at_ + kFrame);
  }
  take_messages();
}

void ServedWindow::take_messages() {
  using Kind = BrowserMessage::Kind;
  for (const BrowserMessage& message : server_.take()) {
    note_activity();
    if (message.kind == Kind::input && message.event.kind == InputEvent::Kind::key)
      push_key(message.event);
    else if (message.kind == Kind::input)
      push(message.event, false);
    else if (message.kind == Kind::clipboard)
      clipboard_ = message.text;
    else if (message.kind == Kind::size)
      resize(message.width, message.height, message.scale);
    else if (message.kind == Kind::uploaded)
      feed_drop(message.text);
    else if (message.kind == Kind::released)
      let_go();
  }
}

void ServedWindow::resize(int width, int height, double scale) {
  set_screen_scale(scale);
  target_.resize(width, height);
}

void ServedWindow::let_go() {
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (keys_[key]) push_key({.code = static_cast<int>(key), .down = false});
  for (std::size_t i = 0; i < buttons_.size(); ++i)
    if (buttons_[i]) push({.kind = InputEvent::Kind::button, .code = static_cast<int>(i), .down = false}, false);
}

void ServedWindow::set_clipboard(const std::string& text) {
  clipboard_ = text;
  server_.copy(text);
}

void ServedWindow::give(const InputEvent& event) {
  using Kind = InputEvent::Kind;
  ImGuiIO& io = ImGui::GetIO();
  const auto at = static_cast<std::size_t>(event.code);
  if (event.kind == Kind::move) {
    mouse_x_ = event.x;
    mouse_y_ = event.y;
  } else if (event.kind == Kind::button && at < buttons_.size()) {
    buttons_.at(at) = event.down;
  } else if (event.kind == Kind::key && at < keys_.size()) {
    keys_.at(at) = event.down;
  } else if (event.kind == Kind::text) {
    io.AddInputCharacter(static_cast<unsigned>(event.code));
  }
  const auto either = [this](int left, int right) {
    return keys_.at(static_cast<std::size_t>(left)) || keys_.at(static_cast<std::size_t>(right));
  };
  const bool control = either(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  const bool shift = either(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  const bool alt = either(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
#if IMGUI_VERSION_NUM < 18700
  if (event.kind == Kind::wheel) {
    io.MouseWheelH += static_cast<float>(event.x);
    io.MouseWheel += static_cast<float>(event.y);
  }
  if (event.kind == Kind::key) std::ranges::copy(keys_, io.KeysDown);
  io.KeyCtrl = control;
  io.KeyShift = shift;
  io.KeyAlt = alt;
#else
  if (event.kind == Kind::move) io.AddMousePosEvent(static_cast<float>(event.x), static_cast<float>(event.y));
  if (event.kind == Kind::button) io.AddMouseButtonEvent(event.code, event.down);
  if (event.kind == Kind::wheel) io.AddMouseWheelEvent(static_cast<float>(event.x), static_cast<float>(event.y));
  if (event.kind == Kind::key) {
#if IMGUI_VERSION_NUM < 18900
    io.AddKeyEvent(ImGuiKey_ModCtrl, control);
    io.AddKeyEvent(ImGuiKey_ModShift, shift);
    io.AddKeyEvent(ImGuiKey_ModAlt, alt);
#else
    io.AddKeyEvent(ImGuiMod_Ctrl, control);
    io.AddKeyEvent(ImGuiMod_Shift, shift);
    io.AddKeyEvent(ImGuiMod_Alt, alt);
#endif
    const auto* const found = std::ranges::find(kKeys, event.code, &KeyPair::glfw);
    if (found != kKeys.end()) io.AddKeyEvent(found->imgui, event.down);
  }
#endif
}

void ServedWindow::begin_system_frame() {
  ImGuiIO& io = ImGui::GetIO();
  const auto now = Clock::now();
  io.DeltaTime = std::max(1e-4f, std::chrono::duration<float>(now - frame_at_).count());
  frame_at_ = now;
  io.DisplaySize = {static_cast<float>(target_.width()), static_cast<float>(target_.height())};
  io.DisplayFramebufferScale = {1, 1};
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = {static_cast<float>(mouse_x_), static_cast<float>(mouse_y_)};
  for (std::size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i];
#endif
}

void ServedWindow::show_frame() {
  shown_at_ = Clock::now();
  if (!server_.watched()) return;
  if (const char* word = cursor_word(ImGui::GetMouseCursor()); word != cursor_) server_.set_cursor(cursor_ = word);
  ServedPicture picture;
  const std::vector<unsigned char> bytes = read_pixels(picture.width, picture.height);
  picture.pixels.resize(bytes.size() / sizeof(Rgb));
  std::memcpy(picture.pixels.data(), bytes.data(), bytes.size());
  server_.show(std::move(picture));
}

}  // namespace reber::gui
