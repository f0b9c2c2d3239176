// SPDX-License-Identifier: BSD-3-Clause
// Files that get their names together, of which one could not be made.
#include "core/files/io/commit_group.hpp"

#include <gtest/gtest.h>

#include <new>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/pipeline/products.hpp"
#include "core/seam/compute/card_error.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::TemporaryFolder;

void write(const std::string& path, CommitGroup& group) {
  AtomicFile file(path, {false, &group});
  file.write("text");
  file.commit();
}

TEST(CommitGroup, WhatIsLackingIsToldOnceTheOthersHaveTheirNames) {
  for (const Durable durable : {Durable::end, Durable::no}) {
    const TemporaryFolder folder;
    CommitGroup group(durable);
    write(folder.file("a"), group);
    group.lack(std::make_exception_ptr(DataError("first")));
    group.lack(std::make_exception_ptr(DataError("second")));
    write(folder.file("b"), group);
    try {
      group.commit();
      FAIL() << "nothing was told";
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "first");
    }
    EXPECT_EQ(folder.entries(), 2);
    EXPECT_EQ(testing_files::load(folder.file("a")), "text");
    group.commit();  // told once
  }
}

TEST(CommitGroup, APictureThatMemoryLacksForLeavesTheCatalogue) {
  const TemporaryFolder folder;
  CommitGroup group;
  write(folder.file("a.csv"), group);
  EXPECT_TRUE(drawn_or_lacking("b.png", {false, &group}, [] {}));
  EXPECT_FALSE(drawn_or_lacking("b.png", {false, &group}, [] { throw std::bad_alloc(); }));
  try {
    group.commit();
    FAIL() << "nothing was told";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("memory to draw 'b.png'"), std::string::npos) << error.what();
  }
  EXPECT_EQ(testing_files::load(folder.file("a.csv")), "text");
}

TEST(CommitGroup, WhatStopsTheWholeRunIsNotKeptForLater) {
  CommitGroup group;
  const FileOptions how(false, &group);
  EXPECT_THROW(drawn_or_lacking("b", how, [] { throw DataError("full"); }), DataError);
  EXPECT_THROW(drawn_or_lacking("b", how, [] { throw Cancelled(); }), Cancelled);
  EXPECT_THROW(drawn_or_lacking("b", how, [] { throw CardError(CardError::Kind::memory, "card"); }), CardError);
  EXPECT_THROW(drawn_or_lacking("b", {}, [] { throw std::bad_alloc(); }), std::bad_alloc);
  group.commit();
}

}  // namespace
}  // namespace reber
