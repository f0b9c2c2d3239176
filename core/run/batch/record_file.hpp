// SPDX-License-Identifier: BSD-3-Clause
// The records of a batch on the disk: files that grow by whole lines.
#pragma once

#include <string>
#include <vector>

#include "core/run/batch/record.hpp"

namespace reber {

/// FOLDER/batch.jsonl, opened to append. Several processes of one machine may append to one file.
class RecordFile {
 public:
  /// Made if it is not there. A line that a killed process left half-written is ended, and ignored by readers.
  ///   throws DataError
  explicit RecordFile(std::string path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// One write, then the disk is waited for, but for records that others follow at once. Not for several threads at
  /// once.   throws DataError
  void append(const ImageRecord& record, bool others_follow = false);

 private:
  std::string path_;
  int descriptor_ = -1;
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
