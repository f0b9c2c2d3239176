// SPDX-License-Identifier: BSD-3-Clause
// Lists, patterns and standard input.
#include "core/run/batch/input_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/kept_files.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

bool has_wildcard(std::string_view word) { return word.find_first_of("*?[") != std::string_view::npos; }

bool is_pattern(const std::string& word) {
  std::error_code error;
  return has_wildcard(word) && !fs::exists(fs::symlink_status(word, error));
}

/// The matches of one pattern. The C library's glob() cannot be stopped while it reads and sorts a large folder.
class Matches {
 public:
  explicit Matches(const Progress& progress) : progress_(progress) {}

  /// place: what is matched so far, as written;   rest: of the pattern, from a slash or the beginning of a name
  void add(std::string place, std::string_view rest) {
    while (!rest.empty()) {
      const std::size_t begin = std::min(rest.find_first_not_of('/'), rest.size());
      const std::string part(rest.substr(begin, rest.find('/', begin) - begin));
      place += rest.substr(0, begin);
      rest.remove_prefix(begin + part.size());
      if (has_wildcard(part)) return add_names(place, part, rest);
      place += unescaped(part);
    }
    std::error_code error;
    if (fs::exists(fs::symlink_status(place, error))) found_.push_back(std::move(place));
  }

  [[nodiscard]] std::vector<std::string> sorted() && {
    std::ranges::sort(found_, [this](const std::string& a, const std::string& b) {
      progress_.check();
      return a < b;
    });
    return std::move(found_);
  }

 private:
  /// What cannot be read matches nothing.
  void add_names(const std::string& place, const std::string& part, std::string_view rest) {
    std::error_code error;
    for (fs::directory_iterator each(place.empty() ? "." : place, error), end; !error && each != end;
         each.increment(error)) {
      progress_.check();
      const std::string name = each->path().filename().string();
      if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
      rest.empty() ? found_.push_back(place + name) : add(place + name, rest);
    }
  }

  static std::string unescaped(const std::string& part) {
    std::string text;
    for (std::size_t i = 0; i < part.size(); ++i) text += part[part[i] == '\\' && i + 1 < part.size() ? ++i : i];
    return text;
  }

  const Progress& progress_;
  std::vector<std::string> found_;
};

void add_word(const std::string& word, const Progress& progress, std::vector<std::string>& paths) {
  progress.check();
  if (!is_pattern(word)) return paths.push_back(word);
  Matches matches(progress);
  matches.add({}, word);
  std::vector<std::string> found = std::move(matches).sorted();
  if (found.empty()) throw InputError(fmt::format("no file matches '{}'", printable(word)));
  std::ranges::move(found, std::back_inserter(paths));
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
    add_word(line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin), progress, paths);
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
      add_word(word, progress, list.paths);
    }
  }
  for (const std::string& path : list.paths) {
    progress.check();
    keep_file(path);
  }
  return list;
}

}  // namespace reber
