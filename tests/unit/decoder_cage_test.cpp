// SPDX-License-Identifier: BSD-3-Clause
// What a decoding child may still do, and what the kernel refuses it.
#include "core/files/fits/decoder_cage.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/fits/caged_children.hpp"

namespace reber::fits {
namespace {

/// Exit status of a child that does this inside the cage; 99 without a cage.
int in_cage(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(enter_cage() ? act() : 99);
  int how = 0;
  EXPECT_EQ(::waitpid(child, &how, 0), child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

int refused(long answer) { return answer < 0 && errno == EPERM ? 0 : 1; }

class DecoderCage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (in_cage([] { return 0; }) == 99) GTEST_SKIP() << cage_words();
  }
};

TEST_F(DecoderCage, LeavesMemoryAndOpenFiles) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(in_cage([file] {
              char first[4] = {};
              if (::pread(file, first, 4, 0) != 4 || first[1] != 'E') return 1;
              void* const pages = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (pages == MAP_FAILED) return 2;
              static_cast<char*>(pages)[5000] = 1;
              return ::munmap(pages, 1 << 20) == 0 ? 0 : 3;
            }),
            0);
  ::close(file);
}

TEST_F(DecoderCage, RefusesFilesNetworkProgramsAndProcesses) {
  EXPECT_EQ(in_cage([] { return refused(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }), 0);
  EXPECT_EQ(in_cage([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(in_cage([] {
              char name[] = "/bin/true";
              char* const words[] = {name, nullptr};
              return refused(::execv(name, words));
            }),
            0);
  EXPECT_EQ(in_cage([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(0);
              return refused(child);
            }),
            0);
  EXPECT_EQ(in_cage([] { return refused(::kill(::getppid(), 0)); }), 0);
  EXPECT_EQ(in_cage([] { return refused(::unlink("/nothing/there")); }), 0);
}

TEST_F(DecoderCage, RefusesPagesOfCodeAndWritingElsewhere) {
  EXPECT_EQ(in_cage([] {
              void* const pages =
                  ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return pages == MAP_FAILED ? refused(-1) : 1;
            }),
            0);
  if (kSanitized) return;  // it writes to pipes
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(in_cage([&ends] { return refused(::write(ends[1], "x", 1)); }), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(DecoderCage, SignalsNobodyElse) {
  const pid_t parent = ::getpid();
  EXPECT_EQ(in_cage([parent] { return refused(::syscall(SYS_tgkill, parent, parent, 0)); }), 0);
  EXPECT_EQ(in_cage([] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0) == 0 ? 0 : 1; }), 0);
}

TEST_F(DecoderCage, HalfOfItOpensFilesToReadAloneAndLeadsToTheWhole) {
  const auto half = [](const std::function<int()>& act) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(enter_cage(Cage::half) ? act() : 99);
    int how = 0;
    EXPECT_EQ(::waitpid(child, &how, 0), child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
  };
  EXPECT_EQ(half([] { return ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC) >= 0 ? 0 : 1; }), 0);
  EXPECT_EQ(half([] { return refused(::open("/dev/null", O_WRONLY | O_CLOEXEC)); }), 0);
  EXPECT_EQ(half([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(half([] { return enter_cage() ? refused(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) : 2; }), 0);
}

TEST_F(DecoderCage, StaysWithinItsFolders) {
  const auto within = [](const std::function<int()>& act) {
    const std::vector<std::string> folders{"/proc/self", "/nowhere"};
    const pid_t child = ::fork();
    if (child == 0) ::_exit(stay_within(folders) ? (enter_cage(Cage::paths) ? act() : 98) : 99);
    int how = 0;
    EXPECT_EQ(::waitpid(child, &how, 0), child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
  };
  const int seen = within([] { return ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC) >= 0 ? 0 : 1; });
  if (seen == 99) GTEST_SKIP() << "the system has no Landlock";
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(within([] { return ::open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES ? 0 : 1; }), 0);
  EXPECT_EQ(within([] { return refused(::open("/proc/self/stat", O_RDWR | O_CLOEXEC)); }), 0);
  EXPECT_EQ(within([] { return refused(::mkdir("/proc/self/x", 0700)); }), 0);
  EXPECT_EQ(within([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
}

TEST_F(DecoderCage, LeavesOneFileAndLittleMemory) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC), other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::uint64_t now = address_bytes();
  const pid_t child = ::fork();
  if (child == 0) {
    leave_little(file, 2, now, std::uint64_t{64} << 20);
    char first = 0;
    if (::pread(file, &first, 1, 0) != 1) ::_exit(1);
    if (other != file && ::fcntl(other, F_GETFD) >= 0) ::_exit(2);
    if (::mmap(nullptr, std::size_t{1} << 28, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) ::_exit(3);
    int opened = 0;
    while (::open("/proc/self/exe", O_RDONLY) >= 0) ++opened;
    ::_exit(opened <= (kSanitized ? 5 : 3) ? 0 : 4);
  }
  int how = 0;
  EXPECT_EQ(::waitpid(child, &how, 0), child);
  EXPECT_EQ(how, 0);
  ::close(file);
  ::close(other);
}

/// What a child of the decoder does is told: its words, or that a sanitizer ended it.
std::string outcome_of_child(const std::function<void()>& work) {
  const SharedMemory memory(1, 0);
  CagedChildren children("'x': ");
  if (!children.start({}, memory.answer(0), work)) return "no child";
  try {
    return children.wait({});
  } catch (const std::logic_error& error) {
    return error.what();
  }
}

#ifdef __SANITIZE_ADDRESS__
TEST(CagedChildren, AReportOfASanitizerIsNotTakenForDamagedData) {
  EXPECT_EQ(outcome_of_child([] {
              std::vector<char> bytes(16);
              volatile std::size_t beyond = 16;
              static_cast<volatile char*>(bytes.data())[beyond] = 1;
            }),
            "'x': a sanitizer ended the decoder");
}
#endif

TEST(CagedChildren, TellWhatTheirWorkThrows) {
  EXPECT_EQ(outcome_of_child([] {}), "");
  EXPECT_EQ(outcome_of_child([] { throw DataError("the tile is cut"); }), "the tile is cut");
  EXPECT_EQ(outcome_of_child([] { throw 1; }), "it failed without a word");
}

/// A virtual call through a base: what UBSan looks at in the cage, where it may open nothing.
TEST(CagedChildren, CallVirtualFunctionsInTheCage) {
  EXPECT_EQ(outcome_of_child([] {
              const std::unique_ptr<std::exception> error = std::make_unique<DataError>("seen");
              if (std::string(error->what()) != "seen") throw DataError("another word");
            }),
            "");
}

}  // namespace
}  // namespace reber::fits
