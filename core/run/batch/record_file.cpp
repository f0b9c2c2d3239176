// SPDX-License-Identifier: BSD-3-Clause
// Appending lines that are whole or ignored, and reading them back.
#include "core/run/batch/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/text_stream.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw DataError(fmt::format("cannot {} the records '{}': {}", what, printable(path), std::strerror(errno)));
}

[[noreturn]] void refuse(const char* what, const std::string& path) {
  throw DataError(fmt::format("cannot {} the records '{}': it is no regular file", what, printable(path)));
}

/// "batch.jsonl" or "batch.3.jsonl".
bool holds_records(const std::string& name) {
  constexpr std::string_view kStart = "batch.", kEnd = "jsonl";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
  const std::string rank = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return rank.empty() ||
         (rank.size() > 1 && rank.back() == '.' && rank.find_first_not_of("0123456789") == rank.size() - 1);
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
  do {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) fail("write", path_);
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) {
    ::close(descriptor_);
    refuse("write", path_);
  }
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(descriptor_, &last, 1, end - 1) == 1 && last != '\n' && ::write(descriptor_, "\n", 1) != 1) {
    ::close(descriptor_);
    fail("write", path_);
  }
}

RecordFile::~RecordFile() {
  // Where nothing ended, nothing is left.
  if (::lseek(descriptor_, 0, SEEK_END) == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void RecordFile::append(const ImageRecord& record, bool others_follow) {
  const std::string line = to_line(record) + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t now = ::write(descriptor_, line.data() + written, line.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now == 0) errno = ENOSPC;
    if (now <= 0) fail("write", path_);
    written += static_cast<std::size_t>(now);
  }
  if (!others_follow && ::fdatasync(descriptor_) != 0 && errno != EINVAL) fail("write", path_);
}

FolderRecords read_records(const std::string& folder) {
  FolderRecords found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (holds_records(entry->path().filename().string())) found.files.push_back(entry->path().string());
  if (error) throw DataError(fmt::format("cannot read the folder '{}': {}", printable(folder), error.message()));
  std::ranges::sort(found.files);
  Latest latest(found);
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const std::string& path = found.files[i];
    if (fs::is_fifo(path, error)) refuse("read", path);
    std::ifstream file = text_stream(path);
    if (!file.is_open()) fail("read", path);
    try {
      for (std::string line; std::getline(file, line);)
        if (!line.empty()) latest.add(record_of(line), i);
    } catch (const std::ios_base::failure&) {
      fail("read", path);
    }
  }
  latest.finish();
  return found;
}

}  // namespace reber
