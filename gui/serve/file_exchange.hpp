// SPDX-License-Identifier: BSD-3-Clause
// Files that go from a browser into the viewer's folder, and from its folders to a browser.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace reber::gui {

/// What is read and written keeps to the folders of path_fence.hpp. All calls from any thread.
class FileExchange {
 public:
  static constexpr std::int64_t kMostUpload = std::int64_t{64} << 20;     ///< bytes of one file
  static constexpr std::int64_t kMostUploads = std::int64_t{1} << 30;     ///< of all of a session
  static constexpr std::int64_t kMostDownload = std::int64_t{128} << 20;  ///< of one file

  /// folder: where uploads go; empty: nowhere
  explicit FileExchange(std::string folder) : folder_(std::move(folder)) {}

  /// A file that may be fetched once.   returns a secret to ask for it with
  ///   throws InputError where the path leads out of the folders, is no plain file, or is too large
  [[nodiscard]] std::string offer(const std::string& path);
  struct File {
    std::string name, bytes;
  };
  /// Empty for another secret, or one that was used.   throws DataError
  [[nodiscard]] std::optional<File> fetch(std::string_view secret);

  /// Writes an upload; no file is replaced.   name: as the browser says it, whose folders are left out
  ///   returns the path   throws InputError for a name that is none, one that exists, and too many bytes; DataError
  [[nodiscard]] std::string store(std::string_view name, std::string_view bytes);

 private:
  struct Offer {
    std::string secret, path;
  };
  std::string folder_;
  std::mutex mutex_;
  std::deque<Offer> offers_;
  std::int64_t stored_ = 0;  ///< bytes
};

/// "%41b+c" as a query has it: "Ab+c"; empty where it is broken.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
/// The value of a name in "/page?a=1&b=2", not decoded; empty where it is not there.
[[nodiscard]] std::string_view query_value(std::string_view target, std::string_view name);
/// The header that has a browser keep a file under its name (RFC 6266).
[[nodiscard]] std::string attachment_of(std::string_view name);

}  // namespace reber::gui
