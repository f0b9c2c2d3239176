// SPDX-License-Identifier: BSD-3-Clause
// Leases as files: what stands in their folder that no process of ours put there.
#include "core/run/batch/lease_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryFolder;

/// A file that somebody keeps locked.
class Locked {
 public:
  explicit Locked(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_EQ(::flock(descriptor_, LOCK_EX), 0);
  }
  ~Locked() { ::close(descriptor_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int descriptor_;
};

/// Links are not followed: what they lead to tells nothing of a holder, and stays as it is.
TEST(FileLeases, ALinkIsNoLease) {
  const TemporaryFolder folder;
  const Locked locked(folder.file("locked"));
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  FileLeases leases(folder.path());
  const std::string inside = folder.path() + "/.reber-leases/";
  for (const char* target : {"locked", "fifo", "nowhere", "."}) {
    fs::create_symlink(folder.file(target), inside + "k.1");
    EXPECT_TRUE(leases.is_gone("k.1")) << target;
    Leases all(leases);
    EXPECT_TRUE(all.take("k")) << target;
    EXPECT_FALSE(fs::exists(fs::symlink_status(inside + "k.1"))) << target;
    EXPECT_TRUE(fs::exists(inside + "k.2")) << target;
    all.release("k");
  }
  EXPECT_TRUE(fs::exists(folder.file("locked")));
  EXPECT_TRUE(fs::exists(folder.file("fifo")));
}

TEST(FileLeases, OneThatALivingProcessKeepsLockedIsHeld) {
  const TemporaryFolder folder;
  FileLeases leases(folder.path());
  const Locked other(folder.path() + "/.reber-leases/k.1");
  EXPECT_FALSE(leases.is_gone("k.1"));
  Leases all(leases);
  EXPECT_FALSE(all.take("k"));
}

}  // namespace
}  // namespace reber
