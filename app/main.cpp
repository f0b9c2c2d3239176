// SPDX-License-Identifier: BSD-3-Clause
// The program `reber`: parses the command line, runs one sub-command and turns failures into exit codes.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.hpp"
#include "app/options/common_options.hpp"
#include "app/options/config_file.hpp"
#include "app/options/help_formatter.hpp"
#include "app/options/lost_card.hpp"
#include "app/options/old_words.hpp"
#include "app/options/own_inputs.hpp"
#include "app/options/trace_file.hpp"
#include "app/terminal/exit_code.hpp"
#include "app/terminal/last_words.hpp"
#include "app/terminal/signals.hpp"
#include "core/base/error.hpp"
#include "core/measure/extended/extended_catalogue.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/request/parameters.hpp"
#include "core/studies/forced.hpp"

namespace reber::app {
namespace {

constexpr const char* kDescription =
    "Reber: radio-astronomy images: convolve them, find and measure their sources, on GPU or CPU,\n"
    "and prove the result against a double-precision reference.";

constexpr const char* kFooter =
    "Each sub-command has its own page: reber find --help\n"
    "\n"
    "Examples:\n"
    "  reber info m31.fits\n"
    "  reber run m31.fits -o results            catalogue, maps and picture of one image\n"
    "  reber find m31.fits -o m31.csv           the catalogue alone\n"
    "  reber convolve m31.fits m31_20as.fits --kernel beam:20,20,0\n"
    "\n"
    "Exit codes: 0 done, 1 a check failed, 2 wrong request, 3 bad input or output file, 4 device or\n"
    "memory, 70 a bug of ours, 129, 130 or 143 stopped by a signal.";

/// Options that print something and end.
void add_information_flags(CLI::App& root, Action& action) {
  const auto prints = [&action](std::string (*text)()) {
    return [&action, text](std::int64_t) {
      action = [text](Terminal& terminal) {
        terminal.print(text());
        return kDone;
      };
    };
  };
  root.add_flag_function("--version", prints(version_text), "Print the versions of Reber and its libraries");
  root.add_flag_function("--devices", prints(devices_text),
                         "Print the driver, the cards, and the backends or why one cannot run here");
  root.add_flag_function("--list-algorithms", prints(algorithms_text),
                         "Print the convolution algorithms and what each backend can do with them");
  root.add_flag_function("--list-columns", prints([] {
                           return columns_document() + extended_columns_document() + forced_columns_document();
                         }),
                         "Print every column of the catalogues");
  root.add_flag_function("--list-products", prints(products_document),
                         "Print every product of a run: its word, file, option, name in Python, layer");
  root.add_flag_function("--list-parameters", prints([] { return parameters_document(parameters()); }),
                         "Print every parameter of a run, with its option, default and range");
}

std::unique_ptr<CLI::App> make_parser(Action& action) {
  auto root = std::make_unique<CLI::App>(kDescription, "reber");
  root->formatter(std::make_shared<HelpFormatter>());
  root->get_formatter()->column_width(32);
  root->set_help_flag("-h,--help", "Print this page");
  root->footer(kFooter);
  root->require_subcommand(0, 1);
  root->allow_config_extras(CLI::config_extras_mode::error);
  add_information_flags(*root, action);
  add_info(*root, action);
  add_run(*root, action);
  add_merge(*root, action);
  add_convolve(*root, action);
  add_smooth(*root, action);
  add_background(*root, action);
  add_find(*root, action);
  add_collapse(*root, action);
  add_measure(*root, action);
  add_mask(*root, action);
  add_match(*root, action);
  add_complete(*root, action);
  add_spectrum(*root, action);
  add_verify(*root, action);
  add_bench(*root, action);
  add_simulate(*root, action);
  add_send(*root, action);
  add_view(*root, action);
  add_describe(*root, action);
  for (CLI::App* command : root->get_subcommands({})) {
    command->allow_config_extras(CLI::config_extras_mode::error);
    add_old_words(*command);
  }
  return root;
}

/// The sub-command that was given, or the root.
const CLI::App& chosen(const CLI::App& root) {
  const auto commands = root.get_subcommands();
  return commands.empty() ? root : *commands.front();
}

/// Changes of one letter (wrong, missing, too many, or two exchanged) from one word to another.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      steps[i][j] =
          std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  return steps[a.size()][b.size()];
}

/// The nearest of the names, where one is near: a third of the letters may differ.
std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& name : names)
    if (const std::size_t away = distance(word, name); away < least) {
      least = away;
      best = name;
    }
  return best;
}

/// Long names of the options that a help page shows.
std::vector<std::string> names_of(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    if (!option->get_group().empty())
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  return names;
}

