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

namespace reber::app {
namespace {

namespace fs = std::filesystem;

bool is_report(const CLI::Option& option) { return option.check_lname("json") || option.check_lname("trace"); }

/// Hidden options are old names: what they were given, the new ones have.
bool takes_words(const CLI::Option& option) {
  return option.count() > 0 && option.get_items_expected_max() > 0 && !option.get_group().empty();
}

/// A file by its value: "@LIST" and "file:KERNEL" are read as well.
std::string path_in(const std::string& word) {
  constexpr std::string_view kKernel = "file:";
  if (word.starts_with('@')) return word.substr(1);
  return word.starts_with(kKernel) ? word.substr(kKernel.size()) : word;
}

bool same_place(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || fs::equivalent(a, b, error) || fs::path(a).lexically_normal() == fs::path(b).lexically_normal();
}

void check_report(const CLI::Option& report, const CLI::App& command) {
  const std::string path = report.results().back();
  if (path == "-") return;
  if (report.check_lname("trace")) {
    const CLI::Option* const overwrite = command.get_option_no_throw("--overwrite");
    if (overwrite != nullptr && overwrite->count() > 0)
      replace_trace();
    else
      check_outputs({path}, false);
  }
  for (const CLI::Option* other : command.get_options()) {
    if (other == &report || !takes_words(*other)) continue;
    for (const std::string& word : other->results())
      if (same_place(path, path_in(word)))
        throw InputError(fmt::format("{} is given for {} and for {}", printable(path), report.get_name(),
                                     other->get_name(false, true)));
  }
}

}  // namespace

bool is_output(const CLI::Option& option) {
  return option.get_group() == "Output" || option.get_group() == "Benchmark" || is_report(option) ||
         option.check_lname("join");
}

void keep_inputs(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!takes_words(*option)) continue;
    if (is_report(*option)) {
      check_report(*option, command);
    } else if (!is_output(*option) && !option->check_lname("config")) {
      for (const std::string& word : option->results()) keep_file(path_in(word));
    }
  }
}

}  // namespace reber::app
