// SPDX-License-Identifier: BSD-3-Clause
// Panels and the table of them. A new one is one file under gui/panels and one row in gui/app/panel_table.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gui/ui/shell.hpp"

namespace reber::gui {

struct Workspace;

/// A part of the window with state of its own: its members. It is made with the window and goes before it.
class Panel {
 public:
  Panel() = default;
  virtual ~Panel() = default;
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;

  /// Fills the section, tab or window that the layout has begun. Called only while the panel is shown.
  virtual void draw(Context& context) = 0;
  /// Called in each frame, shown or not: takes what the panel's jobs brought.
  virtual void update(Context&) {}
  /// Work is under way that belongs to no document: a script's `settle` waits for it.
  [[nodiscard]] virtual bool busy() const { return false; }
  /// Puts what a workspace keeps of the panel into it.
  virtual void save(const Context&, Workspace&) const {}
  /// Takes it back; what cannot be had again is told in `problems`, one sentence each.
  virtual void load(Context&, const Workspace&, std::vector<std::string>& problems) { (void)problems; }
};

/// side: a section of the right column; bottom: a tab of the strip below the image; floating: a window of its own;
/// dialog: the same, with the focus, closed by Esc.
enum class Place { side, bottom, floating, dialog };

struct PanelRow {
  const char* name;   ///< "pipeline": of settings, scripts and the action "panel.pipeline"
  const char* title;  ///< "Pipeline"
  Place place;
  bool open_by_default;
  const char* key;  ///< that toggles it, as in Action::key; "" for none
  const char* tooltip;
  const char* help;  ///< some sentences behind the panel's "?"; never empty
  std::unique_ptr<Panel> (*make)();
  bool (*enabled)(const ViewerState& state);  ///< null: always; else it is not drawn while this is false
  /// Of a window when it first opens, in units of the interface's scale; no height: always that of its contents.
  float width = 560, height = 460;
};

/// In the order in which they stand in the column, the strip and the menu.
[[nodiscard]] std::span<const PanelRow> panel_rows();

/// The panels of one window, one per row.
class Panels {
 public:
  struct Entry {
    const PanelRow& row;
    std::unique_ptr<Panel> panel;
  };
  Panels();
  [[nodiscard]] const std::vector<Entry>& all() const { return all_; }

 private:
  std::vector<Entry> all_;
};

[[nodiscard]] bool is_open(const ViewerState& state, const PanelRow& panel);
void set_open(ViewerState& state, const std::string& name, bool open);

}  // namespace reber::gui
