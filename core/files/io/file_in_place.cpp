// SPDX-License-Identifier: BSD-3-Clause
// Refuses whatever is not one plain file with one name.
#include "core/files/io/file_in_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/interrupted.hpp"
#include "core/files/io/kept_files.hpp"

namespace reber {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw DataError(fmt::format("cannot write '{}': {}", printable(path), why));
}

std::string why_not(const struct stat& found, const std::string& path) {
  if (!S_ISREG(found.st_mode)) return "it is no regular file";
  if (is_kept(path)) return "it is an input";
  if (found.st_nlink > 1) return "it is a link to another file";
  return {};
}

}  // namespace

FileInPlace::FileInPlace(std::string path, mode_t mode) : path_(std::move(path)) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  while ((descriptor_ = ::open(path_.c_str(), kFlags, mode)) < 0 && errno == EINTR) check_interrupted();
  if (descriptor_ < 0) {
    const int error = errno;
    struct stat link {};
    if (error == ELOOP && ::lstat(path_.c_str(), &link) == 0 && S_ISLNK(link.st_mode))
      fail(path_, "it is a link to another file");
    fail(path_, std::generic_category().message(error));
  }
  struct stat found {};
  const std::string why =
      ::fstat(descriptor_, &found) == 0 ? why_not(found, path_) : std::generic_category().message(errno);
  if (why.empty()) return;
  ::close(descriptor_);
  fail(path_, why);
}

FileInPlace::~FileInPlace() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileInPlace::FileInPlace(FileInPlace&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileInPlace& FileInPlace::operator=(FileInPlace&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool FileInPlace::has_its_name() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(descriptor_, &mine) == 0 && ::lstat(path_.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

void FileInPlace::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t now = ::write(descriptor_, text.data(), text.size());
    if (now < 0 && errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (now == 0) errno = ENOSPC;
    if (now <= 0) fail(path_, std::generic_category().message(errno));
    text.remove_prefix(static_cast<std::size_t>(now));
  }
}

}  // namespace reber
