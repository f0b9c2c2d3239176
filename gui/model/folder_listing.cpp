// SPDX-License-Identifier: BSD-3-Clause
// What a folder holds, for the open dialog.
#include "gui/model/folder_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "core/base/error.hpp"
#include "core/files/foreign/casa_image.hpp"
#include "core/files/io/path_fence.hpp"

namespace reber::gui {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_fits(std::string name) {
  name = lower(name);
  for (const char* packed : {".gz", ".fz", ".bz2"})
    if (name.ends_with(packed)) name.resize(name.size() - std::string(packed).size());
  return name.ends_with(".fits") || name.ends_with(".fit") || name.ends_with(".fts");
}

}  // namespace

bool names_session(const std::string& path) { return path.ends_with(".reber.json"); }

FolderListing list_folder(const std::string& folder, const Progress& progress, Listed listed) {
  namespace fs = std::filesystem;
  check_fence(folder);
  FolderListing listing{folder, {}};
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    progress.check();
    FolderEntry entry{at->path().filename().string(), false, 0};
    if (entry.name.starts_with(".")) continue;
    std::error_code ignored;
    const bool casa = listed == Listed::images && at->is_directory(ignored) && is_casa_image(at->path().string());
    entry.folder = !casa && at->is_directory(ignored);
    if (casa) {
      listing.entries.push_back(std::move(entry));
      continue;
    }
    if (!entry.folder && listed == Listed::images && !is_fits(entry.name) && !names_session(entry.name)) continue;
    if (!entry.folder) entry.bytes = static_cast<std::int64_t>(at->file_size(ignored));
    listing.entries.push_back(std::move(entry));
  }
  if (error) throw DataError(fmt::format("cannot read the folder {}: {}", folder, error.message()));
  std::ranges::sort(listing.entries, [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return listing;
}

bool fits_filter(const std::string& name, const std::string& filter) {
  std::istringstream words(lower(filter));
  const std::string low = lower(name);
  for (std::string word; words >> word;)
    if (low.find(word) == std::string::npos) return false;
  return true;
}

std::string words_of_size(std::int64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (size >= 1000 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", size, size < 10 ? 1 : 0, kUnits[unit]);
}

}  // namespace reber::gui
