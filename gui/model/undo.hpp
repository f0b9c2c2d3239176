// SPDX-License-Identifier: BSD-3-Clause
// Undo and redo of a whole state, small steps of one gesture taken together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace reber::gui {

/// History of values of State (copyable, comparable by ==). The state of a viewer that can be undone (parameters,
/// regions, flags) is some kilobytes, so whole copies are kept.
template <class State>
class UndoHistory {
 public:
  /// Changes by the same gesture ("seed", "region 3") within this time are one step.
  static constexpr double kCoalesceSeconds = 1.0;

  explicit UndoHistory(State first = {}, std::size_t most = 200) : states_{{std::move(first), {}}}, most_(most) {}

  /// Call after every change with what was done. seconds: a clock that only goes forward. True where a step begins.
  bool record(const State& now, const std::string& gesture, double seconds) {
    if (now == states_[at_].state) return false;
    const bool latest = at_ + 1 == states_.size();
    const bool same =
        latest && at_ > 0 && gesture == states_[at_].gesture && open_ && seconds - changed_seconds_ <= kCoalesceSeconds;
    changed_seconds_ = seconds;
    open_ = true;
    if (same) {
      states_[at_].state = now;
      return false;
    }
    states_.resize(at_ + 1);
    states_.push_back({now, gesture});
    ++at_;
    if (states_.size() > most_ + 1) {
      states_.erase(states_.begin());
      --at_;
    }
    return true;
  }

  /// The present state became another one by itself: that is no step.
  void amend(const State& now) { states_[at_].state = now; }

  [[nodiscard]] bool can_undo() const { return at_ > 0; }
  [[nodiscard]] bool can_redo() const { return at_ + 1 < states_.size(); }
  /// What undo() and redo() would take back or do again; empty where they cannot.
  [[nodiscard]] std::string undo_name() const { return can_undo() ? states_[at_].gesture : std::string(); }
  [[nodiscard]] std::string redo_name() const { return can_redo() ? states_[at_ + 1].gesture : std::string(); }

  /// The state to go to; the present one where there is nothing to undo or redo.
  const State& undo() {
    open_ = false;
    if (can_undo()) --at_;
    return states_[at_].state;
  }
  const State& redo() {
    open_ = false;
    if (can_redo()) ++at_;
    return states_[at_].state;
  }
  [[nodiscard]] const State& now() const { return states_[at_].state; }

 private:
  struct Entry {
    State state;
    std::string gesture;  ///< that led to it
  };
  std::vector<Entry> states_;
  std::size_t at_ = 0, most_;
  double changed_seconds_ = 0;
  bool open_ = false;
};

}  // namespace reber::gui
