// SPDX-License-Identifier: BSD-3-Clause
// Opening of files: what kind of file it is, and reads by position.
#include "core/files/io/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/trace.hpp"
#include "core/files/io/inflate.hpp"
#include "core/files/io/interrupted.hpp"
#include "core/files/io/path_fence.hpp"

namespace reber::fits {
namespace {

std::string system_words(int error) { return std::generic_category().message(error); }

/// File systems whose regular files have no size, and may have no end: /proc, /sys, cgroups, debugging, tracing,
/// security.
constexpr std::array<decltype(statfs::f_type), 7> kNoFiles{0x9fa0,     0x62656572, 0x27e0eb,  0x63677270,
                                                           0x64626720, 0x74726163, 0x73636673};

class FileBytes final : public ByteSource {
 public:
  FileBytes(const std::string& path, bool may_grow) : name_(printable(path)), may_grow_(may_grow) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    while ((descriptor_ = ::open(path.c_str(), kFlags)) < 0 && errno == EINTR) check_interrupted();  // over a network
    if (descriptor_ < 0) throw DataError(fmt::format("cannot open '{}': {}", name_, system_words(errno)));
    try {
      check_regular(descriptor_, name_);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    (void)::fstat(descriptor_, &at_open_);
  }
  ~FileBytes() override { ::close(descriptor_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  [[nodiscard]] std::int64_t size() const override { return at_open_.st_size; }

  void read(std::int64_t offset, void* out, std::int64_t count) const override {
    const trace::Span span("read", "read");
    auto* bytes = static_cast<char*>(out);
    while (count > 0) {
      // Linux moves at most 2 GiB a call.
      const auto step = static_cast<std::size_t>(std::min<std::int64_t>(count, std::int64_t{1} << 30));
      const ssize_t got = ::pread(descriptor_, bytes, step, offset);
      if (got < 0 && errno == EINTR) {
        check_interrupted();
        continue;
      }
      if (got < 0) throw DataError(fmt::format("cannot read '{}': {}", name_, system_words(errno)));
      if (got == 0) {
        throw DataError(fmt::format("'{}' ends at byte {} where {} more bytes are expected (truncated data)", name_,
                                    offset, count));
      }
      bytes += got;
      offset += got;
      count -= got;
    }
    if (may_grow_) return;
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0)
      throw DataError(fmt::format("cannot look at '{}': {}", name_, system_words(errno)));
    if (now.st_size != at_open_.st_size || now.st_mtim.tv_sec != at_open_.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != at_open_.st_mtim.tv_nsec) {
      throw DataError(fmt::format("'{}' was changed while it was being read; run again when it is complete", name_));
    }
  }

  void will_need(std::int64_t offset, std::int64_t count) const override {
    (void)::posix_fadvise(descriptor_, offset, count, POSIX_FADV_WILLNEED);  // a wish: may be refused
  }

  [[nodiscard]] std::string reopen_path() const override { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  std::string name_;
  bool may_grow_;
  int descriptor_ = -1;
  struct stat at_open_ {};
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::vector<std::byte> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }

  void read(std::int64_t offset, void* out, std::int64_t count) const override {
    if (offset < 0 || count < 0 || offset > size() || count > size() - offset) {
      throw DataError(fmt::format("'{}' ends at byte {} where more is expected (truncated data)", name_, size()));
    }
    if (count > 0) std::memcpy(out, bytes_.data() + offset, static_cast<std::size_t>(count));
  }

  [[nodiscard]] std::string reopen_path() const override { return {}; }

 private:
  std::vector<std::byte> bytes_;
  std::string name_;
};

bool begins_with(const std::array<unsigned char, 6>& head, std::int64_t size, std::initializer_list<int> magic) {
  if (size < static_cast<std::int64_t>(magic.size())) return false;
  return std::equal(magic.begin(), magic.end(), head.begin(), [](int a, unsigned char b) { return a == b; });
}

}  // namespace

void check_regular(int descriptor, const std::string& name) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0)
    throw DataError(fmt::format("cannot look at '{}': {}", name, system_words(errno)));
  if (S_ISDIR(found.st_mode))
    throw DataError(fmt::format("cannot read '{}': it is a folder, and a file is wanted, or a pattern like '{}/*.fits'",
                                name, std::string_view(name).substr(0, name.find_last_not_of('/') + 1)));
  struct statfs system {};
  const char* kind = nullptr;
  if (!S_ISREG(found.st_mode))
    kind = S_ISFIFO(found.st_mode) ? "a pipe" : S_ISSOCK(found.st_mode) ? "a socket" : "a device";
  else if (::fstatfs(descriptor, &system) == 0 && std::ranges::count(kNoFiles, system.f_type) > 0)
    kind = "a view into the system";
  if (kind != nullptr)
    throw DataError(fmt::format("cannot read '{}': it is {}, and a regular file is wanted", name, kind));
}

std::unique_ptr<ByteSource> open_plain(const std::string& path, bool may_grow) {
  if (path.find('\0') != std::string::npos) throw DataError("a file name cannot hold a zero byte");
  check_fence(path);
  return std::make_unique<FileBytes>(path, may_grow);
}

std::string read_text(const std::string& path, std::int64_t max_bytes, const Progress& progress) {
  constexpr std::int64_t kPiece = std::int64_t{4} << 20;
  const auto file = open_plain(path);
  if (file->size() > max_bytes)
    throw DataError(fmt::format("cannot read '{}': it has {} bytes, and {} are the most of such a file",
                                printable(path), file->size(), max_bytes));
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  for (std::int64_t at = 0; at < file->size(); at += kPiece) {
    progress.check();
    file->read(at, text.data() + at, std::min(kPiece, file->size() - at));
  }
  return text;
}

std::string read_start(const std::string& path, std::int64_t count) {
  const auto file = open_plain(path);
  std::string text(static_cast<std::size_t>(std::min(count, file->size())), '\0');
  file->read(0, text.data(), static_cast<std::int64_t>(text.size()));
  return text;
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path, const InflateLimit& most, const Progress& progress) {
  std::unique_ptr<ByteSource> file = open_plain(path);
  const std::string name = printable(path);
  const std::int64_t size = file->size();
  if (size == 0) throw DataError(fmt::format("'{}' is an empty file", name));
  std::array<unsigned char, 6> head{};
  file->read(0, head.data(), std::min<std::int64_t>(size, static_cast<std::int64_t>(head.size())));
  if (begins_with(head, size, {0x1f, 0x8b})) {
    return std::make_unique<MemoryBytes>(inflate_gzip(*file, most, name, progress), name);
  }
  if (begins_with(head, size, {'B', 'Z', 'h'})) {
    return std::make_unique<MemoryBytes>(inflate_bzip2(*file, most, name, progress), name);
  }
  const auto refuse = [&](const char* what) {
    throw ForeignForm(fmt::format("'{}' is {}, which is not read; unpack it first", name, what));
  };
  if (begins_with(head, size, {0x1f, 0x9d})) refuse("a compress (.Z) file");
  if (begins_with(head, size, {0x1f, 0x1e}) || begins_with(head, size, {0x1f, 0xa0})) refuse("a pack or LZH (.z) file");
  if (begins_with(head, size, {'P', 'K', 3, 4})) refuse("a zip archive");
  if (begins_with(head, size, {0xfd, '7', 'z', 'X', 'Z', 0})) refuse("an xz file");
  if (begins_with(head, size, {0x28, 0xb5, 0x2f, 0xfd})) refuse("a zstd file");
  return file;
}

}  // namespace reber::fits
