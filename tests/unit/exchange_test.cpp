// SPDX-License-Identifier: BSD-3-Clause
// Processes that exchange bytes through a folder, played by threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/run/batch/folder_exchange.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// Runs work(rank) on a thread each.
template <class Work>
void together(std::int64_t count, const Work& work) {
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < count; ++i) threads.emplace_back([&work, i, count] { work(Rank{i, count}); });
  for (std::thread& thread : threads) thread.join();
}

TEST(FolderExchange, GivesAllToAllAndLeavesNothing) {
  const testing_files::TemporaryFolder folder;
  const std::string talk = folder.file("talk");
  constexpr int kSteps = 20;
  std::atomic<int> right{0};
  together(4, [&](Rank rank) {
    FolderExchange exchange(talk, rank, "same", {});
    for (int step = 0; step < kSteps; ++step) {
      const auto said = [&](std::int64_t who) {
        return std::string(static_cast<std::size_t>(who * step * 1000), 'x') + std::to_string(who * 100 + step);
      };
      const std::vector<std::string> all = exchange.gather(said(rank.index), {});
      bool same = all.size() == 4;
      for (std::int64_t who = 0; same && who < 4; ++who) same = all[static_cast<std::size_t>(who)] == said(who);
      right += same ? 1 : 0;
    }
    exchange.finish({});
  });
  EXPECT_EQ(right, 4 * kSteps);
  EXPECT_FALSE(fs::exists(talk));
}

TEST(FolderExchange, TakesNothingOfAnEarlierCall) {
  const testing_files::TemporaryFolder folder;
  const std::string talk = folder.file("talk");
  // The second process of an earlier call was killed, and the first one gave up.
  together(2, [&](Rank rank) { const FolderExchange exchange(talk, rank, "same", {}); });
  EXPECT_TRUE(fs::exists(talk + "/hello.1"));
  std::ofstream(talk + "/note.txt") << "of the user";
  std::atomic<int> right{0};
  together(2, [&](Rank rank) {
    if (rank.index == 1) std::this_thread::sleep_for(milliseconds(30));
    FolderExchange exchange(talk, rank, "same", {});
    right += exchange.gather(std::to_string(rank.index), {}) == std::vector<std::string>{"0", "1"} ? 1 : 0;
    exchange.finish({});
  });
  EXPECT_EQ(right, 2);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(talk)) left.push_back(entry.path().filename().string());
  EXPECT_EQ(left, std::vector<std::string>{"note.txt"});
}

TEST(FolderExchange, FollowsNoLink) {
  const testing_files::TemporaryFolder folder;
  fs::create_directories(folder.file("talk"));
  testing_files::save(folder.file("image"), "input");
  for (const char* name : {"hello.0.new", "hello.0", "alive.0"})
    fs::create_symlink(folder.file("image"), folder.file("talk") + "/" + name);
  const auto before = fs::last_write_time(folder.file("image"));
  together(2, [&](Rank rank) { FolderExchange(folder.file("talk"), rank, "same", {}).finish({}); });
  EXPECT_EQ(testing_files::load(folder.file("image")), "input");
  EXPECT_EQ(fs::last_write_time(folder.file("image")), before);
}

TEST(FolderExchange, SaysWhyItWaitsNoLonger) {
  const testing_files::TemporaryFolder folder;
  const ExchangePatience brief{milliseconds(300), milliseconds(1500)};
  // Another image; nobody; one that fails; one that is killed, of which nothing is heard.
  together(2, [&](Rank rank) {
    EXPECT_THROW(FolderExchange(folder.file("a"), rank, rank.index == 0 ? "one" : "other", {}, brief), InputError);
  });
  EXPECT_THROW(FolderExchange(folder.file("b"), {0, 2}, "same", {}, brief), DeviceError);
  together(2, [&](Rank rank) {
    FolderExchange exchange(folder.file("c"), rank, "same", {}, brief);
    if (rank.index == 0) {
      EXPECT_THROW((void)exchange.gather("", {}), DeviceError);
    }
  });
  std::atomic<bool> given_up{false};
  together(2, [&](Rank rank) {
    FolderExchange exchange(folder.file("d"), rank, "same", {}, brief);
    if (rank.index == 1) {
      // Its clock stands still, as that of a killed process does.
      const auto long_ago = fs::file_time_type::clock::now() - std::chrono::seconds(10);
      while (!given_up) {
        fs::last_write_time(folder.file("d") + "/alive.1", long_ago);
        std::this_thread::sleep_for(milliseconds(1));
      }
      return;
    }
    try {
      (void)exchange.gather("", {});
      ADD_FAILURE() << "a process that was silent gave something";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("process 1 of 2 has not been heard of"), std::string::npos);
    }
    given_up = true;
  });
  std::atomic<bool> stop{true};
  EXPECT_THROW(FolderExchange(folder.file("e"), {0, 2}, "same", Progress({}, &stop)), Cancelled);
}

TEST(Exchange, PartsFollowEachOtherAndAreAll) {
  const testing_files::TemporaryFolder folder;
  together(3, [&](Rank rank) {
    FolderExchange exchange(folder.file("talk"), rank, "same", {});
    for (const std::int64_t things : {0, 1, 2, 3, 100, 101}) {
      std::int64_t at = 0;
      for (std::int64_t who = 0; who < 3; ++who) {
        const auto [first, last] = exchange.part(things, who);
        EXPECT_EQ(first, at);
        EXPECT_LE(last - first, things / 3 + 1);
        at = last;
      }
      EXPECT_EQ(at, things);
    }
    exchange.finish({});
  });
}

}  // namespace
}  // namespace reber
