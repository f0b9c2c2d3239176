// SPDX-License-Identifier: BSD-3-Clause
// Stems, clashes and folders of results.
#include "app/options/output_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber::app {

namespace fs = std::filesystem;

std::string stem_of(const BatchImage& image) {
  return image.is_plane() ? fmt::format("{}_p{:04}", stem_of(image.path), image.plane) : stem_of(image.path);
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

void check_distinct_names(const std::vector<BatchImage>& images, const std::vector<std::string>& endings) {
  std::unordered_map<std::string, const BatchImage*> seen;
  for (const BatchImage& image : images)
    for (const std::string& ending : endings) {
      const auto [other, is_new] = seen.emplace(stem_of(image) + ending, &image);
      if (!is_new)
        throw InputError(fmt::format("{} and {} would both be written as {}; run them into different folders",
                                     printable(other->second->name()), printable(image.name()),
                                     printable(other->first)));
    }
}

void check_distinct_names(const std::vector<std::string>& files) {
  std::vector<BatchImage> images;
  for (const std::string& path : files) images.push_back({path});
  check_distinct_names(images, {".*"});
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code unseen;
  if (!fs::is_directory(folder, unseen)) {
    throw DataError(
        fmt::format("cannot make the folder {}: {}", folder, error ? error.message() : "a file of that name exists"));
  }
}

}  // namespace reber::app
