// SPDX-License-Identifier: BSD-3-Clause
// Lists, patterns and standard input.
#include "core/batch/input_list.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

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

void add_list(std::istream& lines, const std::string& name, std::vector<std::string>& paths) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t before = paths.size();
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string::npos || line[begin] == '#') continue;
    add_word(line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin), paths);
  }
  if (lines.bad()) throw DataError(fmt::format("cannot read the list {}: {}", name, std::strerror(errno)));
  if (paths.size() == before) throw InputError(fmt::format("the list {} names no file", name));
}

}  // namespace

InputList expand_inputs(const std::vector<std::string>& words) {
  InputList list;
  list.one_file =
      words.size() == 1 && words.front() != "-" && !words.front().starts_with('@') && !is_pattern(words.front());
  if (std::ranges::count(words, "-") > 1) throw InputError("'-' is given twice; standard input can be read once");
  for (const std::string& word : words) {
    if (word == "-") {
      add_list(std::cin, "on standard input", list.paths);
    } else if (word.starts_with('@')) {
      const std::string path = word.substr(1);
      std::ifstream file(path);
      if (!file || fs::is_directory(path))
        throw DataError(fmt::format("cannot read the list '{}': {}", printable(path),
                                    fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
      add_list(file, "'" + printable(path) + "'", list.paths);
    } else {
      add_word(word, list.paths);
    }
  }
  return list;
}

}  // namespace reber
