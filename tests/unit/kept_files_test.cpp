// SPDX-License-Identifier: BSD-3-Clause
// Files that no output replaces: by any name, and not whoever gets their number later.
#include "core/files/io/kept_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

void make(const std::string& path) { std::ofstream(path) << "x"; }

TEST(KeptFiles, are_known_by_any_name_and_not_by_a_number_that_another_file_has_later) {
  const testing_files::TemporaryFolder folder;
  const std::string kept = folder.file("kept"), link = folder.file("link"), symlink = folder.file("symlink");
  make(kept);
  make(folder.file("other"));
  keep_file(kept);
  std::filesystem::create_hard_link(kept, link);
  std::filesystem::create_symlink(kept, symlink);
  EXPECT_TRUE(is_kept(kept));
  EXPECT_TRUE(is_kept(link));
  EXPECT_TRUE(is_kept(symlink));
  EXPECT_FALSE(is_kept(folder.file("other")));
  EXPECT_FALSE(is_kept(folder.file("none")));
  EXPECT_FALSE(is_kept(folder.file(".")));

  struct statx before {};
  ASSERT_EQ(::statx(AT_FDCWD, kept.c_str(), 0, STATX_INO | STATX_BTIME, &before), 0);
  if ((before.stx_mask & STATX_BTIME) == 0) return;  // such a file system does not tell
  for (const std::string& name : {kept, link, symlink}) std::filesystem::remove(name);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // times of birth are told in steps of the clock's tick
  for (int i = 0; i < 40; ++i) {
    const std::string later = folder.file("later" + std::to_string(i));
    make(later);
    EXPECT_FALSE(is_kept(later));
  }
}

}  // namespace
}  // namespace reber
