// SPDX-License-Identifier: BSD-3-Clause
// The filter: a program for the kernel that looks at each system call's number, and at a few arguments.
#include "core/files/fits/decoder_cage.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
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
    SYS_read,          SYS_pread64,        SYS_readv,           SYS_lseek,
    SYS_close,         SYS_fstat,          SYS_newfstatat,      SYS_fcntl,
    SYS_brk,           SYS_munmap,         SYS_mremap,          SYS_madvise,
    SYS_futex,         SYS_rt_sigprocmask, SYS_rt_sigaction,    SYS_rt_sigreturn,
    SYS_sigaltstack,   SYS_getpid,         SYS_gettid,          SYS_tgkill,
    SYS_clock_gettime, SYS_gettimeofday,   SYS_getrandom,       SYS_sched_yield,
    SYS_exit,          SYS_exit_group,     SYS_restart_syscall,
};

constexpr std::uint32_t argument(int which) {  // its low word: all that are looked at are small
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    sizeof(std::uint64_t) * static_cast<unsigned>(which));
}

/// Builds the filter in place: after a fork nothing may be allocated.
class Filter {
 public:
  Filter() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    jump(kMachine, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (const long call : kFree) {
      jump(static_cast<std::uint32_t>(call), 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    without_code(SYS_mmap);
    without_code(SYS_mprotect);
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
  /// Memory without the right to run what lies in it.
  void without_code(long call) {
    jump(static_cast<std::uint32_t>(call), 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, argument(2));
    lines_[used_++] = {BPF_JMP | BPF_JSET | BPF_K, 1, 0, PROT_EXEC};
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
  std::array<sock_filter, 2 * std::size(kFree) + 32> lines_{};
};

}  // namespace

bool enter_cage() noexcept {
  if (kMachine == 0) return false;
  Filter filter;
  const sock_fprog program = filter.program();
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

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
