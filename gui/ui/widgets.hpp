// SPDX-License-Identifier: BSD-3-Clause
// Names of what can be clicked, for scripts that drive the window.
#pragma once

#include <map>
#include <set>
#include <string>

#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// Rectangles of the widgets drawn in the last frame, by name. Names are "panel.widget", rows of lists
/// "panel.widget.3".
class Widgets {
 public:
  /// Registers the ImGui item drawn last. Call it behind each button, slider, field and table row that a user can use.
  void item(const std::string& name);
  void area(const std::string& name, const ScreenRect& rect) { drawn_[name] = rect; }
  void begin_frame() {
    last_.swap(drawn_);
    drawn_.clear();
  }
  /// A key that belongs to an open window ("palette.accept"): the shell leaves it, the window takes it once.
  void request(const std::string& name) { requests_.insert(name); }
  [[nodiscard]] bool take_request(const std::string& name) { return requests_.erase(name) > 0; }
  /// Of the last whole frame; null where there was no such widget.
  [[nodiscard]] const ScreenRect* find(const std::string& name) const {
    const auto found = last_.find(name);
    return found == last_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::map<std::string, ScreenRect>& all() const { return last_; }

 private:
  std::map<std::string, ScreenRect> drawn_, last_;
  std::set<std::string> requests_;
};

}  // namespace reber::gui
