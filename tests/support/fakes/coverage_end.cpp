// SPDX-License-Identifier: BSD-3-Clause
// Counters of lines for processes that end in _exit or by a signal that they raise: they are written out first. In
// place of the C library's functions in builds that count lines (the linker's --wrap). Writing takes memory and files,
// so that a preloaded library of faults is told to rest.
//   REBER_COVERAGE_UNCAGED=1  no filter of system calls: a caged process cannot write its counters
#include <dlfcn.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstdlib>

// NOLINTBEGIN: the linker's and the compiler's names.
extern "C" {
void __gcov_dump();
void __gcov_reset();
[[noreturn]] void __real__exit(int status);
int __real_raise(int signal);
int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

/// The counters of a usual end are written after the destructors of this order.
__attribute__((destructor)) void reber_rest_faults() {
  const auto rest = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "reber_faults_rest"));
  if (rest != nullptr) rest();
}

[[noreturn]] void __wrap__exit(int status) {
  reber_rest_faults();
  __gcov_dump();
  __real__exit(status);
}

int __wrap_raise(int signal) {
  reber_rest_faults();
  __gcov_dump();
  __gcov_reset();  // a handler may raise again: what runs until then is added
  return __real_raise(signal);
}

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  if (option != PR_SET_SECCOMP) return __real_prctl(option, a, b, c, d);
  if (std::getenv("REBER_COVERAGE_UNCAGED") != nullptr) {
    errno = EPERM;
    return -1;
  }
  __gcov_dump();
  return __real_prctl(option, a, b, c, d);
}
}
// NOLINTEND
