// SPDX-License-Identifier: BSD-3-Clause
// Processes of several machines that share a batch, played: a folder, its clock and the order of all steps are drawn
// from a seed. REBER_SCHEDULES is how many are played, REBER_SCHEDULE the one to play again.
#include "core/run/batch/claims.hpp"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace reber {
namespace {

constexpr int kRanks = 4, kImages = 3;
constexpr double kSilence = 60, kOldListing = 3;  // seconds

struct Crash : std::exception {};

/// One folder that all ranks see. One rank moves at a time; before each step any other may go on, may be late, or end.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    for (Rank& rank : ranks_) rank.machine = draw(2);
    crashes_ = draw(3) == 0 ? 0 : draw(kRanks);
    delays_ = draw(3) == 0 ? 1 + draw(2) : 0;
    stops_ = draw(2) == 0 ? draw(kRanks) : 0;
    // Left by processes that ended long ago.
    if (draw(2) == 0) claimed_[hash_of({"image0"}) + ".1"] = kNobody;
    if (draw(4) == 0) claimed_[hash_of({"image1"}) + ".7"] = kNobody;
  }

  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  /// Lets others go on first.   throws Crash where this rank ends here
  void step(int who) {
    std::unique_lock lock(mutex_);
    if (ranks_[who].ended) throw Crash();
    now_ += 0.01 * draw(100);
    for (Rank& rank : ranks_)
      if (!rank.ended && rank.late_until <= now_) rank.heard = now_;
    if (crashes_ > 0 && draw(60) == 0) {
      --crashes_;
      ranks_[who].ended = ranks_[who].crashed = true;
      hand_on();
      throw Crash();
    }
    if (delays_ > 0 && draw(40) == 0) {
      --delays_;
      ranks_[who].late_until = now_ + kSilence * (0.5 + draw(3));
      ranks_[who].was_late = true;
    }
    hand_on();
    ranks_[who].turn.wait(lock, [&] { return at_move_ == who; });
  }

  void begin(int who) {
    std::unique_lock lock(mutex_);
    ranks_[who].turn.wait(lock, [&] { return at_move_ == who; });
  }
  /// Whether the user stops this rank here: it gives back what it holds, and does nothing more.
  bool stops(int who) {
    if (stops_ == 0 || draw(6) != 0) return false;
    --stops_;
    return ranks_[who].stopped = true;
  }
  void end(int who) {
    const std::lock_guard lock(mutex_);
    if (ranks_[who].ended) return;
    ranks_[who].ended = true;
    hand_on();
  }

  struct Rank {
    int machine = 0;
    double heard = 0, late_until = 0;
    bool ended = false, crashed = false, stopped = false, was_late = false;
    std::condition_variable turn;
    std::set<std::string> listing;  ///< as this machine remembers it
    double listed = -100;
    std::size_t read = 0;  ///< records
    std::map<int, int> did;
  };
  static constexpr int kNobody = -1;

  std::array<Rank, kRanks> ranks_;
  std::map<std::string, int> claimed_;  ///< who, by name
  std::vector<ImageRecord> records_;
  double now_ = 0;
  bool stuck_ = false;  ///< somebody waits, and nobody will ever give back

 private:
  /// Whoever is neither late nor at the end; time passes where all are late.
  void hand_on() {
    for (;;) {
      std::vector<int> ready;
      bool any = false;
      for (int i = 0; i < kRanks; ++i) {
        any = any || !ranks_[i].ended;
        if (!ranks_[i].ended && ranks_[i].late_until <= now_) ready.push_back(i);
      }
      if (!any) return;
      if (ready.empty()) {
        now_ += 1;
        continue;
      }
      at_move_ = ready[draw(static_cast<int>(ready.size()))];
      if (ranks_[at_move_].late_until > 0) ranks_[at_move_].heard = now_;
      return ranks_[at_move_].turn.notify_one();
    }
  }

  std::mt19937_64 random_;
  std::mutex mutex_;
  int at_move_ = 0, crashes_ = 0, delays_ = 0, stops_ = 0;
};

/// The folder as one rank sees it: what a machine remembers of it may be old, until it changes the folder itself.
class Played final : public LeaseFolder {
 public:
  Played(World& world, int who) : world_(world), who_(who) {}

  std::vector<std::string> names() override {
    world_.step(who_);
    World::Rank& own = world_.ranks_[who_];
    if (world_.now_ - own.listed > kOldListing || world_.draw(2) == 0) {
      own.listing.clear();
      for (const auto& [name, holder] : world_.claimed_) own.listing.insert(name);
      own.listed = world_.now_;
    }
    return {own.listing.begin(), own.listing.end()};
  }
  bool claim(const std::string& name) override {
    world_.step(who_);
    world_.ranks_[who_].listed = -100;
    return world_.claimed_.emplace(name, who_).second;
  }
  void remove(const std::string& name) override {
    world_.step(who_);
    world_.ranks_[who_].listed = -100;
    world_.claimed_.erase(name);
  }
  bool is_gone(const std::string& name) override {
    world_.step(who_);
    const auto found = world_.claimed_.find(name);
    if (found == world_.claimed_.end() || found->second == World::kNobody) return true;
    const World::Rank &own = world_.ranks_[who_], &other = world_.ranks_[found->second];
    if (own.machine == other.machine) return other.ended;  // by its lock
    return world_.now_ - other.heard > kSilence;
  }

 private:
  World& world_;
  int who_;
};

std::string image(int i) { return "image" + std::to_string(i); }

