// SPDX-License-Identifier: BSD-3-Clause
// The name is kept from the command line until the process ends.
#include "app/options/trace_file.hpp"

#include <string>

#include "app/options/common_options.hpp"
#include "core/base/trace.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber::app {
namespace {

std::string& trace_path() {
  static std::string path;
  return path;
}

bool& replaces() {
  static bool replaces = false;
  return replaces;
}

}  // namespace

void replace_trace() { replaces() = true; }

void add_trace_option(Command& command) {
  command
      .add_option_function(
          "--trace",
          [](const std::string& path) {
            trace_path() = path;
            trace::start();
          },
          "Write what each thread and the card did and when, in Chrome's trace format (chrome://tracing, "
          "ui.perfetto.dev)")
      ->type_name("FILE.json")
      ->not_configurable()
      ->group("Messages");
}

int write_trace(int exit_code, Terminal& terminal) {
  if (trace_path().empty()) return exit_code;
  try {
    AtomicFile file(trace_path(), FileOptions(replaces()));
    file.write(trace::document());
    file.commit();
    return exit_code;
  } catch (...) {
    const Failure failure = current_failure();
    terminal.error(failure.message);
    return worse(exit_code, failure.exit_code);
  }
}

}  // namespace reber::app
