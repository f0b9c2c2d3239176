// SPDX-License-Identifier: BSD-3-Clause
// Where a file is written that nobody has named yet.
#include "gui/model/proposed_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace reber::gui {

std::string proposed_path(const std::string& image, const std::string& ending) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::current_path(error);
  const char* const home = std::getenv("HOME");
  // What a desktop starts has the root as its folder.
  if (home != nullptr && (error || folder == folder.root_path() || access(folder.c_str(), W_OK) != 0)) folder = home;
  return (folder / (fs::path(image).stem().string() + ending)).string();
}

}  // namespace reber::gui