/// As a batch does: all of its list, and again what others hold, until none is left.
void work(World& world, int who) {
  Played folder(world, who);
  World::Rank& own = world.ranks_[who];
  std::vector<std::string> images;
  for (int i = 0; i < kImages; ++i) images.push_back(image(i));
  Claims claims(folder, images, [&] {
    world.step(who);
    std::vector<ImageRecord> news(world.records_.begin() + static_cast<std::ptrdiff_t>(own.read), world.records_.end());
    own.read = world.records_.size();
    return news;
  });
  std::vector<int> left;
  for (int i = 0; i < kImages; ++i) left.push_back(i);
  constexpr double kForEver = 1e5;  // seconds
  while (!left.empty()) {
    if (world.now_ > kForEver) world.stuck_ = true;
    if (world.stuck_) return;
    std::vector<int> held;
    for (const int i : left) {
      ImageRecord found;
      const auto answer = claims.ask(
          image(i), [](const ImageRecord&) { return true; }, found);
      if (answer == Claims::Answer::held) held.push_back(i);
      if (answer != Claims::Answer::taken) continue;
      for (int steps = world.draw(6); steps >= 0; --steps) world.step(who);
      if (world.stops(who)) return;
      ImageRecord record;
      record.path = image(i);
      world.records_.push_back(record);
      ++own.did[i];
      world.step(who);
      claims.release(image(i));
    }
    if (held.size() == left.size()) world.now_ += world.draw(30);  // a pause
    left = held;
  }
}

void play(std::uint64_t seed) {
  World world(seed);
  std::vector<std::thread> threads;
  for (int who = 0; who < kRanks; ++who)
    threads.emplace_back([&world, who] {
      world.begin(who);
      try {
        work(world, who);
      } catch (const Crash&) {
      }
      world.end(who);
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(world.stuck_) << "REBER_SCHEDULE=" << seed;
  bool any_to_the_end = false, late = false;
  for (const World::Rank& rank : world.ranks_) {
    any_to_the_end = any_to_the_end || !(rank.crashed || rank.stopped);
    late = late || rank.was_late;
  }
  if (!any_to_the_end) return;
  std::map<std::string, int> done;
  for (const ImageRecord& record : world.records_) ++done[record.path];
  for (int i = 0; i < kImages; ++i) {
    ASSERT_GE(done[image(i)], 1) << "nobody did " << image(i) << ": REBER_SCHEDULE=" << seed;
    // Twice alone where a process was taken for gone, and was not.
    if (!late) {
      ASSERT_EQ(done[image(i)], 1) << image(i) << " was done again: REBER_SCHEDULE=" << seed;
    }
  }
  for (const auto& [name, who] : world.claimed_)
    ASSERT_TRUE(who == World::kNobody || world.ranks_[who].crashed) << name << " is left: REBER_SCHEDULE=" << seed;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Claims, of_any_order_of_steps_each_image_is_done_once) {
  if (std::getenv("REBER_SCHEDULE") != nullptr) return play(number("REBER_SCHEDULE", 0));
  const std::uint64_t count = number("REBER_SCHEDULES", 10'000);
  for (std::uint64_t seed = 0; seed < count && !HasFatalFailure(); ++seed) play(seed);
}

/// A folder whose listings are told beforehand; the last one stays.
class Told final : public LeaseFolder {
 public:
  using Listings = std::vector<std::vector<std::string>>;
  explicit Told(Listings listings) : listings_(std::move(listings)) {}

  std::vector<std::string> names() override {
    const std::vector<std::string> found = listings_.front();
    if (listings_.size() > 1) listings_.erase(listings_.begin());
    return found;
  }
  bool claim(const std::string& name) override { return claimed_.insert(name).second; }
  void remove(const std::string& name) override { claimed_.erase(name); }
  bool is_gone(const std::string& name) override { return gone_.contains(name); }

  std::set<std::string> claimed_, gone_;

 private:
  Listings listings_;
};

/// Two who saw different listings claim different numbers: whoever looks later steps back.
TEST(Leases, one_is_given_back_where_the_second_look_finds_another_holder) {
  for (const char* other : {"k.2", "k.9"}) {
    Told folder(Told::Listings{{}, {"k.1", other}, {}});
    Leases leases(folder);
    EXPECT_FALSE(leases.take("k")) << other;
    EXPECT_TRUE(folder.claimed_.empty()) << other;
  }
}

TEST(Leases, leases_of_those_who_are_gone_and_of_other_things_do_not_stand_in_the_way) {
  Told folder(Told::Listings{{"k.4"}, {"k.5", "k.4", "k.3", "kk.9", "k.x", "process.1"}, {}});
  folder.claimed_ = folder.gone_ = {"k.3", "k.4"};
  Leases leases(folder);
  EXPECT_TRUE(leases.take("k"));
  EXPECT_EQ(folder.claimed_, (std::set<std::string>{"k.5"}));
}

/// Else nobody could look at the image again while this process lives.
TEST(Claims, the_lease_of_an_image_that_is_done_is_given_back) {
  Told folder(Told::Listings{{}});
  ImageRecord done, found;
  done.path = "a";
  Claims claims(folder, {"a", "b"}, [&] { return std::vector<ImageRecord>{done}; });
  const auto holds = [](const ImageRecord&) { return true; };
  EXPECT_EQ(claims.ask("a", holds, found), Claims::Answer::done);
  EXPECT_EQ(found.path, "a");
  EXPECT_TRUE(folder.claimed_.empty());
  EXPECT_EQ(claims.ask("b", holds, found), Claims::Answer::taken);
  EXPECT_EQ(folder.claimed_.size(), 1U);
  claims.release("b");
  EXPECT_TRUE(folder.claimed_.empty());
}

}  // namespace
}  // namespace reber
