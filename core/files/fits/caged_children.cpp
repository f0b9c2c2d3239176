// SPDX-License-Identifier: BSD-3-Clause
// Forks, limits, and the many ways in which a child can end.
#include "core/files/fits/caged_children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {
namespace {

/// A child that something stopped alone (SIGSTOP) is sent on after so long a time, once; stopped again, it is given up.
/// Time in which this process is stopped as well, as by Ctrl-Z, does not count.
constexpr std::chrono::seconds kStoppedPatience{10};
constexpr std::size_t kPage = 4096;  ///< more than pixels must be aligned to

ChildAnswer* answer_of_this_child = nullptr;
bool this_child_is_caged = false;

/// In a child: libraries follow a null pointer where some allocations fail.
void on_crash(int signal) {
  if (errno != ENOMEM) {
    ::signal(signal, SIG_DFL);  // it strikes again
    return;
  }
  answer_of_this_child->end = ChildAnswer::End::no_memory;
  ::_exit(0);
}

/// A child must not run the program's handlers, write to its terminal, leave a core, or hang.
void become_a_child(const ChildLimits& limits, std::uint64_t now) {
  for (const int signal : {SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGPROF, SIGTERM}) ::signal(signal, SIG_DFL);
  ::signal(SIGSEGV, on_crash);
  for (const int signal : {SIGINT, SIGHUP})
    ::signal(signal, SIG_IGN);  // Ctrl-C reaches the whole group: the parent decides, and ends its child
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    if (!kSanitized) ::dup2(nowhere, STDERR_FILENO);
  }
  leave_little(limits.descriptor, limits.opens, now, limits.bytes);
  const itimerval timer{{0, 0}, {static_cast<time_t>(limits.seconds), 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Where the system permits no cage the child goes on without, unless one is required.
void work_in_cage(const ChildLimits& limits, ChildAnswer& answer, const std::function<void()>& work) noexcept {
  using End = ChildAnswer::End;
  answer_of_this_child = &answer;
  if (!limits.folders.empty()) (void)stay_within(limits.folders);
  this_child_is_caged = enter_cage(limits.cage);
  if (!this_child_is_caged && cage_is_required()) return answer.say(End::no_cage, "");
  errno = 0;
  try {
    work();
    answer.end = End::done;
  } catch (const std::bad_alloc&) {
    answer.say(End::no_memory, "");
  } catch (const NotOpened& file) {
    answer.error = file.error;
    answer.say(End::not_opened, "");
  } catch (const std::exception& error) {
    answer.say(End::failed, error.what());
  } catch (...) {
    answer.say(End::failed, "it failed without a word");
  }
}

bool is_stopped(pid_t child) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(child), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 && state.si_pid == child;
}

/// Signals that no stream can lead to.
bool comes_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGXCPU || signal == SIGUSR1 || signal == SIGUSR2;
}

/// What the child said, which may be anything.
std::string words_of(const ChildAnswer& answer) {
  return restrict_to_ascii({answer.message.data(), ::strnlen(answer.message.data(), answer.message.size())});
}

}  // namespace

bool close_cage() noexcept { return !this_child_is_caged || enter_cage(Cage::whole); }

void ChildAnswer::say(End how, const char* text) noexcept {
  std::strncpy(message.data(), text, message.size() - 1);
  end = how;
}

SharedMemory::SharedMemory(std::size_t answers, std::int64_t bytes)
    : offset_((answers * sizeof(ChildAnswer) + kPage - 1) / kPage * kPage),
      size_(offset_ + static_cast<std::size_t>(bytes)) {
  memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED)
    throw DeviceError(
        fmt::format("no memory for {} bytes of decoded pixels: {}", bytes, std::generic_category().message(errno)));
  for (std::size_t i = 0; i < answers; ++i) new (&answer(i)) ChildAnswer();
}

SharedMemory::~SharedMemory() { ::munmap(memory_, size_); }

unsigned patience_seconds(std::int64_t bytes) {
  constexpr unsigned kLeast = 30;
  return kLeast + static_cast<unsigned>(std::min<std::int64_t>(bytes >> 20, 1 << 20));
}

CagedChildren::~CagedChildren() {
  for (const Child& child : running_) ::kill(child.id, SIGKILL);
  int how = 0;
  for (const Child& child : running_)
    while (::waitpid(child.id, &how, 0) < 0 && errno == EINTR) {
    }
}

bool CagedChildren::start(const ChildLimits& limits, ChildAnswer& answer, const std::function<void()>& work) {
  const std::uint64_t now = limits.bytes > 0 ? address_bytes() : 0;
  running_.push_back({0, &answer});  // before there is a child that could be forgotten
  const pid_t child = ::fork();
  if (child == 0) {
    become_a_child(limits, now);
    work_in_cage(limits, answer, work);  // throws nothing: unwinding here would end the parent's other children
    ::_exit(0);
  }
  if (child > 0)
    running_.back().id = child;
  else
    running_.pop_back();
  return child > 0;
}

CagedChildren::End CagedChildren::wait_for(pid_t child, int& how, const Progress& progress) {
  constexpr std::chrono::microseconds kShortest{200}, kLongest{5000};
  std::chrono::microseconds stopped{0};
  for (auto pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
    const pid_t ended = ::waitpid(child, &how, WNOHANG);
    if (ended > 0 || (ended < 0 && errno != EINTR)) {
      running_.pop_front();
      return ended > 0 ? End::known : End::unknown;
    }
    progress.check();
    std::this_thread::sleep_for(pause);
    // Pauses are counted, not the clock: it goes on while this process is stopped.
    stopped = is_stopped(child) ? stopped + pause : std::chrono::microseconds{0};
    if (stopped < kStoppedPatience) continue;
    if (sent_on_) return End::stays_stopped;
    sent_on_ = true;
    stopped = std::chrono::microseconds{0};
    for (const Child& each : running_) ::kill(each.id, SIGCONT);
  }
}

std::string CagedChildren::wait(const Progress& progress) {
  const ChildAnswer& answer = *running_.front().answer;
  int how = 0;
  const End end = wait_for(running_.front().id, how, progress);
  progress.check();  // whoever stopped the child may have meant this process as well
  if (end == End::stays_stopped)
    throw DeviceError(where_ + "the decoder was stopped from outside, and again after it had been sent on");
  if (end == End::known && WIFSIGNALED(how)) {
    const int signal = WTERMSIG(how);
    if (signal == SIGPROF) return "the decoder did not come to an end";
    if (comes_from_outside(signal))
      throw DeviceError(fmt::format(
          "{}the decoder was ended from outside (signal {}), as the system does where memory lacks", where_, signal));
    return fmt::format("the decoder crashed (signal {})", signal);
  }
  // A sanitizer ends a child by its exit code: never taken for damaged data.
  if (kSanitized && end == End::known && WIFEXITED(how) && WEXITSTATUS(how) != 0)
    throw std::logic_error(where_ + "a sanitizer ended the decoder");
  switch (answer.end) {
    case ChildAnswer::End::done:
      return {};
    case ChildAnswer::End::failed:
      return words_of(answer);
    case ChildAnswer::End::no_memory:
      throw std::bad_alloc();
    case ChildAnswer::End::no_cage:
      throw DeviceError(where_ +
                        "the system permits no seccomp filter for its decoder, and --require-cage asks for one");
    case ChildAnswer::End::not_opened:
      throw DeviceError(fmt::format("{}cannot be opened again for its decoder: {}", where_,
                                    std::generic_category().message(answer.error)));
    case ChildAnswer::End::none:
      break;
  }
  return "the decoder stopped";
}

}  // namespace reber::fits
