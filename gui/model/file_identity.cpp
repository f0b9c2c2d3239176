// SPDX-License-Identifier: BSD-3-Clause
// Size, time and hash of a file.
#include "gui/model/file_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::gui {
namespace {

constexpr std::int64_t kWhole = std::int64_t{16} << 20;
constexpr std::int64_t kPiece = std::int64_t{64} << 10;
constexpr std::int64_t kPieces = 256;

struct Fnv1a {
  std::uint64_t value = 14695981039346656037ULL;
  void add(unsigned char byte) { value = (value ^ byte) * 1099511628211ULL; }
};

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileIdentity identify(const std::string& path) {
  const auto file = fits::open_plain(path);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
  FileIdentity identity{
      std::filesystem::absolute(path).lexically_normal().string(), file->size(), nanoseconds(status.st_mtim), {}};
  Fnv1a hash;
  for (int i = 0; i < 8; ++i) hash.add(static_cast<unsigned char>(identity.size >> (8 * i)));
  const bool whole = identity.size <= kWhole;
  const std::int64_t pieces = whole ? (identity.size + kPiece - 1) / kPiece : kPieces;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(kPiece));
  for (std::int64_t i = 0; i < pieces; ++i) {
    // size may pass 2^55, where size * i would overflow
    const std::int64_t room = identity.size - kPiece;
    const std::int64_t offset =
        whole ? i * kPiece : room / (kPieces - 1) * i + room % (kPieces - 1) * i / (kPieces - 1);
    const std::int64_t have = std::min(kPiece, identity.size - offset);
    file->read(offset, bytes.data(), have);
    for (std::int64_t b = 0; b < have; ++b) hash.add(bytes[static_cast<std::size_t>(b)]);
  }
  identity.hash = fmt::format("{:016x}", hash.value);
  return identity;
}

FileState compare_with_disk(const FileIdentity& known) {
  struct stat status {};
  if (::stat(known.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return FileState::missing;
  if (status.st_size != known.size) return FileState::changed;
  if (nanoseconds(status.st_mtim) == known.mtime_ns) return FileState::same;
  try {
    return identify(known.path).hash == known.hash ? FileState::same : FileState::changed;
  } catch (const DataError&) {
    return FileState::missing;
  }
}

FileIdentity KnownFiles::identity(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  const auto time = failed ? std::filesystem::file_time_type() : std::filesystem::last_write_time(path, failed);
  const auto found = known_.find(path);
  if (found != known_.end() && (failed || (found->second.size == size && found->second.time == time)))
    return found->second.identity;
  try {
    known_[path] = {identify(path), size, time};
  } catch (const DataError&) {
    return {path, 0, 0, {}};
  }
  return known_[path].identity;
}

}  // namespace reber::gui
