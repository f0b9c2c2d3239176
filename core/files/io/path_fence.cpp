// SPDX-License-Identifier: BSD-3-Clause
// Folders that a process keeps to.
#include "core/files/io/path_fence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

/// The process's own, as are its limits; written once, before threads start.
std::vector<fs::path>& fence() {
  static std::vector<fs::path> folders;
  return folders;
}

}  // namespace

void fence_paths(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !fs::is_directory(real, error)) throw InputError(fmt::format("{} is not a folder", printable(folder)));
    fence().push_back(real);
  }
}

bool within_fence(const std::string& path) {
  if (fence().empty()) return true;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  const fs::path real = error ? fs::path() : fs::weakly_canonical(whole, error);
  if (error) return false;
  return std::ranges::any_of(fence(), [&real](const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
  });
}

void check_fence(const std::string& path) {
  if (within_fence(path)) return;
  throw InputError(fmt::format("{} lies outside of the folders of this viewer; --folder names those", printable(path)));
}

}  // namespace reber
