// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a FITS file by position: straight from the disk, or inflated into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/progress.hpp"

namespace reber::fits {

/// Random access to the bytes of one file. Safe from several threads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Fills `out` with bytes [offset, offset + count).
  ///   throws DataError where the file ends before that, changed since it was opened, or cannot be read
  virtual void read(std::int64_t offset, void* out, std::int64_t count) const = 0;
  /// Tells that these bytes will be read soon.
  virtual void will_need(std::int64_t /*offset*/, std::int64_t /*count*/) const {}
  /// A name by which a library can open the same open file again; empty for bytes in memory.
  [[nodiscard]] virtual std::string reopen_path() const = 0;
};

/// Opens a regular file by its literal name, as all files that are read are. Never waits.
///   throws DataError: missing, unreadable, a folder, FIFO, device or socket, a file of /proc or its like, whose end
///   nobody knows. may_grow: what others append while it is read is no fault, and is not read
[[nodiscard]] std::unique_ptr<ByteSource> open_plain(const std::string& path, bool may_grow = false);

/// Refuses what open_plain() does.   name: for people   throws DataError
void check_regular(int descriptor, const std::string& name);

/// The whole text of such a file.   throws DataError, also where it is longer than max_bytes; Cancelled
[[nodiscard]] std::string read_text(const std::string& path, std::int64_t max_bytes, const Progress& progress = {});
/// Its first bytes, count of them or all.   throws DataError
[[nodiscard]] std::string read_start(const std::string& path, std::int64_t count);

/// How many bytes may come out of a compressed file.
struct InflateLimit {
  /// Asked with the bytes so far: how many a file may have that begins like this.
  using OfContent = std::function<std::int64_t(std::span<const std::byte> begin)>;
  InflateLimit(std::int64_t bytes_, OfContent of_content_ = {})  // NOLINT: a number is all that most callers say
      : bytes(bytes_), of_content(std::move(of_content_)) {}
  std::int64_t bytes;
  OfContent of_content;
};

/// A file that may be sound, in a form that another reader may know.
class ForeignForm : public DataError {
 public:
  using DataError::DataError;
};

/// Opens a regular file by its literal name. gzip and bzip2 (known by their first bytes, not by the name) are inflated
/// whole into memory, up to the limit.
///   throws DataError: missing, unreadable, a folder, FIFO or device, empty, damaged compression; ForeignForm for other
///   archives;
///   Cancelled while it inflates
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(const std::string& path, const InflateLimit& most,
                                                     const Progress& progress = {});

}  // namespace reber::fits
