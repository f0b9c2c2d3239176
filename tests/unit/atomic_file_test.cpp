// SPDX-License-Identifier: BSD-3-Clause
// A file is there whole or not at all.
#include "core/files/io/atomic_file.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/files/io/kept_files.hpp"
#include "tests/unit/fits_files.hpp"

namespace {

/// What fsync was called on, in order, and whether the output had its name by then: "file before", "folder after".
std::vector<std::string> synced;
std::mutex synced_mutex;
std::string output_of_test;

/// As on a disk that takes no byte more and says no error.
std::atomic<int> writes_that_take_nothing = 0;

/// Answers of the next calls, one each: 0 lets the system answer, others are the error.
std::vector<int> answers_of_pwrite, answers_of_fallocate;
/// Called in place of sync_file_range().
std::function<void()> instead_of_sync_file_range;

int next_answer(std::vector<int>& answers) {
  if (answers.empty()) return 0;
  const int answer = answers.front();
  answers.erase(answers.begin());
  return answer;
}

}  // namespace

/// In place of the system's, in this program alone.
extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  if (writes_that_take_nothing > 0 && writes_that_take_nothing-- > 0) return 0;
  if ((errno = next_answer(answers_of_pwrite)) != 0) return -1;
  return static_cast<ssize_t>(::syscall(SYS_pwrite64, descriptor, bytes, count, offset));
}

extern "C" int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  if ((errno = next_answer(answers_of_fallocate)) != 0) return -1;
  return static_cast<int>(::syscall(SYS_fallocate, descriptor, mode, offset, bytes));
}

extern "C" int sync_file_range(int descriptor, off_t offset, off_t bytes, unsigned flags) {
  if (instead_of_sync_file_range) instead_of_sync_file_range();
  return static_cast<int>(::syscall(SYS_sync_file_range, descriptor, offset, bytes, flags));
}

extern "C" int fsync(int descriptor) {
  struct stat what {};
  if (!output_of_test.empty() && ::fstat(descriptor, &what) == 0) {
    const std::lock_guard lock(synced_mutex);
    const char* when = std::filesystem::exists(output_of_test) ? "after" : "before";
    synced.push_back(std::string(S_ISDIR(what.st_mode) ? "folder " : "file ") + when);
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

TEST(AtomicFile, AnInputOfTheRunIsNotReplacedByWhateverName) {
  const TemporaryFolder folder;
  const std::string input = folder.file("input"), soft = folder.file("soft"), hard = folder.file("hard");
  save(input, "pixels");
  keep_file(input);
  std::filesystem::create_symlink(input, soft);
  std::filesystem::create_hard_link(input, hard);
  for (const std::string& name : {input, soft, hard}) EXPECT_THROW((void)AtomicFile(name, true), InputError) << name;
  EXPECT_EQ(load(input), "pixels");
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("a"), false);
    file.write("hello ");
    file.write("world");
    file.write_at(0, "H", 1);
    EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
    EXPECT_TRUE(std::filesystem::exists(file.temporary_path()));
    file.commit(11);
  }
  EXPECT_EQ(load(folder.file("a")), "Hello world");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  { AtomicFile(folder.file("a"), false).write("x"); }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(AtomicFile, KeepsTheOldFileUntilTheCommit) {
  const TemporaryFolder folder;
  save(folder.file("a"), "old");
  EXPECT_THROW(AtomicFile(folder.file("a"), false), InputError);
  {
    AtomicFile file(folder.file("a"), true);
    file.write("new");
    EXPECT_EQ(load(folder.file("a")), "old");
    EXPECT_THROW(file.commit(4), DataError);
  }
  EXPECT_EQ(load(folder.file("a")), "old");
  AtomicFile file(folder.file("a"), true);
  file.write("new");
  file.commit(3);
  EXPECT_EQ(load(folder.file("a")), "new");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, DoesNotReplaceWhatCameMeanwhile) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"), false);
  file.write("mine");
  save(folder.file("a"), "theirs");
  EXPECT_THROW(file.commit(), InputError);
  EXPECT_EQ(load(folder.file("a")), "theirs");
}

TEST(AtomicFile, NeverReplacesTheInputByAnyName) {
  const TemporaryFolder folder;
  save(folder.file("in"), "input");
  std::filesystem::create_hard_link(folder.file("in"), folder.file("hard"));
  std::filesystem::create_symlink(folder.file("in"), folder.file("soft"));
  for (const char* name : {"in", "hard", "soft"}) {
    EXPECT_THROW(AtomicFile(folder.file(name), true, folder.file("in")), InputError) << name;
  }
  EXPECT_EQ(load(folder.file("in")), "input");
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile(folder.path(), true), InputError);
  EXPECT_THROW(AtomicFile("", true), InputError);
  EXPECT_THROW(AtomicFile("/dev/null", true), InputError);
  try {
    AtomicFile(folder.file("none/a"), true);
    FAIL() << "made a file in a folder that is not there";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos) << error.what();
  }
}

