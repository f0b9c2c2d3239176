// SPDX-License-Identifier: BSD-3-Clause
// process.WORD is a holder's file, KEY.1 a lease.
#include "core/run/batch/lease_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/threads.hpp"
#include "core/files/io/file_in_place.hpp"
#include "core/files/io/process_space.hpp"

namespace reber {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHolder = "process.";
constexpr std::int64_t kSilence = 60;  // seconds

/// What a process of this machine writes of its file.
std::string locked_here() { return "locked on " + process_space(); }

/// A file of somebody else, opened to look at.
class Seen {
 public:
  explicit Seen(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}
  ~Seen() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  [[nodiscard]] bool is_there() const { return descriptor_ >= 0; }
  [[nodiscard]] bool is_locked() const {
    if (::flock(descriptor_, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    ::flock(descriptor_, LOCK_UN);
    return false;
  }
  [[nodiscard]] std::string text() const {
    std::string text(64, '\0');
    const ssize_t got = ::pread(descriptor_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }
  [[nodiscard]] struct stat state() const {
    struct stat found {};
    (void)::fstat(descriptor_, &found);
    return found;
  }

 private:
  int descriptor_;
};

}  // namespace

struct FileLeases::State {
  std::string folder, own;
  std::optional<FileInPlace> file;
  bool has_links = true;
  std::atomic<bool> met{false};
  std::mutex mutex;
  std::condition_variable over;
  bool ended = false;
  std::thread heart;

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }

  void begin() {
    std::random_device device;
    own = fmt::format("{}{:08x}{:08x}{:08x}", kHolder, device(), device(), device());
    for (int attempt = 0;; ++attempt) {
      // Whoever was the last here may take the folder away in between.
      std::error_code error;
      const bool made = fs::create_directory(folder, error);
      if (error) throw DataError(fmt::format("cannot make the folder '{}': {}", printable(folder), error.message()));
      // Whatever the umask says: those of this user meet here.
      if (made) fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
      try {
        file.emplace(path(own));
        (void)::fchmod(file->descriptor(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
        break;
      } catch (const DataError&) {
        constexpr int kAttempts = 100;
        if (attempt == kAttempts) throw;
      }
    }
    const bool locked = ::flock(file->descriptor(), LOCK_EX | LOCK_NB) == 0;
    file->append(locked ? locked_here() : "not locked");
    heart = start_thread([this] { beat(); });
  }

  void beat() {
    std::unique_lock lock(mutex);
    while (!ended) {
      ::futimens(file->descriptor(), nullptr);
      over.wait_for(lock, std::chrono::seconds(1), [&] { return ended; });
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      ended = true;
    }
    over.notify_all();
    if (heart.joinable()) heart.join();
    remove_gone();
    ::unlink(path(own).c_str());
    ::rmdir(folder.c_str());
  }

  /// Files of holders that are gone; one's leases are left to whoever takes them over.
  void remove_gone() {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (const std::string name = entry->path().filename().string();
          name.starts_with(kHolder) && name != own && is_gone(name))
        ::unlink(path(name).c_str());
  }

  /// Of a holder's file or one of its leases.
  [[nodiscard]] bool is_gone(const std::string& name) const {
    const Seen other(path(name));
    if (!other.is_there()) return errno == ENOENT || errno == ELOOP;  // a link has no holder
    const struct stat theirs = other.state();
    struct stat mine {};
    ::futimens(file->descriptor(), nullptr);
    if (::fstat(file->descriptor(), &mine) != 0 || mine.st_ino == theirs.st_ino || other.is_locked()) return false;
    return other.text() == locked_here() || mine.st_mtim.tv_sec - theirs.st_mtim.tv_sec > kSilence;
  }
};

FileLeases::FileLeases(const std::string& folder) : state_(std::make_unique<State>()) {
  state_->folder = folder + "/.reber-leases";
  state_->begin();
  (void)names();
  state_->remove_gone();
}

FileLeases::~FileLeases() { state_->end(); }

std::vector<std::string> FileLeases::names() {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(state_->folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path().filename().string());
    if (found.back().starts_with(kHolder) && found.back() != state_->own) state_->met = true;
  }
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  if (error)
    throw DataError(fmt::format("cannot read the folder '{}': {}", printable(state_->folder), error.message()));
  return found;
}

bool FileLeases::claim(const std::string& name) {
  if (!state_->has_links) return true;
  if (::link(state_->path(state_->own).c_str(), state_->path(name).c_str()) == 0) return true;
  const int error = errno;
  if (error == EEXIST) return false;
  // Without links nothing tells whether others are at work: each process does its list, as told.
  if (error != EPERM && error != EOPNOTSUPP && error != EMLINK && error != ENOSYS)
    throw DataError(
        fmt::format("cannot write '{}': {}", printable(state_->path(name)), std::generic_category().message(error)));
  state_->has_links = false;
  return true;
}

void FileLeases::remove(const std::string& name) { ::unlink(state_->path(name).c_str()); }

bool FileLeases::is_gone(const std::string& name) { return state_->is_gone(name); }

bool FileLeases::met_others() const { return state_->met; }

}  // namespace reber
