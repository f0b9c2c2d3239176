// SPDX-License-Identifier: BSD-3-Clause
// What is kept: the session as a file, copies of it while the viewer runs, and the history of undo.
#pragma once

#include <string>

#include "gui/model/workbench.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// All that a session file holds of the state. Hashes of unchanged files are taken from those known before.
[[nodiscard]] Workspace capture(const Context& context);
/// Closes what is open and opens what the session names. Files that are gone or changed are told of in a notice.
void restore(Context& context, const Workspace& session);

/// Save and load with the messages a user needs; false where it failed (the state is then as before).
bool save_session_as(Context& context, const std::string& path);
bool open_session(Context& context, const std::string& path);

/// Once a frame: records what changed for undo, and offers the session to autosave.
void keep_frame(Context& context);
/// Writes the recovery copy now.
void keep_copy(Context& context);
void undo(Context& context);
void redo(Context& context);
/// What undo and redo would change, "detect.seed"; empty where there is nothing.
[[nodiscard]] std::string undo_title(const ViewerState& state);
[[nodiscard]] std::string redo_title(const ViewerState& state);

}  // namespace reber::gui