TEST(AtomicFile, AWriteThatTakesNothingIsAFullDisk) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"), false);
  writes_that_take_nothing = 3;
  try {
    file.write("x");
    ADD_FAILURE() << "wrote what was not taken";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
  }
  writes_that_take_nothing = 0;
}

/// What is said where this is done; "(nothing)" where it succeeds.
std::string words_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const DataError& error) {
    return error.what();
  }
  return "(nothing)";
}

TEST(AtomicFile, AnInterruptedWriteIsMadeAgainAndAFailedOneIsTold) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("a"), false);
    answers_of_pwrite = {EINTR, EINTR};
    file.write("whole");
    file.commit(5);
  }
  EXPECT_EQ(load(folder.file("a")), "whole");
  {
    AtomicFile file(folder.file("b"), false);
    answers_of_pwrite = {EIO};
    const std::string words = words_of([&] { file.write("lost"); });
    EXPECT_NE(words.find("Input/output error"), std::string::npos) << words;
  }
  EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, RoomThatTheDiskLacksIsToldAndOneThatCannotBeAskedForIsNot) {
  const TemporaryFolder folder;
  for (const auto& [error, words] :
       {std::pair{ENOSPC, "No space left on device"}, std::pair{EFBIG, "File too large"}, std::pair{EDQUOT, "quota"}}) {
    AtomicFile file(folder.file("a"), false);
    answers_of_fallocate = {EINTR, error};
    const std::string said = words_of([&] { file.reserve(100); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_TRUE(answers_of_fallocate.empty());
  }
  EXPECT_EQ(folder.entries(), 0);
  AtomicFile file(folder.file("a"), false);
  answers_of_fallocate = {EOPNOTSUPP};
  file.reserve(100);
  file.write("x");
  EXPECT_NE(words_of([&] { file.commit(100); }).find("1 bytes arrived"), std::string::npos)
      << "room that was asked for is taken for bytes that were written";
}

TEST(AtomicFile, ALargeFileGoesToTheDiskInPiecesBetweenWhichItStops) {
  constexpr std::int64_t kPiece = std::int64_t{64} << 20;
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"), false);
  file.write_at(2 * kPiece, "x", 1);  // three pieces, of which two are holes
  std::atomic<bool> stop = false;
  int pieces = 0;
  instead_of_sync_file_range = [&] { stop = ++pieces == 2; };
  EXPECT_THROW(file.finish(2 * kPiece + 1, true, Progress({}, &stop)), Cancelled);
  EXPECT_EQ(pieces, 2);
  pieces = 2;  // no more stops
  stop = false;
  file.finish(2 * kPiece + 1, true, Progress({}, &stop));
  instead_of_sync_file_range = {};
  EXPECT_EQ(pieces, 5);
  file.appear();
  EXPECT_EQ(std::filesystem::file_size(folder.file("a")), 2 * kPiece + 1);
}

TEST(AtomicFile, OneThatIsAssignedToIsTheOtherAndItsOwnBytesGo) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("a"), false);
    file.write("first");
    AtomicFile other(folder.file("b"), false);
    other.write("second");
    file = std::move(other);
    file.commit(6);
  }
  EXPECT_EQ(load(folder.file("b")), "second");
  EXPECT_EQ(folder.entries(), 1);
}

/// The signal handler knows 256.
TEST(AtomicFile, AsManyAsThereAreOpenAtATimeAreWhole) {
  constexpr int kFiles = 300;
  const TemporaryFolder folder;
  std::vector<AtomicFile> files;
  for (int i = 0; i < kFiles; ++i) {
    files.emplace_back(folder.file(std::to_string(i)), false);
    files.back().write(std::to_string(i));
  }
  for (AtomicFile& file : files) file.commit();
  EXPECT_EQ(folder.entries(), kFiles);
  for (int i = 0; i < kFiles; ++i) EXPECT_EQ(load(folder.file(std::to_string(i))), std::to_string(i));
}

TEST(AtomicFile, ASignalHandlerCanRemoveTheTemporaries) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"), false);
  file.write("x");
  unlink_open_temporaries();
  EXPECT_EQ(folder.entries(), 0);
  EXPECT_THROW(file.commit(), DataError);
}

