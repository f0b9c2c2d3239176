// SPDX-License-Identifier: BSD-3-Clause
// What std::terminate, abort() and a crash lead to; nothing here allocates.
#include "app/terminal/last_words.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <typeinfo>

#include "app/terminal/exit_code.hpp"
#include "core/base/module.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber::app {
namespace {

std::atomic<bool> memory_ran_out{false};
std::terminate_handler usual_end = nullptr;

void note_and_throw() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

[[noreturn]] void end_without_memory() noexcept {
  unlink_open_temporaries();
  say_no_memory();
  _exit(kDeviceError);
}

[[noreturn]] void on_terminate() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  // Without an exception: there was no memory for one, or a bug of ours.
  if (type == nullptr ? memory_ran_out.load() : *type == typeid(std::bad_alloc)) end_without_memory();
  unlink_open_temporaries();
  if (usual_end != nullptr) usual_end();
  _exit(kInternalError);
}

/// From a handler, which blocks the signal until it returns: what another process sent does not come a second time.
void end_by(int signal) {
  unlink_open_temporaries();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// nlohmann's JSON follows a null pointer where a value could not be made, and so do libraries that draw.
void on_crash(int) {
  if (memory_ran_out.load() || errno == ENOMEM || a_module_opens()) end_without_memory();
  end_by(SIGSEGV);
}

void on_abort(int) { end_by(SIGABRT); }

void first_of_all(int, char**, char**) { install_last_words(); }

/// Libraries and tables allocate before main().
__attribute__((section(".preinit_array"), used)) void (*const kRunFirst)(int, char**, char**) = first_of_all;

}  // namespace

void say_no_memory() noexcept {
  constexpr char kWords[] = "reber: not enough memory for this on this machine\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords, sizeof kWords - 1);
}

void install_last_words() noexcept {
  std::set_new_handler(note_and_throw);
  const std::terminate_handler before = std::set_terminate(on_terminate);
  if (before != on_terminate) usual_end = before;
  struct sigaction action {};
  action.sa_handler = on_abort;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, nullptr);
  action.sa_handler = on_crash;
  struct sigaction now {};  // a sanitizer has a handler of its own
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace reber::app
