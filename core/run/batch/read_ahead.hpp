// SPDX-License-Identifier: BSD-3-Clause
// Asks the system to read the next files of a batch before they are opened.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace reber {

/// Asks the system to read the beginning of a file, up to half a gigabyte, into memory. Never fails, and returns before
/// the bytes are there.   returns the bytes asked for
std::int64_t read_ahead(const std::string& path);

/// Files are asked for in order, at most four and 512 MiB ahead of the last one begun. Safe from several threads.
/// Never fails: it is a hint.
class ReadAhead {
 public:
  /// path_of(i): path of file i < count; called under a lock.
  ReadAhead(std::function<std::string(std::size_t)> path_of, std::size_t count);

  /// The next file is begun.
  void begin_image();

 private:
  std::function<std::string(std::size_t)> path_of_;
  std::size_t count_;
  std::mutex mutex_;
  std::size_t begun_ = 0, asked_ = 0;
};

}  // namespace reber
