// SPDX-License-Identifier: BSD-3-Clause
// Recovery copies: whose they are, and whether that process still runs.
#include "gui/model/recovery.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

bool has_copies(const std::string& stem) {
  std::error_code ignored;
  for (int number = 1; number <= Autosave::kCopies; ++number)
    if (fs::exists(Autosave::copy_path(stem, number), ignored)) return true;
  return false;
}

/// A number of a process is used again: what an earlier one left must not be written over.
std::string free_stem(const std::string& folder) {
  const std::string first = (fs::path(folder) / fmt::format("session-{}", getpid())).string();
  std::string stem = first;
  for (int i = 2; has_copies(stem); ++i) stem = fmt::format("{}-{}", first, i);
  return stem;
}

std::string lock_path(const std::string& stem) { return stem + ".lock"; }

/// When the newest copy was written; 0 where there is none.
std::time_t written_at(const std::string& stem) {
  std::error_code error;
  const auto time = fs::last_write_time(Autosave::copy_path(stem, 1), error);
  if (error) return 0;
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::seconds>(system));
}

void remove_all(const std::string& stem) {
  Autosave(stem).remove();
  std::error_code ignored;
  fs::remove(lock_path(stem), ignored);
}

}  // namespace

std::unique_ptr<FileLock> FileLock::take(const std::string& path) {
  try {
    FileInPlace file(path, 0600);
    if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) return nullptr;
    return std::unique_ptr<FileLock>(new FileLock(std::move(file)));
  } catch (const DataError&) {
    return nullptr;
  }
}

Recovery::Recovery(const std::string& folder, double every_seconds)
    : folder_(folder), stem_(folder.empty() ? "" : free_stem(folder)), autosave_(stem_, every_seconds) {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  lock_ = FileLock::take(lock_path(stem_));
}

std::vector<LeftSession> Recovery::left(std::vector<std::string>& problems) const {
  std::set<std::string> stems;
  std::error_code error;
  if (!folder_.empty())
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const std::size_t point = name.rfind('.');
      const std::string number = point == std::string::npos ? "" : name.substr(point + 1);
      if (name.starts_with("session") && number.size() == 1 && number[0] >= '1' && number[0] <= '0' + Autosave::kCopies)
        stems.insert((fs::path(folder_) / name.substr(0, point)).string());
    }
  stems.erase(stem_);
  std::vector<std::pair<std::time_t, std::string>> by_age;
  for (const std::string& stem : stems) by_age.emplace_back(-written_at(stem), stem);
  std::ranges::sort(by_age);
  std::vector<LeftSession> left;
  for (const auto& [age, stem] : by_age) {
    auto lock = FileLock::take(lock_path(stem));
    if (!lock) continue;  // that viewer runs
    auto session = Autosave(stem).newest(problems);
    if (!session) continue;
    const std::time_t when = -age;
    left.push_back(
        {stem, std::move(*session), fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(when)), false, std::move(lock)});
  }
  return left;
}

void Recovery::end(const std::vector<LeftSession>& left) {
  for (const LeftSession& each : left)
    if (each.forgotten) remove_all(each.stem);
  if (!stem_.empty()) remove_all(stem_);
  lock_.reset();
}

void Recovery::leave(const std::vector<LeftSession>& left) {
  for (const LeftSession& each : left)
    if (each.forgotten) remove_all(each.stem);
  if (!stem_.empty() && !has_copies(stem_)) remove_all(stem_);
  lock_.reset();
}

LeftSession* own_session(std::vector<LeftSession>& left) {
  const std::string mine = fmt::format("session-{}", getpid());
  const auto found = std::ranges::find_if(left, [&](const LeftSession& each) {
    const std::string name = fs::path(each.stem).filename().string();
    return name == mine || name.starts_with(mine + "-");
  });
  return found == left.end() ? nullptr : &*found;
}

std::string default_recovery_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && fs::path(state).is_absolute()) return (fs::path(state) / "reber").string();
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return (fs::path(home) / ".local/state/reber").string();
}

}  // namespace reber::gui
