// SPDX-License-Identifier: BSD-3-Clause
// A file that appears under its name only when it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/progress.hpp"

namespace reber {

class CommitGroup;

/// How an output file comes to be.
struct FileOptions {
  FileOptions(bool overwrite_ = false, CommitGroup* group_ = nullptr)  // NOLINT: overwrite is all that most callers say
      : overwrite(overwrite_), group(group_) {}
  bool overwrite;
  CommitGroup* group;  ///< commits the file with others, unless it is durable by itself; null: commit() does
};

/// Writes to a fresh temporary beside the target and renames it there in commit(); without commit() nothing is left.
/// What a killed process of this machine left in the folder is removed on the way.
class AtomicFile {
 public:
  /// never_replace: paths of inputs; a target that is the same file (by device and inode), or one that is kept
  /// (core/files/io/kept_files.hpp), is refused.
  ///   throws InputError where the target exists and overwrite is false, or is a folder; DataError with strerror text
  ///   where the temporary cannot be made
  AtomicFile(std::string path, const FileOptions& options, const std::string& never_replace = {});
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t count);  ///< at the end
  void write(std::string_view text) { write(text.data(), text.size()); }
  void write_at(std::int64_t offset, const void* bytes, std::size_t count);  ///< safe from several threads
  /// Takes room on the disk for that many bytes, so that a full disk is known before the work.   throws DataError
  void reserve(std::int64_t bytes);
  /// Lets the disk begin with bytes that were written: commit() then has less to wait for. Safe from several threads.
  void send(std::int64_t offset, std::int64_t count);
  [[nodiscard]] const std::string& temporary_path() const;  ///< for libraries that open by name

  /// fsync, check of the size where expected_bytes >= 0, rename, fsync of the folder. Where the options name a group,
  /// the file goes there instead, and the group's commit() does this.   throws DataError
  void commit(std::int64_t expected_bytes = -1);

  /// The parts of commit(), for a group. synced: fsync, in pieces that let the work be stopped.
  ///   throws DataError; Cancelled
  void finish(std::int64_t expected_bytes, bool synced, const Progress& progress);
  /// Gives the file its name and returns its folder.   throws InputError, DataError
  std::string appear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Names that a folder got or lost reach the disk. Never fails.
void sync_folder(const std::string& folder);

/// Removes temporaries that are open; for a signal handler (async-signal-safe).
void unlink_open_temporaries() noexcept;

}  // namespace reber
