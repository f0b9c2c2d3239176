// SPDX-License-Identifier: BSD-3-Clause
// What hands did between two frames, given out over as many frames as the interface needs to see all of it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>

namespace reber::gui {

struct InputEvent {
  enum class Kind { move, button, wheel, key, text } kind = Kind::move;
  int code = 0;           ///< of the button, the key (GLFW's) or the character
  bool down = false;      ///< of a button or a key
  bool repeat = false;    ///< the key is held
  bool editing = false;   ///< a key that makes no character: an arrow, Backspace, any with Ctrl or Alt
  bool modifier = false;  ///< Ctrl, Shift or Alt itself
  int mods = 0, scancode = 0;
  double x = 0, y = 0;  ///< place of the pointer, or steps of the wheel
};

/// A frame sees the state of each key and button once, and a text field takes characters before keys: a tap shorter
/// than a frame, or Backspace and then a letter, must not fall into one. Events keep their order.
class InputQueue {
 public:
  void push(const InputEvent& event);
  /// A new frame: events that came since the last one are a batch of their own.
  void begin_frame();
  /// The next event of this frame; empty where the rest belongs to later ones.
  [[nodiscard]] std::optional<InputEvent> next();
  /// The key given out last did something: the character that it makes is dropped.
  void swallow_text() { swallow_ = true; }
  /// Nothing is given out in this frame and those before `frames` more have begun.
  void hold(int frames) { hold_ = frames; }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    InputEvent event;
    std::uint64_t batch;
  };
  [[nodiscard]] bool fits(const InputEvent& event) const;

  std::deque<Waiting> waiting_;
  std::uint64_t batch_ = 0, last_key_batch_ = 0;
  bool swallow_ = false;
  int hold_ = 0;
  // Given out in this frame.
  bool moved_ = false, button_ = false, wheeled_ = false, text_ = false, edited_ = false;
  std::set<int> changed_;  ///< keys
};

}  // namespace reber::gui
