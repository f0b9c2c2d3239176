// SPDX-License-Identifier: BSD-3-Clause
// The filter: a program for the kernel that looks at each system call's number, and at a few arguments.
#include "core/files/fits/decoder_cage.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace reber::fits {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

/// Reading, memory, time, the end; what an abort asks for.
constexpr std::array kFree = {
    SYS_read,       SYS_pread64,         SYS_readv,        SYS_lseek,        SYS_close,       SYS_fstat,
    SYS_newfstatat, SYS_fcntl,           SYS_brk,          SYS_munmap,       SYS_mremap,      SYS_madvise,
    SYS_futex,      SYS_rt_sigprocmask,  SYS_rt_sigaction, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid,
    SYS_gettid,     SYS_clock_gettime,   SYS_gettimeofday, SYS_getrandom,    SYS_sched_yield, SYS_exit,
    SYS_exit_group, SYS_restart_syscall,
};

/// What those ask for who find files by their places.
constexpr std::array kPlaces = {
    SYS_getcwd,   SYS_readlinkat, SYS_faccessat, SYS_getdents64, SYS_statx,
    SYS_fstatfs,  SYS_uname,      SYS_times,     SYS_geteuid,    SYS_getuid,
#ifdef SYS_readlink
    SYS_readlink, SYS_access,     SYS_stat,      SYS_lstat,
#endif
};

constexpr std::uint32_t argument(int which) {  // its low word: all that are looked at are small
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    sizeof(std::uint64_t) * static_cast<unsigned>(which));
}

/// Builds the filter in place: after a fork nothing may be allocated.
class Filter {
 public:
  explicit Filter(Cage cage) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    jump(kMachine, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (const long call : kFree) allow(call);
    without(SYS_mmap, 2, PROT_EXEC);  // no memory that may be run
    without(SYS_mprotect, 2, PROT_EXEC);
    to_itself(SYS_tgkill);
    if (cage == Cage::paths)
      for (const long call : kPlaces) allow(call);
    if (cage != Cage::whole) {
      allow(SYS_prctl);
      without(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
#ifdef SYS_open
      without(SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
#endif
    }
    if (kSanitized) {  // UBSan asks whether memory is there by writing it to a pipe of its own
      allow(SYS_pipe2);
#ifdef SYS_pipe
      allow(SYS_pipe);
#endif
      allow(SYS_write);
    }
    to_streams(SYS_write);
    to_streams(SYS_writev);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  [[nodiscard]] sock_fprog program() { return {used_, lines_.data()}; }

 private:
  void add(int code, std::uint32_t value) { lines_[used_++] = {static_cast<std::uint16_t>(code), 0, 0, value}; }
  /// Skips `equal` lines where the word is `value`, else `other` lines.
  void jump(std::uint32_t value, std::uint8_t equal, std::uint8_t other) {
    lines_[used_++] = {BPF_JMP | BPF_JEQ | BPF_K, equal, other, value};
  }
  void allow(long call) {
    jump(static_cast<std::uint32_t>(call), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  /// A call of whose argument none of the bits is set.
  void without(long call, int which, std::uint32_t bits) {
    jump(static_cast<std::uint32_t>(call), 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, argument(which));
    lines_[used_++] = {BPF_JMP | BPF_JSET | BPF_K, 1, 0, bits};
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  /// A signal that the process sends itself: an abort.
  void to_itself(long call) {
    jump(static_cast<std::uint32_t>(call), 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, argument(0));
    jump(static_cast<std::uint32_t>(::getpid()), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  /// Standard output and standard error, which lead nowhere.
  void to_streams(long call) {
    jump(static_cast<std::uint32_t>(call), 0, 5);
    add(BPF_LD | BPF_W | BPF_ABS, argument(0));
    jump(STDOUT_FILENO, 1, 0);
    jump(STDERR_FILENO, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  std::uint16_t used_ = 0;
  std::array<sock_filter, 2 * (std::size(kFree) + std::size(kPlaces)) + 64> lines_{};
};

}  // namespace

bool enter_cage(Cage cage) noexcept {
  if (kMachine == 0) return false;
  Filter filter(cage);
  const sock_fprog program = filter.program();
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool stay_within(std::span<const std::string> folders) noexcept {
#if defined(SYS_landlock_create_ruleset) && __has_include(<linux/landlock.h>)
  constexpr std::uint64_t kAll = (std::uint64_t{1} << 13) - 1;  // rights of Landlock's first version
  const landlock_ruleset_attr rules{.handled_access_fs = kAll};
  const auto set = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0));
  if (set < 0) return false;
  for (const std::string& folder : folders) {
    const int place = ::open(folder.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) continue;
    const landlock_path_beneath_attr beneath{LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, place};
    (void)::syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    ::close(place);
  }
  const bool confined =
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, set, 0) == 0;
  ::close(set);
  return confined;
#else
  (void)folders;
  return false;
#endif
}

void leave_little(int descriptor, int opens, std::uint64_t now, std::uint64_t bytes) noexcept {
  const auto close_from = [](unsigned first, unsigned last) {
    if (first > last) return;
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
    rlimit limit{};
    const unsigned most = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<unsigned>(limit.rlim_cur) : 1024;
    for (unsigned i = first; i <= std::min(last, most); ++i) ::close(static_cast<int>(i));
  };
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  const unsigned kept = descriptor < 0 ? kFirst : static_cast<unsigned>(descriptor);
  if (kept > kFirst) close_from(kFirst, kept - 1);
  close_from(descriptor < 0 ? kFirst : std::max(kFirst, kept + 1), ~0U);
  const auto limit = [](auto which, std::uint64_t wanted) {
    rlimit most{};
    if (::getrlimit(which, &most) != 0) return;
    const rlimit lower{std::min<rlim_t>(most.rlim_cur, wanted), std::min<rlim_t>(most.rlim_max, wanted)};
    ::setrlimit(which, &lower);
  };
  constexpr unsigned kPipe = kSanitized ? 2 : 0;
  limit(RLIMIT_NOFILE, kFirst + 1 + kPipe + static_cast<unsigned>(opens));
  if (now > 0) limit(RLIMIT_AS, now + bytes);
}

std::uint64_t address_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

namespace {

std::atomic<bool> required{false};

}  // namespace

void require_cage() { required.store(true); }

bool cage_is_required() { return required.load(); }

std::string cage_words() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(enter_cage() ? 0 : 1);
  int how = 0;
  pid_t ended = child;
  if (child > 0)
    while ((ended = ::waitpid(child, &how, 0)) < 0 && errno == EINTR) {
    }
  const bool confined = child > 0 && ended == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
  return confined ? "confined by a seccomp filter" : "not confined: the system permits no seccomp filter";
}

}  // namespace reber::fits
