// SPDX-License-Identifier: BSD-3-Clause
// Tells whether a file is still the one that a session spoke of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace reber::gui {

/// hash: FNV-1a (64 bits) of the size and of the bytes. Above 16 MiB the bytes are those of 256 evenly spaced pieces of
/// 64 KiB, the first and the last among them: an image of any size costs some ten milliseconds.
struct FileIdentity {
  std::string path;  ///< absolute
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970
  std::string hash;           ///< 16 hexadecimal digits

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// throws DataError where the file cannot be read
[[nodiscard]] FileIdentity identify(const std::string& path);

enum class FileState { same, changed, missing };
/// Same size and time: taken for the same; same size and other time: the bytes decide.
[[nodiscard]] FileState compare_with_disk(const FileIdentity& known);

/// Identities of files, each hash computed once per size and time.
class KnownFiles {
 public:
  /// The path alone where the file cannot be read.
  [[nodiscard]] FileIdentity identity(const std::string& path);

 private:
  struct Known {
    FileIdentity identity;
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time;
  };
  std::map<std::string, Known> known_;
};

}  // namespace reber::gui
