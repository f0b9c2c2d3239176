// SPDX-License-Identifier: BSD-3-Clause
// Regular files that are read line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/files/io/byte_source.hpp"

namespace reber {

/// Lines of a file, which may be longer than memory; of a file that grows, as far as it went when it was opened.
class LineReader {
 public:
  /// throws as fits::open_plain
  explicit LineReader(const std::string& path);

  /// Without the line's end.   returns false at the end   throws DataError, also for a line of more than 64 MiB
  bool next(std::string& line);

 private:
  std::string path_;
  std::unique_ptr<fits::ByteSource> file_;
  std::int64_t at_ = 0;
  std::string piece_;
  std::size_t used_ = 0;
};

}  // namespace reber
