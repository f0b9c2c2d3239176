// SPDX-License-Identifier: BSD-3-Clause
// hello.RANK, alive.RANK, and CALL.STEP.RANK: files that appear whole.
#include "core/run/batch/folder_exchange.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/threads.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/run/batch/record.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kHeartbeat{1000};

std::string random_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}", device(), device(), device());
}

/// Waits between two looks, longer each time.
class Wait {
 public:
  void pause() {
    constexpr milliseconds kMost{50};
    std::this_thread::sleep_for(next_);
    next_ = std::min(kMost, next_ * 2);
  }

 private:
  milliseconds next_{1};
};

}  // namespace

struct FolderExchange::State {
  std::string folder;
  Rank rank;
  ExchangePatience patience;
  std::string call;  ///< what the processes of this call have in common, and no earlier call has
  std::int64_t step = 0;
  bool finished = false;

  std::mutex mutex;
  std::condition_variable over;
  bool ended = false;
  std::thread heart;

  [[nodiscard]] std::string path(const std::string& name) const { return (fs::path(folder) / name).string(); }
  [[nodiscard]] std::string of(const std::string& what, std::int64_t who) const {
    return fmt::format("{}.{}.{}", call, what, who);
  }
  [[nodiscard]] static std::string hello(std::int64_t who) { return fmt::format("hello.{}", who); }
  [[nodiscard]] static std::string alive(std::int64_t who) { return fmt::format("alive.{}", who); }

  void write(const std::string& name, const std::string& bytes) const;
  [[nodiscard]] std::optional<std::string> read(const std::string& name) const;
  void remove(const std::string& name) const {
    std::error_code error;
    fs::remove(path(name), error);
  }
  [[nodiscard]] std::set<std::string> names() const;

  void beat();
  void stop_heart();
  void check_others(const std::set<std::string>& found, const std::string& what) const;
  void await_all(const std::string& what, const Progress& progress) const;
  [[nodiscard]] bool agree(const std::string& own, const std::string& identity, std::int64_t& other);
  void meet(const std::string& identity, const Progress& progress);
  void sweep(bool all) const;
};

void FolderExchange::State::write(const std::string& name, const std::string& bytes) const {
  CommitGroup now(Durable::no);  // nobody needs them after a loss of power
  AtomicFile file(path(name), {true, &now});
  file.write(bytes);
  file.commit();
  now.commit();
}

