// SPDX-License-Identifier: BSD-3-Clause
// Lists, patterns and standard input.
#include "core/run/batch/input_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/kept_files.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& word) {
  std::error_code error;
  return word.find_first_of("*?[") != std::string::npos && !fs::exists(fs::symlink_status(word, error));
}

void add_matches(const std::string& pattern, std::vector<std::string>& paths) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), 0, nullptr, &found);
  const std::unique_ptr<glob_t, decltype(&::globfree)> owner(&found, ::globfree);
  if (status == GLOB_NOSPACE) throw std::bad_alloc();
  if (status != 0) throw InputError(fmt::format("no file matches '{}'", printable(pattern)));
  paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
}

void add_word(const std::string& word, std::vector<std::string>& paths) {
  if (is_pattern(word)) {
    add_matches(word, paths);
  } else {
    paths.push_back(word);
  }
}

/// Lines of a file or a pipe. A stream would go on waiting when it is asked to stop.
class Lines {
 public:
  /// name: in messages
  Lines(int descriptor, std::string name, const Progress& progress)
      : descriptor_(descriptor), name_(std::move(name)), progress_(progress) {}

  /// returns false at the end   throws DataError, Cancelled
  bool next(std::string& line) {
    constexpr std::size_t kLongest = 1 << 16;  // of a path the system takes 4096 bytes
    constexpr std::string_view kImage = "SIMPLE  =";
    line.clear();
    for (char letter = 0; take(letter);) {
      if (letter == '\n') return true;
      line += letter;
      if (letter == '\0' || line.size() == kLongest || line == kImage)
        throw DataError(fmt::format("the list {} is no text: a path per line is wanted", name_));
    }
    return !line.empty();
  }

 private:
  bool take(char& letter) {
    if (at_ == size_) {
      ssize_t got = 0;
      while ((got = ::read(descriptor_, buffer_.data(), buffer_.size())) < 0 && errno == EINTR) progress_.check();
      if (got < 0) throw DataError(fmt::format("cannot read the list {}: {}", name_, std::strerror(errno)));
      at_ = 0;
      size_ = static_cast<std::size_t>(got);
    }
    if (size_ == 0) return false;
    letter = buffer_[at_++];
    return true;
  }

  int descriptor_;
  std::string name_;
  const Progress& progress_;
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0, size_ = 0;
};

void add_list(int descriptor, const std::string& name, const Progress& progress, std::vector<std::string>& paths) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t before = paths.size();
  Lines lines(descriptor, name, progress);
  for (std::string line; lines.next(line);) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string::npos || line[begin] == '#') continue;
    add_word(line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin), paths);
  }
  if (paths.size() == before) throw InputError(fmt::format("the list {} names no file", name));
}

void add_list_file(const std::string& path, const Progress& progress, std::vector<std::string>& paths) {
  int descriptor = -1;  // a pipe is waited for
  while ((descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR) progress.check();
  if (descriptor < 0)
    throw DataError(fmt::format("cannot read the list '{}': {}", printable(path), std::strerror(errno)));
  const std::unique_ptr<int, void (*)(int*)> owner(&descriptor, [](int* each) { ::close(*each); });
  struct stat found {};
  if (::fstat(descriptor, &found) != 0 || !S_ISFIFO(found.st_mode)) fits::check_regular(descriptor, printable(path));
  keep_file(path);
  add_list(descriptor, "'" + printable(path) + "'", progress, paths);
}

}  // namespace

InputList expand_inputs(const std::vector<std::string>& words, const Progress& progress) {
  InputList list;
  list.one_file =
      words.size() == 1 && words.front() != "-" && !words.front().starts_with('@') && !is_pattern(words.front());
  if (std::ranges::count(words, "-") > 1) throw InputError("'-' is given twice; standard input can be read once");
  for (const std::string& word : words) {
    if (word == "-") {
      add_list(STDIN_FILENO, "on standard input", progress, list.paths);
    } else if (word.starts_with('@')) {
      add_list_file(word.substr(1), progress, list.paths);
    } else {
      add_word(word, list.paths);
    }
  }
  for (const std::string& path : list.paths) keep_file(path);
  return list;
}

}  // namespace reber
