// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the program by tests of faults: the N-th call of the system of one kind fails, or does less than
// asked.
//   REBER_FAULT_CALL="KIND N CODE"   kinds below; CODE: a number of errno.h, or 0: a read or a write of one byte alone
// N+ means that one and all that follow. A child counts on from its parent. REBER_FAULT_PATH=PATH: that file cannot be
// opened. REBER_FAULT_COUNT=FILE: at the end of the
// process, a line "calls KIND" for each kind.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind {
  open_call,
  read_call,
  write_call,
  stat_call,
  rename_call,
  link_call,
  close_call,
  reserve_call,
  map_call,
  fork_call,
  socket_call,
  directory_call,
  sync_call,
  count_of_kinds
};
constexpr const char* kNames[] = {"open",    "read", "write", "stat",   "rename", "link", "close",
                                  "reserve", "map",  "fork",  "socket", "mkdir",  "sync"};

std::atomic<long> calls[count_of_kinds];

struct Fault {
  int kind = -1;
  long at = 0;
  bool for_good = false;
  int code = 0;

  Fault() {
    const char* const text = std::getenv("REBER_FAULT_CALL");
    char name[16] = {}, plus[2] = {};
    if (text == nullptr) return;
    if (std::sscanf(text, "%15s %ld%1[+] %d", name, &at, plus, &code) != 4 &&
        std::sscanf(text, "%15s %ld %d", name, &at, &code) != 3)
      _exit(99);
    for_good = plus[0] == '+';
    for (int each = 0; each < count_of_kinds; ++each)
      if (std::strcmp(name, kNames[each]) == 0) kind = each;
    if (kind < 0) _exit(99);
  }
};

std::atomic<bool> at_rest{false};

bool strikes(Kind kind) {
  static const Fault fault;
  const long call = ++calls[kind];
  if (at_rest || kind != fault.kind || fault.at <= 0 || (fault.for_good ? call < fault.at : call != fault.at))
    return false;
  errno = fault.code;
  return true;
}

/// Where a call of this kind is to fail now.
bool refuse(Kind kind) { return strikes(kind) && errno != 0; }

/// As refuse(); a read or a write may be cut short instead.
bool refuse(Kind kind, std::size_t& size) {
  if (!strikes(kind)) return false;
  if (errno != 0) return true;
  size = std::min<std::size_t>(size, 1);
  return false;
}

/// Streams are not files of ours: their failures are other tests'.
bool is_stream(int file) { return file >= 0 && file <= 2; }

__attribute__((destructor)) void write_count() {
  const char* const path = std::getenv("REBER_FAULT_COUNT");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "we");
  if (file == nullptr) return;
  for (int kind = 0; kind < count_of_kinds; ++kind) std::fprintf(file, "%ld %s\n", calls[kind].load(), kNames[kind]);
  std::fclose(file);
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// The file of REBER_FAULT_PATH.
bool is_kept_shut(const char* path) {
  static const char* const shut = std::getenv("REBER_FAULT_PATH");
  if (shut == nullptr || std::strcmp(path, shut) != 0) return false;
  errno = EACCES;
  return true;
}

/// Streams of the C++ library open their files by it, past open().
std::FILE* opened_stream(const char* name, const char* path, const char* mode) {
  if (is_kept_shut(path)) return nullptr;
  return real<std::FILE* (*)(const char*, const char*)>(name)(path, mode);
}

