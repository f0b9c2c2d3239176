// SPDX-License-Identifier: BSD-3-Clause
// Stems, clashes and folders of results.
#include "app/options/output_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
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

namespace {

/// What one image's name may have more than another's where a file of each has the same name, with that file's ending:
/// x_extended.fits and x.fits by "_extended", "_extended.fits".
std::map<std::string, std::string> clashing_tails(const std::vector<std::string>& endings) {
  std::map<std::string, std::string> tails;
  for (const std::string& longer : endings)
    for (const std::string& ending : endings)
      if (longer.size() > ending.size() && longer.ends_with(ending))
        tails.emplace(longer.substr(0, longer.size() - ending.size()), longer);
  return tails;
}

[[noreturn]] void refuse(const BatchImage& one, const BatchImage& other, const std::string& file) {
  throw InputError(fmt::format("{} and {} would both be written as {}; run them into different folders",
                               printable(one.name()), printable(other.name()), printable(file)));
}

}  // namespace

void check_distinct_names(const std::vector<BatchImage>& images, const std::vector<std::string>& endings,
                          const Progress& progress) {
  std::unordered_map<std::string, const BatchImage*> by_stem;
  for (const BatchImage& image : images) {
    progress.check();
    const auto [known, is_new] = by_stem.emplace(stem_of(image), &image);
    if (!is_new) refuse(*known->second, image, known->first + endings.front());
  }
  const std::map<std::string, std::string> tails = clashing_tails(endings);
  for (const BatchImage& image : images) {
    progress.check();
    const std::string stem = stem_of(image);
    for (const auto& [tail, ending] : tails) {
      if (!stem.ends_with(tail)) continue;
      const auto shorter = by_stem.find(stem.substr(0, stem.size() - tail.size()));
      if (shorter != by_stem.end()) refuse(*shorter->second, image, shorter->first + ending);
    }
  }
}

void check_distinct_names(const std::vector<std::string>& files) {
  std::vector<BatchImage> images;
  for (const std::string& path : files) images.push_back({path});
  check_distinct_names(images, {".*"}, {});
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
