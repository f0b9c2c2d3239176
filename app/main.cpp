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
#include "app/options/help_page.hpp"
#include "app/options/lost_card.hpp"
#include "app/options/old_words.hpp"
#include "app/options/own_inputs.hpp"
#include "app/options/parse.hpp"
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
#include "core/studies/quality/metrics.hpp"

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
void add_information_flags(Command& root, Action& action) {
  const auto prints = [&action](std::string (*text)()) {
    return [&action, text] {
      action = [text](Terminal& terminal) {
        terminal.print_page(text());
        return kDone;
      };
    };
  };
  root.add_flag_function("--version", prints(version_text), "Print the versions of Reber and its libraries")
      ->brief("Print the versions of Reber and its libraries");
  root.add_flag_function("--devices", prints(devices_text),
                         "Print the driver, the cards, and the backends or why one cannot run here")
      ->brief("Print the cards and the backends");
  root.add_flag_function("--list-algorithms", prints(algorithms_text),
                         "Print the convolution algorithms and what each backend can do with them")
      ->brief("Print the convolution algorithms");
  root.add_flag_function("--list-columns", prints([] {
                           return columns_document() + extended_columns_document() + forced_columns_document();
                         }),
                         "Print every column of the catalogues")
      ->brief("Print every column of the catalogues");
  root.add_flag_function("--list-products", prints(products_document),
                         "Print every product of a run: its word, file, option, name in Python, layer")
      ->brief("Print every product of a run");
  root.add_flag_function("--list-metrics", prints(metrics_document),
                         "Print every metric of quality reports: what it is, where it passes")
      ->brief("Print every metric of quality reports");
  root.add_flag_function("--list-parameters", prints([] { return parameters_document(parameters()); }),
                         "Print every parameter of a run, with its option, default and range")
      ->brief("Print every parameter of a run");
}

std::unique_ptr<Command> make_program(Action& action) {
  auto root = std::make_unique<Command>("reber", kDescription);
  root->footer(kFooter);
  root->add_help_row("Options");
  add_information_flags(*root, action);
  add_info(*root, action);
  add_run(*root, action);
  add_merge(*root, action);
  add_convolve(*root, action);
  add_smooth(*root, action);
  add_regrid(*root, action);
  add_mosaic(*root, action);
  add_background(*root, action);
  add_find(*root, action);
  add_collapse(*root, action);
  add_cube(*root, action);
  add_measure(*root, action);
  add_mask(*root, action);
  add_match(*root, action);
  add_complete(*root, action);
  add_report(*root, action);
  add_spectrum(*root, action);
  add_verify(*root, action);
  add_bench(*root, action);
  add_simulate(*root, action);
  add_send(*root, action);
  add_view(*root, action);
  add_describe(*root, action);
  for (const auto& command : root->subcommands()) add_old_words(*command);
  return root;
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
  const auto program = make_program(action);
  const Parsed parsed = parse(*program, argc, argv, config_file_of(*program, argc, argv));
  if (parsed.asked != Parsed::Asked::work || !parsed.wrong.empty()) return explain(parsed, terminal);
  if (!action) {
    terminal.print_page(first_page(*program));
    return argc > 1 ? kDone : kInputError;
  }
  warn_old_words(*parsed.command, terminal);
  keep_inputs(*parsed.command);
  check_config_outputs(parsed, argc, argv);
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