/// A name like that of a temporary of ours, of another process.
std::string temporary_of(const std::string& own, const std::string& pid) {
  const std::size_t number = own.rfind('-'), process = own.rfind('-', number - 1);
  return own.substr(0, process + 1) + pid + own.substr(number);
}

TEST(AtomicFile, IsOnTheDiskBeforeItHasItsName) {
  const TemporaryFolder folder;
  output_of_test = folder.file("a");
  synced.clear();
  AtomicFile file(folder.file("a"), false);
  file.write("x");
  file.commit(1);
  output_of_test.clear();
  EXPECT_EQ(synced, (std::vector<std::string>{"file before", "folder after"}));
}

/// Two files of a group, their commits called but not the group's.
void write_two(const TemporaryFolder& folder, CommitGroup& group) {
  for (const char* name : {"a", "b"}) {
    AtomicFile file(folder.file(name), {false, &group});
    file.write(name);
    file.commit(1);
  }
}

TEST(CommitGroup, NamesAllFilesAfterAllAreOnTheDiskAndSyncsTheFolderOnce) {
  const TemporaryFolder folder;
  output_of_test = folder.file("a");
  synced.clear();
  CommitGroup group;
  write_two(folder, group);
  EXPECT_EQ(group.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  EXPECT_TRUE(synced.empty());
  group.commit();
  EXPECT_EQ(synced, (std::vector<std::string>{"file before", "file before", "folder after"}));
  synced.clear();
  CommitGroup none(Durable::no);
  const TemporaryFolder other;
  write_two(other, none);
  EXPECT_EQ(other.entries(), 2);
  EXPECT_FALSE(std::filesystem::exists(other.file("a")));
  none.commit();
  EXPECT_TRUE(synced.empty());
  output_of_test.clear();
  for (const TemporaryFolder* each : {&folder, &other}) {
    EXPECT_EQ(load(each->file("a")) + load(each->file("b")), "ab");
    EXPECT_EQ(each->entries(), 2);
  }
}

TEST(CommitGroup, EachIsAsDurableAsAloneAndNeedsNoCommit) {
  const TemporaryFolder folder;
  output_of_test = folder.file("b");
  synced.clear();
  CommitGroup group(Durable::each);
  write_two(folder, group);
  output_of_test.clear();
  EXPECT_EQ(synced, (std::vector<std::string>{"file before", "folder before", "file before", "folder after"}));
  EXPECT_EQ(group.size(), 0U);
  EXPECT_EQ(load(folder.file("b")), "b");
}

TEST(CommitGroup, NamesNothingWhereOneFileIsShortOrTheWorkStops) {
  const TemporaryFolder folder;
  {
    CommitGroup group;
    write_two(folder, group);
    AtomicFile file(folder.file("c"), {false, &group});
    file.write("short");
    file.commit(6);
    EXPECT_THROW(group.commit(), DataError);
    EXPECT_EQ(folder.entries(), 0);
    write_two(folder, group);
    const std::atomic<bool> stop{true};
    EXPECT_THROW(group.commit(Progress({}, &stop)), Cancelled);
    EXPECT_EQ(folder.entries(), 0);
    write_two(folder, group);
  }
  EXPECT_EQ(folder.entries(), 0) << "a group that is never committed left something";
}

TEST(AtomicFile, SweepsWhatAKilledProcessLeft) {
  const TemporaryFolder first, folder;
  std::string own;
  {
    const AtomicFile file(first.file("a"), false);
    own = std::filesystem::path(file.temporary_path()).filename();
  }
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const auto leave = [&](const std::string& name) { std::ofstream(folder.file(name)) << "half"; };
  const std::string dead = temporary_of(own, std::to_string(gone)), alive = temporary_of(own, "1");
  for (const std::string& name : {dead, alive, std::string(".reber-x-1-2.tmp"), std::string("data.tmp")}) leave(name);
  AtomicFile file(folder.file("a"), false);
  file.write("x");
  file.commit(1);
  EXPECT_FALSE(std::filesystem::exists(folder.file(dead)));
  EXPECT_TRUE(std::filesystem::exists(folder.file(alive)));
  EXPECT_EQ(folder.entries(), 4);
}

TEST(AtomicFile, TakesNamesAsLongAsTheSystemDoes) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  AtomicFile file(folder.file(name), false);
  file.write("x");
  file.commit(1);
  EXPECT_EQ(load(folder.file(name)), "x");
}

}  // namespace
}  // namespace reber