std::optional<std::string> FolderExchange::State::read(const std::string& name) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 36;
  try {
    return fits::read_text(path(name), kMost);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// A file system of many machines tells of new files when the folder is read, not when a name is asked for.
std::set<std::string> FolderExchange::State::names() const {
  std::set<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    found.insert(entry->path().filename().string());
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  if (error) throw DataError(fmt::format("cannot read the folder '{}': {}", printable(folder), error.message()));
  return found;
}

void FolderExchange::State::beat() {
  std::unique_lock lock(mutex);
  while (!ended) {
    ::utimensat(AT_FDCWD, path(alive(rank.index)).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    over.wait_for(lock, kHeartbeat, [&] { return ended; });
  }
}

void FolderExchange::State::stop_heart() {
  {
    const std::lock_guard lock(mutex);
    ended = true;
  }
  over.notify_all();
  if (heart.joinable()) heart.join();
}

/// Times are those of the folder's machine, not of this one.
void FolderExchange::State::check_others(const std::set<std::string>& found, const std::string& what) const {
  const FileState own = state_of(path(alive(rank.index)));
  for (std::int64_t who = 0; who < rank.count; ++who) {
    if (found.contains(of("failed", who)))
      throw DeviceError(fmt::format("process {} of {} failed: its own message says why", who, rank.count));
    if (found.contains(of(what, who))) continue;
    const FileState other = state_of(path(alive(who)));
    if (other.bytes >= 0 && own.mtime_ns - other.mtime_ns > std::chrono::nanoseconds(patience.silence).count())
      throw DeviceError(fmt::format("process {} of {} has not been heard of for {} s: was it killed?", who, rank.count,
                                    patience.silence.count() / 1000));
  }
}

void FolderExchange::State::await_all(const std::string& what, const Progress& progress) const {
  Wait wait;
  for (;; wait.pause()) {
    progress.check();
    const std::set<std::string> found = names();
    bool all = true;
    for (std::int64_t who = 0; who < rank.count; ++who) all = all && found.contains(of(what, who));
    if (all) return;
    check_others(found, what);
  }
}

/// Names the call after what all processes say at its beginning.   returns whether all are there and say the same
bool FolderExchange::State::agree(const std::string& own, const std::string& identity, std::int64_t& other) {
  std::vector<std::string> said;
  other = -1;
  for (std::int64_t who = 0; who < rank.count; ++who) {
    const std::optional<std::string> text = who == rank.index ? own : read(hello(who));
    if (!text) {
      other = who;
      return false;
    }
    if (!text->ends_with('\n' + identity)) other = who;
    said.push_back(*text);
  }
  if (other >= 0) return false;
  const std::string named = hash_of(said);
  if (named != call) {
    call = named;
    write(of("ready", rank.index), "");
  }
  return true;
}

void FolderExchange::State::meet(const std::string& identity, const Progress& progress) {
  const std::string own = random_word() + '\n' + identity;
  write(alive(rank.index), "");
  heart = start_thread([this] { beat(); });
  write(hello(rank.index), own);
  const auto begin = Clock::now();
  for (Wait wait;; wait.pause()) {
    progress.report("wait for the other processes", 0);
    const std::set<std::string> found = names();
    std::int64_t other = -1;
    // What an earlier call left says something else, until the process of this call has said its own.
    const bool agreed = agree(own, identity, other);
    bool ready = agreed;
    for (std::int64_t who = 0; who < rank.count; ++who) ready = ready && found.contains(of("ready", who));
    if (ready) return;
    if (Clock::now() - begin < patience.start) continue;
    if (!agreed && found.contains(hello(other)))
      throw InputError(
          fmt::format("process {} of {} was given another image, other options or another version", other, rank.count));
    throw DeviceError(fmt::format("not all of {} processes have begun within {} s; each needs --share '{}'", rank.count,
                                  patience.start.count() / 1000, printable(folder)));
  }
}

/// Takes away what earlier calls left, or all.
void FolderExchange::State::sweep(bool all) const {
  for (const std::string& name : names()) {
    const bool of_call = name.size() > 16 && name[16] == '.' && name.find_first_not_of("0123456789abcdef") == 16;
    const bool of_process = name.starts_with("hello.") || name.starts_with("alive.");
    if ((of_call && (all || !name.starts_with(call))) || (of_process && all)) remove(name);
  }
}

FolderExchange::FolderExchange(std::string folder, Rank rank, const std::string& identity, const Progress& progress,
                               ExchangePatience patience)
    : state_(std::make_unique<State>()) {
  state_->folder = std::move(folder);
  state_->rank = rank;
  state_->patience = patience;
  std::error_code error;
  fs::create_directories(state_->folder, error);
  try {
    state_->meet(hash_of({identity}), progress);
    if (rank.index == 0) state_->sweep(false);
  } catch (...) {
    state_->stop_heart();
    throw;
  }
}

FolderExchange::~FolderExchange() {
  state_->stop_heart();
  if (state_->finished) return;
  try {
    state_->write(state_->of("failed", state_->rank.index), "");
  } catch (const std::exception&) {
    // The others see that nothing is heard of this process.
  }
}

std::int64_t FolderExchange::index() const { return state_->rank.index; }
std::int64_t FolderExchange::count() const { return state_->rank.count; }

std::vector<std::string> FolderExchange::gather(std::string own, const Progress& progress) {
  State& state = *state_;
  const std::string what = std::to_string(state.step);
  state.write(state.of(what, index()), own);
  state.await_all(what, progress);
  std::vector<std::string> all;
  for (std::int64_t who = 0; who < count(); ++who) {
    std::optional<std::string> bytes = who == index() ? std::move(own) : state.read(state.of(what, who));
    if (!bytes)
      throw DataError(
          fmt::format("cannot read what process {} of {} left in '{}'", who, count(), printable(state.folder)));
    all.push_back(std::move(*bytes));
  }
  // All have come to this step, so that all have read the one before.
  if (state.step > 0) state.remove(state.of(std::to_string(state.step - 1), index()));
  ++state.step;
  return all;
}

void FolderExchange::finish(const Progress& progress) {
  State& state = *state_;
  state.write(state.of("done", index()), "");
  state.finished = true;
  if (index() != 0) return;
  state.await_all("done", progress);
  state.stop_heart();
  state.sweep(true);
  std::error_code error;
  fs::remove(state.folder, error);  // where nothing else is in it
}

}  // namespace reber
