// SPDX-License-Identifier: BSD-3-Clause
// Recovery copies of viewers: each process has its own, and those of processes that are gone are found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/files/io/file_in_place.hpp"
#include "gui/model/workspace.hpp"

namespace reber::gui {

/// A file that this process holds: the lock goes with the object, and with the process however it ends.
class FileLock {
 public:
  /// Null where another process holds it, or it cannot be made.
  [[nodiscard]] static std::unique_ptr<FileLock> take(const std::string& path);

 private:
  explicit FileLock(FileInPlace file) : file_(std::move(file)) {}
  FileInPlace file_;
};

/// What a viewer left that ended without being closed.
struct LeftSession {
  std::string stem;  ///< of its copies
  Workspace session;
  std::string saved;               ///< when, as local time
  bool forgotten = false;          ///< brought back, or not wanted: its copies go at an orderly end
  std::unique_ptr<FileLock> lock;  ///< held, so that another viewer does not offer it too
};

/// The copies of this process: FOLDER/session-PID.1 ..., beside FOLDER/session-PID.lock.
class Recovery {
 public:
  /// Makes the folder. An empty one keeps nothing.
  explicit Recovery(const std::string& folder, double every_seconds = 30);

  [[nodiscard]] Autosave& autosave() { return autosave_; }
  /// Of processes that are gone, the newest first. Damaged copies are left where they are and named in `problems`.
  [[nodiscard]] std::vector<LeftSession> left(std::vector<std::string>& problems) const;
  /// An orderly end: this process' copies go, and those that were forgotten.
  void end(const std::vector<LeftSession>& left);
  /// The copies stay, to be found by the next viewer; those that were forgotten go.
  void leave(const std::vector<LeftSession>& left);

 private:
  std::string folder_, stem_;
  std::unique_ptr<FileLock> lock_;
  Autosave autosave_;
};

/// Of `left`, the newest that a process of this number left: what this process was before it began anew; null where
/// there is none.
[[nodiscard]] LeftSession* own_session(std::vector<LeftSession>& left);

/// $XDG_STATE_HOME/reber, else ~/.local/state/reber; empty where neither variable is set. A relative XDG_STATE_HOME is
/// ignored (XDG base directory specification 0.8).
[[nodiscard]] std::string default_recovery_folder();

}  // namespace reber::gui
