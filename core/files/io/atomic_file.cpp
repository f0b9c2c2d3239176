// SPDX-License-Identifier: BSD-3-Clause
// Temporary files that become the target in one step, and their removal by a signal handler.
#include "core/files/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/files/io/interrupted.hpp"
#include "core/files/io/kept_files.hpp"
#include "core/files/io/path_fence.hpp"
#include "core/files/io/process_space.hpp"

namespace reber {
namespace {

std::string system_words(int error) { return std::generic_category().message(error); }

/// Names of the temporaries that are open, readable from a signal handler: each slot is claimed and freed atomically,
/// and its text is whole whenever `used` is 2.
struct Slot {
  std::atomic<int> used{0};
  std::array<char, 4096> path{};
};
std::array<Slot, 256> slots;  // of a group of images

int claim_slot(const std::string& path) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int free = 0;
    if (path.size() >= slots[i].path.size() || !slots[i].used.compare_exchange_strong(free, 1)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].used.store(2, std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

void free_slot(int slot) {
  if (slot >= 0) slots[static_cast<std::size_t>(slot)].used.store(0, std::memory_order_release);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// The process of a temporary's name ".reber-SPACE-PID-N.tmp", where its space is ours; 0 of any other name.
pid_t owner_of(std::string_view name, const std::string& space) {
  const std::string start = ".reber-" + space + "-";
  if (space.empty() || !name.starts_with(start) || !name.ends_with(".tmp")) return 0;
  int pid = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + start.size(), end, pid);
  return error == std::errc() && stop != end && *stop == '-' && pid > 0 ? pid : 0;
}

/// Removes what processes that were killed left in a folder; once per folder. Never fails.
void sweep(const std::string& folder, const std::string& space) {
  static std::mutex mutex;
  static std::set<std::string> swept;
  const std::lock_guard lock(mutex);
  if (!swept.insert(folder).second) return;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const pid_t owner = owner_of(entry->path().filename().native(), space);
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) ::unlink(entry->path().c_str());
  }
}

/// Renames without replacing; falls back to a hard link where the file system cannot.
int rename_to_new(const char* from, const char* to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::link(from, to) == 0) return ::unlink(from);
  if (errno != EPERM && errno != EOPNOTSUPP) return -1;
  struct stat there {};
  if (::lstat(to, &there) == 0) {
    errno = EEXIST;
    return -1;
  }
  return ::rename(from, to);
}

}  // namespace

struct AtomicFile::State {
  std::string path, temporary, name;
  bool overwrite = false;
  mode_t mode = 0;  ///< of the file that it replaces; 0: of a new one
  CommitGroup* group = nullptr;
  int descriptor = -1;
  int slot = -1;
  std::int64_t end = 0;

  [[noreturn]] void fail(const char* what, int error) const {
    throw DataError(fmt::format("cannot {} '{}': {}", what, name, system_words(error)));
  }

  void check_target(const std::string& never_replace) {
    struct stat target {};
    if (::lstat(path.c_str(), &target) != 0) {
      if (errno == ENOENT) return;
      fail("write", errno);
    }
    struct stat input {};
    struct stat followed {};
    const bool is_input = !never_replace.empty() && ::stat(never_replace.c_str(), &input) == 0 &&
                          ::stat(path.c_str(), &followed) == 0 && input.st_dev == followed.st_dev &&
                          input.st_ino == followed.st_ino;
    if (is_input || is_kept(path)) {
      throw InputError(fmt::format("'{}' is the input itself: choose another name for the output", name));
    }
    if (S_ISDIR(target.st_mode)) throw InputError(fmt::format("cannot write '{}': it is a folder", name));
    if (!S_ISREG(target.st_mode) && !S_ISLNK(target.st_mode)) {
      throw InputError(fmt::format("cannot write '{}': it is not a regular file", name));
    }
    if (!overwrite) {
      throw InputError(fmt::format("'{}' exists: choose another name, or allow it with --overwrite", name));
    }
    if (S_ISREG(target.st_mode)) mode = target.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  }

