// SPDX-License-Identifier: BSD-3-Clause
// Files by device, inode and time of birth: one file has many names, and a number is given again once a file is gone.
#include "core/files/io/kept_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

namespace reber {
namespace {

/// Device, inode, and seconds and nanoseconds of birth, 0 where the file system does not know it.
using Identity = std::array<std::uint64_t, 5>;

struct Kept {
  std::mutex mutex;
  std::set<Identity> files;
};

/// Of a regular file.
std::optional<Identity> identity_of(const std::string& path) {
  struct statx found {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &found) != 0 || !S_ISREG(found.stx_mode))
    return std::nullopt;
  const bool born = (found.stx_mask & STATX_BTIME) != 0;
  return Identity{found.stx_dev_major, found.stx_dev_minor, found.stx_ino,
                  born ? static_cast<std::uint64_t>(found.stx_btime.tv_sec) : 0,
                  born ? found.stx_btime.tv_nsec : std::uint64_t{0}};
}

Kept& kept() {
  static Kept kept;
  return kept;
}

}  // namespace

void keep_file(const std::string& path) {
  const auto identity = identity_of(path);
  if (!identity) return;
  const std::lock_guard lock(kept().mutex);
  kept().files.insert(*identity);
}

bool is_kept(const std::string& path) {
  const auto identity = identity_of(path);
  if (!identity) return false;
  const std::lock_guard lock(kept().mutex);
  return kept().files.contains(*identity);
}

}  // namespace reber
