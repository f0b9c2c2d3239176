// SPDX-License-Identifier: BSD-3-Clause
// What is kept of each image of a batch: one line of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {

/// A file as the disk has it.
struct FileState {
  std::int64_t bytes = -1;  ///< -1: there is no such file
  std::int64_t mtime_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};
[[nodiscard]] FileState state_of(const std::string& path);

/// One image of a batch, ended in whichever way.
struct ImageRecord {
  std::string input;                                          ///< as it was given
  std::string path;                                           ///< the same, absolute
  std::int64_t plane = -1;                                    ///< of a cube; -1: the file is one image
  FileState state;                                            ///< of the input, before it was read
  std::string options;                                        ///< hash of the options in force
  std::string list;                                           ///< hash of the batch's whole list of inputs
  std::int64_t index = 0;                                     ///< place in that list, from 0
  std::int64_t count = 0;                                     ///< images in that list
  std::vector<std::pair<std::string, std::int64_t>> outputs;  ///< names in the batch's folder, bytes
  std::int64_t sources = 0;
  int exit_code = 0;
  std::string message;  ///< why it failed
  std::string skipped;  ///< why there was nothing to search, of a plane that is done without results
  double seconds = 0;
  std::vector<std::pair<std::string, double>> stages;  ///< seconds of each
  std::string backend, device, version;
  std::string ended;  ///< UTC, "2026-03-01T12:00:00.123Z"

  /// There are results: exit code 0, or 1 where they broke a bound of --verify.
  [[nodiscard]] bool done() const { return exit_code == 0 || exit_code == 1; }
  /// What tells an image from others: its path, and the plane where it is one.
  [[nodiscard]] std::string key() const { return key_of(path, plane); }
  [[nodiscard]] static std::string key_of(const std::string& path, std::int64_t plane) {
    return plane < 0 ? path : path + '\n' + std::to_string(plane);
  }
};

/// Without the line's end.
[[nodiscard]] std::string to_line(const ImageRecord& record);
/// Nothing where the line is no record: half-written, or of something else.
[[nodiscard]] std::optional<ImageRecord> record_of(std::string_view line);

/// FNV-1a, 16 hexadecimal digits.   throws Cancelled
[[nodiscard]] std::string hash_of(const std::vector<std::string>& lines, const Progress& progress = {});
/// This moment for ImageRecord::ended.
[[nodiscard]] std::string now_utc();

/// Whether the image is done as asked: the record has results of these options, the input is as it was, and every
/// output is in the folder with its bytes.
[[nodiscard]] bool still_true(const ImageRecord& record, const std::string& folder, const std::string& options);

}  // namespace reber