  void make_temporary() {
    static std::atomic<unsigned> counter{0};
    static const std::string space = process_space();
    sweep(folder_of(path), space);
    for (int attempt = 0; attempt < 100; ++attempt) {
      temporary = fmt::format("{}/.reber-{}-{}-{}.tmp", folder_of(path), space.empty() ? "x" : space, ::getpid(),
                              counter.fetch_add(1));
      slot = claim_slot(temporary);
      descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor >= 0) {
        if (mode != 0) (void)::fchmod(descriptor, mode | S_IRUSR | S_IWUSR);  // a private file stays one
        return;
      }
      const int error = errno;
      free_slot(slot);
      slot = -1;
      if (error == EINTR) check_interrupted();
      if (error != EEXIST && error != EINTR) fail("write", error);
    }
    fail("write", EEXIST);
  }

  void write_at(std::int64_t offset, const void* bytes, std::size_t count) const {
    const auto* from = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t done = ::pwrite(descriptor, from, std::min(count, std::size_t{1} << 30), offset);
      if (done < 0 && errno == EINTR) {
        check_interrupted();
        continue;
      }
      if (done < 0) fail("write", errno);
      if (done == 0) fail("write", ENOSPC);
      from += done;
      offset += done;
      count -= static_cast<std::size_t>(done);
    }
  }

  /// fsync cannot be interrupted: pieces that can be waited for come first, and leave it little.
  void sync(std::int64_t bytes, const Progress& progress) const {
    constexpr std::int64_t kPiece = std::int64_t{64} << 20;
    for (std::int64_t begin = 0; bytes > kPiece && begin < bytes; begin += kPiece) {
      progress.check();
      constexpr unsigned kWhole =
          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;  // fsync reports errors
      ::sync_file_range(descriptor, begin, kPiece, kWhole);
    }
    progress.check();
    int status = 0;
    while ((status = ::fsync(descriptor)) != 0 && errno == EINTR) check_interrupted();
    if (status != 0 && errno != EINVAL) fail("write", errno);  // EINVAL: this file system has no such service
  }

  void discard() noexcept {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    if (!temporary.empty()) ::unlink(temporary.c_str());
    temporary.clear();
    free_slot(slot);
    slot = -1;
  }
};

AtomicFile::AtomicFile(std::string path, const FileOptions& options, const std::string& never_replace)
    : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
  state_->name = printable(state_->path);
  state_->overwrite = options.overwrite;
  state_->group = options.group;
  if (state_->path.empty()) throw InputError("an output file needs a name");
  if (state_->path.find('\0') != std::string::npos) throw InputError("a file name cannot hold a zero byte");
  check_fence(state_->path);
  state_->check_target(never_replace);
  state_->make_temporary();
}

AtomicFile::~AtomicFile() {
  if (state_) state_->discard();
}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  state_->write_at(state_->end, bytes, count);
  state_->end += static_cast<std::int64_t>(count);
}

void AtomicFile::write_at(std::int64_t offset, const void* bytes, std::size_t count) {
  state_->write_at(offset, bytes, count);
}

void AtomicFile::reserve(std::int64_t bytes) {
  // The size stays, so that commit() still sees a write that is missing. Not every file system can do this.
  while (::fallocate(state_->descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) != 0) {
    if (errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) state_->fail("write", errno);
    return;
  }
}

void AtomicFile::send(std::int64_t offset, std::int64_t count) {
  ::sync_file_range(state_->descriptor, offset, count, SYNC_FILE_RANGE_WRITE);  // a hint: fsync reports errors
}

const std::string& AtomicFile::temporary_path() const { return state_->temporary; }

void AtomicFile::commit(std::int64_t expected_bytes) {
  if (!state_ || state_->temporary.empty()) throw InternalError("AtomicFile: committed twice");
  CommitGroup* const group = state_->group;
  if (group != nullptr && group->durable() != Durable::each) {
    group->take(std::move(*this), expected_bytes);
    return;
  }
  finish(expected_bytes, true, {});
  sync_folder(appear());
}

void AtomicFile::finish(std::int64_t expected_bytes, bool synced, const Progress& progress) {
  State& state = *state_;
  if (state.temporary.empty()) throw InternalError("AtomicFile: committed twice");
  // By name: a library may have written the temporary through a descriptor of its own.
  struct stat written {};
  if (::stat(state.temporary.c_str(), &written) != 0) state.fail("write", errno);
  if (synced) state.sync(written.st_size, progress);
  if (expected_bytes >= 0 && written.st_size != expected_bytes) {
    throw DataError(fmt::format("cannot write '{}': {} bytes arrived on the disk, not {}", state.name, written.st_size,
                                expected_bytes));
  }
  // Some file systems report a lost write only here.
  const int descriptor = state.descriptor;
  state.descriptor = -1;
  if (::close(descriptor) != 0 && errno != EINTR) state.fail("write", errno);
}

std::string AtomicFile::appear() {
  State& state = *state_;
  const char* const from = state.temporary.c_str();
  const int moved = state.overwrite ? ::rename(from, state.path.c_str()) : rename_to_new(from, state.path.c_str());
  if (moved != 0) {
    if (errno == EEXIST) {
      throw InputError(fmt::format("'{}' was made by something else meanwhile: it was left as it is", state.name));
    }
    state.fail("write", errno);
  }
  state.temporary.clear();
  free_slot(state.slot);
  state.slot = -1;
  return folder_of(state.path);
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void unlink_open_temporaries() noexcept {
  for (Slot& slot : slots) {
    if (slot.used.load(std::memory_order_acquire) == 2) ::unlink(slot.path.data());
  }
}

}  // namespace reber
