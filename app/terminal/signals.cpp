// SPDX-License-Identifier: BSD-3-Clause
// Signal handlers; nothing in them but what may be called there.
#include "app/terminal/signals.hpp"

#include <unistd.h>
#include <csignal>

#include "core/files/io/atomic_file.hpp"
#include "core/files/io/interrupted.hpp"

namespace reber::app {
namespace {

std::atomic<bool> stop_asked{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void handle(int number) {
  last_signal.store(number);
  if (stop_asked.exchange(true)) {
    unlink_open_temporaries();
    _exit(128 + number);
  }
}

/// Whoever read our output is gone: the usual silent end, but without leaving temporaries behind.
void handle_broken_pipe(int number) {
  unlink_open_temporaries();
  _exit(128 + number);
}

}  // namespace

void install_signal_handlers() {
  stop_interrupted_calls_by(stop_asked);
  struct sigaction action {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};  // nohup has the end of the session ignored
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = handle_broken_pipe;
  sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

const std::atomic<bool>& stop_flag() { return stop_asked; }

int stopped_exit_code() {
  const int number = last_signal.load();
  return 128 + (number != 0 ? number : SIGINT);
}

}  // namespace reber::app
