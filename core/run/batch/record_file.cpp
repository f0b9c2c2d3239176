// SPDX-License-Identifier: BSD-3-Clause
// Appending lines that are whole or ignored, and reading them back.
#include "core/run/batch/record_file.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/interrupted.hpp"
#include "core/files/io/line_reader.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

/// "batch.jsonl" or "batch.3.jsonl".
bool holds_records(const std::string& name) {
  constexpr std::string_view kStart = "batch.", kEnd = "jsonl";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
  const std::string rank = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return rank.empty() ||
         (rank.size() > 1 && rank.back() == '.' && rank.find_first_not_of("0123456789") == rank.size() - 1);
}

/// Of a folder, by name.   throws DataError
std::vector<std::string> record_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (holds_records(entry->path().filename().string())) files.push_back(entry->path().string());
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  if (error) throw DataError(fmt::format("cannot read the folder '{}': {}", printable(folder), error.message()));
  std::ranges::sort(files);
  return files;
}

/// Puts the latest record of each image in order.
class Latest {
 public:
  explicit Latest(FolderRecords& found) : found_(found) {}

  /// file: in whose lines the order is that of time, whatever the clock said.
  void add(std::optional<ImageRecord> record, std::size_t file) {
    if (!record) {
      ++found_.unreadable;
      return;
    }
    List& list = lists_.emplace(record->list, List{lists_.size(), record->count, {}}).first->second;
    list.met.insert(record->index);
    if (newest_ == nullptr || newest_file_ == file || newest_ended_ <= record->ended) {
      newest_ = &list;
      newest_file_ = file;
      newest_ended_ = record->ended;
    }
    const auto [at, is_new] = place_.emplace(record->key(), found_.images.size());
    if (is_new) {
      found_.images.push_back(std::move(*record));
      files_.push_back(file);
    } else if (files_[at->second] == file || found_.images[at->second].ended <= record->ended) {
      found_.images[at->second] = std::move(*record);
      files_[at->second] = file;
    }
  }

  void finish() {
    if (newest_ != nullptr) found_.missing = newest_->count - static_cast<std::int64_t>(newest_->met.size());
    std::ranges::stable_sort(found_.images, {}, [&](const ImageRecord& record) {
      return std::pair(lists_.at(record.list).order, record.index);
    });
  }

 private:
  struct List {
    std::size_t order = 0;  ///< as first met
    std::int64_t count = 0;
    std::set<std::int64_t> met;
  };
  FolderRecords& found_;
  std::map<std::string, List> lists_;
  const List* newest_ = nullptr;
  std::string newest_ended_;
  std::size_t newest_file_ = 0;
  std::vector<std::size_t> files_;  ///< of each image's record
  std::unordered_map<std::string, std::size_t> place_;
};

}  // namespace

RecordFile::RecordFile(std::string path) : path_(std::move(path)) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path_, error))) file_.emplace(path_);
}

void RecordFile::append(const ImageRecord& record, bool others_follow) {
  if (!file_ || !file_->has_its_name()) file_.emplace(path_);
  const int descriptor = file_->descriptor();
  // Where the file system has no locks, a write to the end of a file of this machine is whole by itself.
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) check_interrupted();
  const std::unique_ptr<const int, void (*)(const int*)> lock(&descriptor, [](const int* d) { ::flock(*d, LOCK_UN); });
  const off_t end = ::lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  const bool cut = end > 0 && ::pread(descriptor, &last, 1, end - 1) == 1 && last != '\n';
  file_->append((cut ? "\n" : "") + to_line(record) + "\n");
  if (!others_follow && ::fdatasync(descriptor) != 0 && errno != EINVAL)
    throw DataError(fmt::format("cannot write the records '{}': {}", printable(path_), std::strerror(errno)));
}

RecordTail::RecordTail(const std::string& folder, const std::string& own) {
  for (const std::string& path : record_files(folder)) read_to_[path] = std::max<std::int64_t>(state_of(path).bytes, 0);
  read_to_.emplace((fs::path(folder) / fs::path(own).filename()).string(), 0);
}

std::vector<ImageRecord> RecordTail::news() {
  std::vector<ImageRecord> found;
  for (auto& [path, at] : read_to_) {
    if (state_of(path).bytes == at || state_of(path).bytes < 0) continue;
    const auto file = fits::open_plain(path, true);
    if (file->size() < at) at = 0;  // another file of that name
    std::string text(static_cast<std::size_t>(file->size() - at), '\0');
    file->read(at, text.data(), static_cast<std::int64_t>(text.size()));
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (auto record = record_of(std::string_view(text).substr(begin, end - begin)))
        found.push_back(std::move(*record));
      at += static_cast<std::int64_t>(end + 1 - begin);
    }
  }
  return found;
}

FolderRecords read_records(const std::string& folder) {
  FolderRecords found;
  found.files = record_files(folder);
  Latest latest(found);
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    LineReader file(found.files[i]);
    for (std::string line; file.next(line);)
      if (!line.empty()) latest.add(record_of(line), i);
  }
  latest.finish();
  return found;
}

}  // namespace reber
