// SPDX-License-Identifier: BSD-3-Clause
// The stream that WCSLIB's scanners complain to, and the way out of a crash inside of it.
#include "core/sky/model/wcslib_call.hpp"

#include <unistd.h>
#include <wcslib/wcs.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "core/base/error.hpp"

namespace reber::wcslib {
namespace {

thread_local volatile std::sig_atomic_t inside = 0;
thread_local bool complained = false;
thread_local sigjmp_buf way_out;
struct sigaction before_us {};

/// A scanner without memory jumps to where it was never told to: the stack is lost as well. A thread keeps the stack
/// that it has for signals: a sanitizer gives one back to the system when the thread ends, whosever it is.
void give_stack() {
  thread_local bool given = false;
  alignas(64) thread_local std::array<char, 32 << 10> stack;
  if (given) return;
  stack_t wanted{};
  if (sigaltstack(nullptr, &wanted) == 0 && (wanted.ss_flags & SS_DISABLE) == 0) {
    given = true;
    return;
  }
  wanted = {};
  wanted.ss_sp = stack.data();
  wanted.ss_size = stack.size();
  given = sigaltstack(&wanted, nullptr) == 0;
}

void on_crash(int) {
  if (inside != 0) siglongjmp(way_out, 1);
  sigaction(SIGSEGV, &before_us, nullptr);  // not ours: it strikes again, for whom it is meant
  ::raise(SIGSEGV);                         // as one does not that another process sent
}

void prepare() {
  [[maybe_unused]] static const bool once = [] {
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;  // siglongjmp leaves the mask of signals as it is
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &before_us) == 0;
  }();
  give_stack();
}

ssize_t note_complaint(void*, const char* words, std::size_t size) {
  if (inside == 0) return ::write(STDERR_FILENO, words, size);  // of another thread
  complained = true;
  return static_cast<ssize_t>(size);
}

/// While one lives, stderr is a stream that hears the scanners: they print only as they get no memory.
class Hearing {
 public:
  Hearing() {
    const std::lock_guard lock(mutex);
    if (ours == nullptr) {
      cookie_io_functions_t functions{};
      functions.write = note_complaint;
      ours = fopencookie(nullptr, "w", functions);
      if (ours == nullptr) throw std::bad_alloc();
      std::setvbuf(ours, nullptr, _IONBF, 0);
    }
    if (users++ > 0) return;
    usual = stderr;
    stderr = ours;
  }
  ~Hearing() {
    const std::lock_guard lock(mutex);
    if (--users == 0) stderr = usual;
  }
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

 private:
  static inline std::mutex mutex;
  static inline int users = 0;
  static inline std::FILE *ours = nullptr, *usual = nullptr;
};

/// Leaves zeros where the next call has its frame. The place that a scanner without memory jumps to is one of those
/// that nobody filled: what it finds there says which signals are blocked from then on, and SIGSEGV must not be among
/// them.
[[gnu::noinline]] void clear_stack() {
  std::array<char, 48 << 10> below;
  std::memset(below.data(), 0, below.size());
  asm volatile("" : : "r"(below.data()) : "memory");  // the zeros are to be written
}

int run(int (*call)(void*), void* argument) {
  if (sigsetjmp(way_out, 0) != 0) {
    inside = 0;
    throw DeviceError(
        "WCSLIB crashed while it read the sky coordinates: there is not enough memory on this machine, or the header "
        "has a description that it cannot read");
  }
  inside = 1;
  const int status = call(argument);
  inside = 0;
  return status;
}

}  // namespace

int run_guarded(WcslibCall kind, int (*call)(void*), void* argument) {
  prepare();
  int status = 0;
  complained = false;
  if (kind == WcslibCall::parses) {
    const Hearing hearing;
    clear_stack();
    status = run(call, argument);
  } else {
    status = run(call, argument);
  }
  if (complained || status == WCSERR_MEMORY) throw std::bad_alloc();
  return status;
}

}  // namespace reber::wcslib
