// SPDX-License-Identifier: BSD-3-Clause
// Limits as Linux tells them.
#include "core/base/host_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace reber {
namespace {

/// What read(file) says; false where the file cannot be read. Memory that is not there is thrown: it is no answer.
template <class Read>
bool read_from(const char* path, Read read) {
  std::ifstream file;
  file.exceptions(std::ios::badbit);
  try {
    file.open(path);
    return read(file);
  } catch (const std::ios_base::failure&) {
    return false;
  }
}

}  // namespace

std::int64_t host_memory_bytes() {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = pages * page;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<std::int64_t>(limit.rlim_cur));
  // Version 2, then version 1; the word "max" is no number.
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t allowed = 0;
    if (read_from(path, [&](std::istream& file) { return bool(file >> allowed); }) && allowed > 0)
      bytes = std::min(bytes, allowed);
  }
  return bytes;
}

std::int64_t free_memory_bytes() {
  std::int64_t bytes = host_memory_bytes();
  std::string name, unit;
  std::int64_t kilobytes = 0;
  const bool known = read_from("/proc/meminfo", [&](std::istream& file) {
    while (file >> name >> kilobytes) {
      if (name == "MemAvailable:") return true;
      std::getline(file, unit);
    }
    return false;
  });
  return known ? std::min(bytes, kilobytes * 1024) : bytes;
}

}  // namespace reber