int opened(const char* path, int flags, mode_t mode) {
  if (refuse(open_call) || is_kept_shut(path)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t read_some(int file, void* bytes, std::size_t size) {
  if (!is_stream(file) && refuse(read_call, size)) return -1;
  return ::syscall(SYS_read, file, bytes, size);
}

ssize_t read_at(int file, void* bytes, std::size_t size, off_t offset) {
  if (refuse(read_call, size)) return -1;
  return ::syscall(SYS_pread64, file, bytes, size, offset);
}

ssize_t write_at(int file, const void* bytes, std::size_t size, off_t offset) {
  if (refuse(write_call, size)) return -1;
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}

}  // namespace

extern "C" {

/// Nothing fails from here on: what ends now has lines to write (coverage_end.cpp).
void reber_faults_rest() { at_rest = true; }

// NOLINTBEGIN: glibc's names and ways.
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  return opened(path, flags, mode);
}
std::FILE* fopen(const char* path, const char* mode) { return opened_stream("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return opened_stream("fopen64", path, mode); }
int __open_2(const char* path, int flags) { return opened(path, flags, 0); }
int __open64_2(const char* path, int flags) { return opened(path, flags, 0); }

ssize_t read(int file, void* bytes, std::size_t size) { return read_some(file, bytes, size); }
ssize_t __read_chk(int file, void* bytes, std::size_t size, std::size_t) { return read_some(file, bytes, size); }
ssize_t pread(int file, void* bytes, std::size_t size, off_t offset) { return read_at(file, bytes, size, offset); }
ssize_t pread64(int file, void* bytes, std::size_t size, off_t offset) { return read_at(file, bytes, size, offset); }
ssize_t __pread_chk(int file, void* bytes, std::size_t size, off_t offset, std::size_t) {
  return read_at(file, bytes, size, offset);
}
ssize_t __pread64_chk(int file, void* bytes, std::size_t size, off_t offset, std::size_t) {
  return read_at(file, bytes, size, offset);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  if (!is_stream(file) && refuse(write_call, size)) return -1;
  return ::syscall(SYS_write, file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  return write_at(file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, std::size_t size, off_t offset) {
  return write_at(file, bytes, size, offset);
}

int fstat(int file, struct stat* into) {
  return refuse(stat_call) ? -1 : static_cast<int>(::syscall(SYS_fstat, file, into));
}
int fstat64(int file, struct stat64* into) {
  return refuse(stat_call) ? -1 : static_cast<int>(::syscall(SYS_fstat, file, into));
}
int stat(const char* path, struct stat* into) {
  return refuse(stat_call) ? -1 : static_cast<int>(::syscall(SYS_stat, path, into));
}
int stat64(const char* path, struct stat64* into) {
  return refuse(stat_call) ? -1 : static_cast<int>(::syscall(SYS_stat, path, into));
}

int rename(const char* from, const char* to) {
  return refuse(rename_call) ? -1 : static_cast<int>(::syscall(SYS_rename, from, to));
}
int link(const char* from, const char* to) {
  return refuse(link_call) ? -1 : static_cast<int>(::syscall(SYS_link, from, to));
}
int mkdir(const char* path, mode_t mode) {
  return refuse(directory_call) ? -1 : static_cast<int>(::syscall(SYS_mkdir, path, mode));
}
int fsync(int file) { return refuse(sync_call) ? -1 : static_cast<int>(::syscall(SYS_fsync, file)); }
int fdatasync(int file) { return refuse(sync_call) ? -1 : static_cast<int>(::syscall(SYS_fdatasync, file)); }
/// It closes all the same, as a file system over a network does.
int close(int file) {
  const bool fails = strikes(close_call);
  const int code = errno;
  const int done = static_cast<int>(::syscall(SYS_close, file));
  if (!fails || done != 0) return done;
  errno = code;
  return -1;
}
int fallocate(int file, int mode, off_t begin, off_t size) {
  return refuse(reserve_call) ? -1 : static_cast<int>(::syscall(SYS_fallocate, file, mode, begin, size));
}
int fallocate64(int file, int mode, off64_t begin, off64_t size) { return fallocate(file, mode, begin, size); }
void* mmap(void* where, std::size_t size, int access, int flags, int file, off_t offset) {
  if (refuse(map_call)) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, where, size, access, flags, file, offset));
}
void* mmap64(void* where, std::size_t size, int access, int flags, int file, off_t offset) {
  return mmap(where, size, access, flags, file, offset);
}
int socketpair(int domain, int type, int protocol, int ends[2]) {
  return refuse(socket_call) ? -1 : static_cast<int>(::syscall(SYS_socketpair, domain, type, protocol, ends));
}
pid_t fork() {
  static const auto real_fork = real<pid_t (*)()>("fork");
  return refuse(fork_call) ? -1 : real_fork();
}
// NOLINTEND

}  // extern "C"
