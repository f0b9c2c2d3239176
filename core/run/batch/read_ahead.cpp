// SPDX-License-Identifier: BSD-3-Clause
// posix_fadvise on what comes next.
#include "core/run/batch/read_ahead.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace reber {
namespace {

constexpr std::size_t kFiles = 4;
constexpr off_t kBytes = off_t{512} << 20;

}  // namespace

std::int64_t read_ahead(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return 0;
  struct stat found {};
  off_t bytes = 0;
  if (::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) {
    bytes = std::min(found.st_size, kBytes);
    ::posix_fadvise(descriptor, 0, bytes, POSIX_FADV_WILLNEED);
  }
  ::close(descriptor);
  return bytes;
}

ReadAhead::ReadAhead(std::function<std::string(std::size_t)> path_of, std::size_t count)
    : path_of_(std::move(path_of)), count_(count) {}

void ReadAhead::begin_image() {
  const std::lock_guard lock(mutex_);
  asked_ = std::max(asked_, ++begun_);
  off_t bytes = 0;
  while (asked_ < std::min(count_, begun_ + kFiles) && bytes < kBytes) bytes += read_ahead(path_of_(asked_++));
}

}  // namespace reber
