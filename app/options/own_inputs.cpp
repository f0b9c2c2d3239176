// SPDX-License-Identifier: BSD-3-Clause
// Inputs among the options that were given: all that are not in a group of outputs.
#include "app/options/own_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "app/options/common_options.hpp"
#include "app/options/trace_file.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/kept_files.hpp"
#include "core/files/io/plain_path.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

bool is_report(const Option& option) { return option.has_name("json") || option.has_name("trace"); }

/// Hidden options are old names: what they were given, the new ones have.
bool takes_words(const Option& option) { return option.given() && !option.is_flag() && !option.is_hidden(); }

/// A file by its value: "@LIST" and "file:KERNEL" are read as well.
std::string path_in(const std::string& word) {
  constexpr std::string_view kKernel = "file:";
  if (word.starts_with('@')) return word.substr(1);
  return word.starts_with(kKernel) ? word.substr(kKernel.size()) : word;
}

bool same_place(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || fs::equivalent(a, b, error) || plain_path(a) == plain_path(b);
}

void check_report(const Option& report, const Command& command) {
  const std::string path = report.words().back();
  if (path == "-") return;
  if (report.has_name("trace")) {
    const Option* const overwrite = command.find("--overwrite");
    if (overwrite != nullptr && overwrite->given())
      replace_trace();
    else
      check_outputs({path}, false);
  }
  for (const auto& other : command.options()) {
    if (other.get() == &report || !takes_words(*other)) continue;
    for (const std::string& word : other->words())
      if (same_place(path, path_in(word)))
        throw InputError(
            fmt::format("{} is given for {} and for {}", printable(path), report.name(), other->all_names()));
  }
}

}  // namespace

bool is_output(const Option& option) {
  return option.group() == "Output" || option.group() == "Benchmark" || is_report(option) || option.has_name("join");
}

void keep_inputs(const Command& command) {
  for (const auto& option : command.options()) {
    if (!takes_words(*option)) continue;
    if (is_report(*option)) {
      check_report(*option, command);
    } else if (!is_output(*option) && !option->has_name("config")) {
      for (const std::string& word : option->words()) keep_file(path_in(word));
    }
  }
}

}  // namespace reber::app
