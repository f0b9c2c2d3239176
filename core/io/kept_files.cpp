// SPDX-License-Identifier: BSD-3-Clause
// Files by device and inode, since one file has many names.
#include "core/io/kept_files.hpp"

#include <sys/stat.h>

#include <mutex>
#include <set>
#include <utility>

namespace reber {
namespace {

struct Kept {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;
};

Kept& kept() {
  static Kept kept;
  return kept;
}

}  // namespace

void keep_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return;
  const std::lock_guard lock(kept().mutex);
  kept().files.emplace(found.st_dev, found.st_ino);
}

bool is_kept(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return false;
  const std::lock_guard lock(kept().mutex);
  return kept().files.contains({found.st_dev, found.st_ino});
}

}  // namespace reber
