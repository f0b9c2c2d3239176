// SPDX-License-Identifier: BSD-3-Clause
// Input given out frame by frame.
#include "gui/model/input_queue.hpp"

namespace reber::gui {

void InputQueue::push(const InputEvent& event) {
  // Of a moving pointer the last place counts.
  if (event.kind == InputEvent::Kind::move && !waiting_.empty() &&
      waiting_.back().event.kind == InputEvent::Kind::move) {
    waiting_.back().event = event;
    return;
  }
  waiting_.push_back({event, batch_});
}

void InputQueue::begin_frame() {
  ++batch_;
  if (hold_ > 0) --hold_;
  moved_ = button_ = wheeled_ = text_ = edited_ = false;
  changed_.clear();
}

bool InputQueue::fits(const InputEvent& event) const {
  using Kind = InputEvent::Kind;
  switch (event.kind) {
    case Kind::move:
      return !button_ && !wheeled_;
    case Kind::button:
      return !button_ && !wheeled_ && !edited_;
    case Kind::wheel:
      return !button_;
    case Kind::text:
      return !edited_ && !button_;
    case Kind::key:
      break;
  }
  if (event.repeat) return true;  // the interface counts repeats by the time that a key is held
  if (event.modifier) return !edited_ && !text_ && !button_ && !wheeled_;
  if (event.editing) return !edited_ && !changed_.contains(event.code) && (!event.down || !button_);
  return !event.down || !edited_;
}

std::optional<InputEvent> InputQueue::next() {
  using Kind = InputEvent::Kind;
  if (hold_ > 0) return std::nullopt;
  while (!waiting_.empty()) {
    const auto [event, batch] = waiting_.front();
    if (event.kind == Kind::text && swallow_ && batch == last_key_batch_) {
      waiting_.pop_front();
      continue;
    }
    if (!fits(event)) return std::nullopt;
    waiting_.pop_front();
    moved_ = moved_ || event.kind == Kind::move;
    button_ = button_ || event.kind == Kind::button;
    wheeled_ = wheeled_ || event.kind == Kind::wheel;
    text_ = text_ || event.kind == Kind::text;
    if (event.kind == Kind::key && event.editing) changed_.insert(event.code);
    if (event.kind == Kind::key && event.down) {
      swallow_ = false;
      last_key_batch_ = batch;
      edited_ = edited_ || (event.editing && !event.modifier && !event.repeat);
    }
    return event;
  }
  return std::nullopt;
}

}  // namespace reber::gui
