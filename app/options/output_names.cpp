// SPDX-License-Identifier: BSD-3-Clause
// Stems, clashes and folders of results.
#include "app/options/output_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <string_view>

#include "core/base/error.hpp"

namespace reber::app {

namespace fs = std::filesystem;

std::string stem_of(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (const char* ending : {".gz", ".fz", ".fits", ".fit", ".fts"}) {
    if (name.ends_with(ending) && name.size() > std::string(ending).size()) {
      name.resize(name.size() - std::string(ending).size());
    }
  }
  return name;
}

std::string name_of_kernel(const std::string& text) {
  constexpr std::string_view kFile = "file:";
  std::string name = text.starts_with(kFile) ? "file_" + stem_of(text.substr(kFile.size())) : text;
  for (char& letter : name) {
    const bool kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '-';
    if (!kept) letter = '_';
  }
  return name;
}

void check_distinct_names(const std::vector<std::string>& files) {
  std::map<std::string, std::string> seen;
  for (const std::string& path : files) {
    const auto [other, is_new] = seen.emplace(stem_of(path), path);
    if (!is_new) {
      throw InputError(fmt::format("{} and {} would both be written as {}.*; run them into different folders",
                                   other->second, path, other->first));
    }
  }
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw DataError(
        fmt::format("cannot make the folder {}: {}", folder, error ? error.message() : "a file of that name exists"));
  }
}

}  // namespace reber::app