/// What CLI11 found wrong, with what was meant: it names neither the nearest option nor what an input is.
std::string words_of(const CLI::App& command, const CLI::ParseError& error) {
  const auto options = command.get_options();
  const auto is = [&](CLI::ExitCodes kind) { return error.get_exit_code() == static_cast<int>(kind); };
  if (is(CLI::ExitCodes::RequiredError)) {
    const std::string what = error.what(), name = what.substr(0, what.find(' '));
    for (const CLI::Option* option : options)
      if (option->get_name(false, true).find(name) != std::string::npos)
        return fmt::format("{} is missing: {}", name, option->get_description());
  }
  if (is(CLI::ExitCodes::ConfigError)) {
    const std::string what = error.what();
    const std::string key = what.substr(what.find_last_of(". ") + 1), meant = nearest(key, names_of(options));
    return fmt::format("the file of --config sets '{}', which is no option of 'reber {}'{}", key, command.get_name(),
                       meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
  }
  if (!is(CLI::ExitCodes::ExtrasError)) return error.what();
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return error.what();
  const auto dashed = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
  const bool is_option = dashed != left.end();
  const std::string word = is_option ? dashed->substr(0, dashed->find('=')) : left.front();
  std::vector<std::string> names;
  if (is_option) {
    for (const std::string& name : names_of(options)) names.push_back("--" + name);
  } else if (command.get_parent() == nullptr) {
    for (const CLI::App* other : command.get_subcommands({})) names.push_back(other->get_name());
  }
  const std::string meant = nearest(word, names);
  return fmt::format("{} '{}' is not known{}",
                     is_option                         ? "the option"
                     : command.get_parent() == nullptr ? "the sub-command"
                                                       : "the argument",
                     word, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
}

int explain(const CLI::App& root, const CLI::ParseError& error, Terminal& terminal) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help
    terminal.print(chosen(root).help(chosen(root).get_parent() == nullptr ? "" : "reber"));
    return kDone;
  }
  const std::string name = &chosen(root) == &root ? "reber" : "reber " + chosen(root).get_name();
  terminal.error(words_of(chosen(root), error));
  terminal.message(fmt::format("Try '{} --help'.", name));
  return kInputError;
}

/// A stack that overflows is a crash without a word.
void check_stack() {
  constexpr rlim_t kLeastKib = 256;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kLeastKib * 1024)
    throw DeviceError(fmt::format("the stack of this process may take {} KiB, and {} are needed (ulimit -s)",
                                  limit.rlim_cur / 1024, kLeastKib));
}

/// A result that could not be printed (a full disk behind a redirection) is no success.
int checked_output(int exit_code, Terminal& terminal) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  terminal.error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return worse(exit_code, kDataError);
}

int run(int argc, char** argv, Terminal& terminal) {
  check_stack();
  Action action;
  const auto root = make_parser(action);
  try {
    use_config_file(*root, argc, argv);
    root->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(*root, error, terminal);
  }
  if (!action) {
    terminal.print(root->help());
    return argc > 1 ? kDone : kInputError;
  }
  warn_old_words(chosen(*root), terminal);
  keep_inputs(chosen(*root));
  check_config_outputs(chosen(*root), argc, argv);
  return action(terminal);
}

}  // namespace
}  // namespace reber::app

namespace {

/// Memory that is freed between two planes or images is used again: the pages of new memory cost more than many a loop
/// over it (64 planes of 1024 x 1024 smoothed: 1.0 s of the system's time in 2.4 s, 0.15 s so). Larger blocks go back.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMostBytes = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kMostBytes);
  mallopt(M_TRIM_THRESHOLD, 2 * kMostBytes);
  // Each arena of malloc reserves up to 128 MiB of addresses: of a limit (ulimit -v) an eighth goes there.
  constexpr rlim_t kArenaBytes = rlim_t{128} << 20, kMostArenas = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / 8 / kArenaBytes, 1, kMostArenas)));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  reber::app::install_last_words();
  reber::app::install_signal_handlers();
  reber::app::install_lost_card(argv);
  try {
    reber::app::Terminal terminal;
    int exit_code = 0;
    try {
      exit_code = reber::app::checked_output(reber::app::run(argc, argv, terminal), terminal);
    } catch (...) {
      const reber::app::Failure failure = reber::app::current_failure();
      terminal.error(failure.message);
      exit_code = failure.exit_code;
    }
    return reber::app::write_trace(exit_code, terminal);
  } catch (const std::bad_alloc&) {  // while the failure was put into words
    reber::app::say_no_memory();
    return reber::app::kDeviceError;
  }
}
