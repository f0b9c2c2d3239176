// SPDX-License-Identifier: BSD-3-Clause
// Endings that say how an image is stored.
#include "core/files/io/file_stem.hpp"

#include <filesystem>
#include <string_view>

namespace reber {

std::string stem_of(const std::string& path) {
  const std::filesystem::path given(path);
  std::string name = (given.has_filename() ? given : given.parent_path()).filename().string();  // "m31.image/"
  for (const std::string_view ending : {".gz", ".fz", ".fits", ".fit", ".fts", ".image"})
    if (name.ends_with(ending) && name.size() > ending.size()) name.resize(name.size() - ending.size());
  return name;
}

}  // namespace reber
