// SPDX-License-Identifier: BSD-3-Clause
// Uploads kept and downloads offered.
#include "gui/serve/file_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/path_fence.hpp"
#include "gui/serve/access.hpp"

namespace reber::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostName = 200, kMostOffers = 8;

/// The last part of a path of any system.   throws InputError
std::string plain_name(std::string_view name) {
  const std::size_t cut = name.find_last_of("/\\");
  if (cut != std::string_view::npos) name.remove_prefix(cut + 1);
  const bool control = std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
  if (name.empty() || name.front() == '.' || name.size() > kMostName || control)
    throw InputError("a file needs a name of at most 200 bytes that does not begin with a point");
  return std::string(name);
}

}  // namespace

std::string FileExchange::offer(const std::string& path) {
  check_fence(path);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw InputError(printable(path) + " is no file");
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error || size > kMostDownload)
    throw InputError(
        fmt::format("{} has more than {} MiB: copy it by other means", printable(path), kMostDownload >> 20));
  const std::lock_guard lock(mutex_);
  offers_.push_back({make_secret(), path});
  if (offers_.size() > kMostOffers) offers_.pop_front();
  return offers_.back().secret;
}

std::optional<FileExchange::File> FileExchange::fetch(std::string_view secret) {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(offers_, [&](const Offer& each) { return same_secret(each.secret, secret); });
    if (found == offers_.end()) return std::nullopt;
    path = found->path;
    offers_.erase(found);
  }
  const auto source = fits::open_plain(path);
  if (source->size() > kMostDownload) throw DataError(printable(path) + " has grown");
  File file{fs::path(path).filename().string(), std::string(static_cast<std::size_t>(source->size()), '\0')};
  source->read(0, file.bytes.data(), source->size());
  return file;
}

std::string FileExchange::store(std::string_view name, std::string_view bytes) {
  if (folder_.empty()) throw InputError("this viewer takes no files");
  const std::string path = (fs::path(folder_) / plain_name(name)).string();
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size > kMostUpload) throw InputError(fmt::format("a file may have {} MiB", kMostUpload >> 20));
  {
    const std::lock_guard lock(mutex_);
    if (stored_ + size > kMostUploads)
      throw InputError(fmt::format("the files of one session may have {} MiB together", kMostUploads >> 20));
    stored_ += size;
  }
  AtomicFile file(path, false);
  file.write(bytes);
  file.commit(size);
  return path;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(i + 1, 2)) {
      if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
      value = 16 * value + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    decoded.push_back(static_cast<char>(value));
    i += 2;
  }
  return decoded;
}

std::string_view query_value(std::string_view target, std::string_view name) {
  const std::size_t begin = target.find('?');
  if (begin == std::string_view::npos) return {};
  target.remove_prefix(begin + 1);
  while (!target.empty()) {
    const std::size_t end = std::min(target.find('&'), target.size());
    const std::string_view pair = target.substr(0, end);
    if (pair.size() > name.size() && pair.substr(0, name.size()) == name && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    target.remove_prefix(std::min(end + 1, target.size()));
  }
  return {};
}

std::string attachment_of(std::string_view name) {
  std::string coded;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_')
      coded.push_back(c);
    else
      coded += fmt::format("%{:02X}", byte);
  }
  return "attachment; filename*=UTF-8''" + coded;
}

}  // namespace reber::gui
