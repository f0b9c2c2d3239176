// SPDX-License-Identifier: BSD-3-Clause
// One spelling of a path, against the standard library's.
#include "core/files/io/plain_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace reber {
namespace {

TEST(PlainPath, is_the_standard_librarys_normal_form) {
  for (const char* path : {"/", "/a", "/a/b.fits", "/a//b", "/a/./b", "/a/../b", "/../a", "/a/b/../../c", "/a/b/../..",
                           "a.fits", "./a.fits", "../a/b", ".../a", "a/..b/c..", "/a/../../../b/./c"})
    EXPECT_EQ(plain_path(path), std::filesystem::absolute(path).lexically_normal().string()) << path;
}

TEST(PlainPath, has_no_slash_at_its_end) { EXPECT_EQ(plain_path("/a/b/"), "/a/b"); }

}  // namespace
}  // namespace reber
