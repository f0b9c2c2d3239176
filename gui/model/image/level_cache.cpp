// SPDX-License-Identifier: BSD-3-Clause
// Names of files of levels, and which of them are swept.
#include "gui/model/image/level_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".levels";

std::string line_of(const std::string& image, int hdu, std::int64_t plane) {
  struct stat info {};
  if (::stat(image.c_str(), &info) != 0) return {};
  return fmt::format("reber levels 1 {} {}.{:09} {} {} {}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     hdu, plane, image);
}

/// Whether the image that a file of levels begins with is still what it was.
bool is_current(const std::string& path) {
  try {
    std::string line = fits::read_start(path, LevelCache::kHeadBytes);
    line.resize(std::min(line.size(), line.find('\n')));
    std::istringstream words(line);
    std::string skip, image;
    int hdu = 0;
    std::int64_t plane = 0;
    for (int i = 0; i < 5; ++i) words >> skip;
    if (!(words >> hdu >> plane) || words.get() != ' ' || !std::getline(words, image)) return false;
    return line_of(image, hdu, plane) == line;
  } catch (const DataError&) {
    return false;
  }
}

struct Kept {
  fs::path path;
  fs::file_time_type used;
  std::int64_t bytes;
};

}  // namespace

std::optional<LevelPlace> LevelCache::place_of(const std::string& image, int hdu, std::int64_t plane) const {
  if (folder_.empty()) return std::nullopt;
  LevelPlace place{{}, line_of(image, hdu, plane)};
  if (place.identity.empty() || static_cast<std::int64_t>(place.identity.size()) >= kHeadBytes ||
      place.identity.find('\n') != std::string::npos)
    return std::nullopt;
  const std::size_t name = std::hash<std::string>()(fmt::format("{} {} {}", hdu, plane, image));
  place.path = (fs::path(folder_) / fmt::format("{:016x}{}", name, kEnding)).string();
  return place;
}

bool LevelCache::make_room(std::int64_t bytes) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return false;
  std::vector<Kept> kept;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != kEnding) continue;
    std::error_code gone;
    const Kept each{entry->path(), entry->last_write_time(gone), static_cast<std::int64_t>(entry->file_size(gone))};
    if (gone) continue;
    if (is_current(each.path.string()))
      kept.push_back(each);
    else
      fs::remove(each.path, gone);
  }
  std::ranges::sort(kept, {}, &Kept::used);
  std::int64_t total = bytes;
  for (const Kept& each : kept) total += each.bytes;
  const auto room = [&] {
    const fs::space_info space = fs::space(folder_, error);
    return !error && bytes <= static_cast<std::int64_t>(space.available / 2);
  };
  for (const Kept& each : kept) {
    if (total <= most_bytes_ && room()) break;
    fs::remove(each.path, error);
    total -= each.bytes;
  }
  return total <= most_bytes_ && room();
}

void LevelCache::used(const LevelPlace& place) {
  std::error_code ignored;
  fs::last_write_time(place.path, fs::file_time_type::clock::now(), ignored);
}

std::string default_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return (fs::path(cache) / "reber").string();
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return (fs::path(home) / ".cache/reber").string();
}

}  // namespace reber::gui
