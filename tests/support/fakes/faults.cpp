// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the program by tests of faults: the N-th request for memory, a thread or a sync to disk is refused.
//   REBER_FAULT_MEMORY=N    the N-th allocation fails (malloc, calloc, realloc, aligned; operator new stands on them)
//   REBER_FAULT_THREAD=N    the N-th thread cannot be started
//   REBER_FAULT_SYNC=N      the N-th fsync fails with EIO
// N+ means that one and all that follow. REBER_FAULT_COUNT=FILE: at the end, "allocations threads syncs" made.
// REBER_FAULT_PLACE=1 prints the stack of the failed allocation. Counting begins with main(): what runs before it is
// not all ours, and the CUDA runtime's constructor crashes without memory. REBER_FAULT_EARLY=1: at the first
// allocation.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
// NOLINTBEGIN: glibc's names.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND
}

namespace {

struct Fault {
  std::atomic<long> calls{0};
  long at = 0;  ///< 0: never
  bool for_good = false;

  void read(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return;
    char* end = nullptr;
    at = std::strtol(text, &end, 10);
    for_good = *end == '+';
  }
  bool strikes() {
    const long call = ++calls;
    return at > 0 && (for_good ? call >= at : call == at);
  }
};

Fault memory, threads, syncs;
std::atomic<bool> counting{false};
bool early_asked = false;

void begin() {
  memory.read("REBER_FAULT_MEMORY");
  threads.read("REBER_FAULT_THREAD");
  syncs.read("REBER_FAULT_SYNC");
  counting = true;
}

bool refuse() {
  if (!counting) {
    // getenv works once libc is up, which it is before the first allocation of another library.
    if (early_asked || environ == nullptr) return false;
    early_asked = true;
    if (std::getenv("REBER_FAULT_EARLY") == nullptr) return false;
    begin();
  }
  if (!memory.strikes()) return false;
  static std::atomic<bool> shown{false};
  if (std::getenv("REBER_FAULT_PLACE") != nullptr && !shown.exchange(true)) {
    counting = false;
    void* frames[24];
    backtrace_symbols_fd(frames, backtrace(frames, 24), STDERR_FILENO);
    counting = true;
  }
  errno = ENOMEM;
  return true;
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

int counted_main(int argc, char** argv, char** variables) {
  if (!counting) begin();
  return program(argc, argv, variables);
}

__attribute__((destructor)) void write_count() {
  counting = false;
  const char* path = std::getenv("REBER_FAULT_COUNT");
  if (path == nullptr) return;
  char text[100];
  const int size =
      std::snprintf(text, sizeof text, "%ld %ld %ld\n", memory.calls.load(), threads.calls.load(), syncs.calls.load());
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (::write(file, text, static_cast<std::size_t>(size)) < 0) _exit(99);
  ::close(file);
}

}  // namespace

extern "C" {

/// Nothing fails from here on: what ends now has lines to write (coverage_end.cpp).
void reber_faults_rest() { memory.at = threads.at = syncs.at = 0; }

// NOLINTNEXTLINE: glibc's name.
int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*unload)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, unload, stack);
}

void* malloc(std::size_t size) { return refuse() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return refuse() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return refuse() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return refuse() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return refuse() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (refuse()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (counting && threads.strikes()) return EAGAIN;
  return create(thread, attributes, work, argument);
}

int fsync(int file) {
  using Sync = int (*)(int);
  static const auto sync = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, "fsync"));
  if (counting && syncs.strikes()) {
    errno = EIO;
    return -1;
  }
  return sync(file);
}

}  // extern "C"
