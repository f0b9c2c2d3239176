// SPDX-License-Identifier: BSD-3-Clause
// The records of a batch on the disk: files that grow by whole lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/files/io/file_in_place.hpp"
#include "core/run/batch/record.hpp"

namespace reber {

/// FOLDER/batch.jsonl, to append to. Several processes may append to one file, each line under a lock; none takes it
/// away.
class RecordFile {
 public:
  /// Made by the first record, if it is not there.   throws DataError where it is there and cannot be written
  explicit RecordFile(std::string path);

  /// One write, then the disk is waited for, but for records that others follow at once. A line that a killed process
  /// left half-written is ended, and ignored by readers. Not for several threads at once.   throws DataError, Cancelled
  void append(const ImageRecord& record, bool others_follow = false);

 private:
  std::string path_;
  std::optional<FileInPlace> file_;
};

/// What is appended to the records of a folder from now on, by whichever process.
class RecordTail {
 public:
  /// own: the file that this process appends to, which need not be there yet; of the folder's others, those that are
  ///   throws DataError where the folder cannot be read
  RecordTail(const std::string& folder, const std::string& own);
  /// Whole lines since the last call that are records.   throws DataError
  [[nodiscard]] std::vector<ImageRecord> news();

 private:
  std::map<std::string, std::int64_t> read_to_;  ///< bytes of each file
};

/// What the records of a folder say.
struct FolderRecords {
  std::vector<ImageRecord> images;  ///< the latest of each image, by list (as first met) and place in it
  std::vector<std::string> files;   ///< that were read
  std::size_t unreadable = 0;       ///< lines that are no records
  std::int64_t missing = 0;         ///< images of the latest list that have no line of it
};

/// Reads batch.jsonl and batch.RANK.jsonl of a folder.   throws DataError where one cannot be read
[[nodiscard]] FolderRecords read_records(const std::string& folder);

}  // namespace reber
