// SPDX-License-Identifier: BSD-3-Clause
// A file that is written under its own name: records that grow by lines, and locks. All others are AtomicFiles.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace reber {

/// Opened to read, and to write at its end. Never another file than the one of this name: no link is followed, and a
/// file that has a second name, or that is kept (core/files/io/kept_files.hpp), is not touched.
class FileInPlace {
 public:
  /// Made with `mode` if it is not there.   throws DataError
  explicit FileInPlace(std::string path, mode_t mode = 0666);
  ~FileInPlace();
  FileInPlace(FileInPlace&& other) noexcept;
  FileInPlace& operator=(FileInPlace&& other) noexcept;
  FileInPlace(const FileInPlace&) = delete;
  FileInPlace& operator=(const FileInPlace&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether the name still leads to this file.
  [[nodiscard]] bool has_its_name() const;
  /// throws DataError, Cancelled
  void append(std::string_view text);

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace reber
