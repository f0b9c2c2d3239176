// SPDX-License-Identifier: BSD-3-Clause
// Looks into a file's first headers.
#include "core/files/samp/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/plain_path.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber::samp {
namespace {

/// Two headers of usual size stand in so much.
constexpr std::int64_t kLook = 512 * 1024;

/// Cards from `at`, which is left behind their last block; empty where there is no END.
fits::CardTable cards_at(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  for (; at + fits::kCardBytes <= text.size(); at += fits::kCardBytes)
    if (text.compare(at, 8, "END     ") == 0) {
      const std::size_t end = at;
      at += fits::kCardBytes;
      at = begin + (at - begin + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes;
      return fits::CardTable(text.substr(begin, end - begin));
    }
  return {};
}

std::string fits_type(const std::string& text) {
  std::size_t at = 0;
  const fits::CardTable first = cards_at(text, at);
  if (first.integer("NAXIS").value_or(0) > 0) return "image.load.fits";
  const fits::CardTable second = cards_at(text, at);
  if (second.string("XTENSION").value_or("") != "BINTABLE" || second.is_true("ZIMAGE")) return "image.load.fits";
  return second.has("MOCVERS") || second.string("ORDERING").value_or("") == "NUNIQ" ? "coverage.load.moc.fits"
                                                                                    : "table.load.fits";
}

}  // namespace

std::string file_url(const std::string& path) {
  std::string out = "file://";
  for (const char c : plain_path(path)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-._~", c) != nullptr;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      char* stop = nullptr;
      const std::string digits = text.substr(i + 1, 2);
      const long code = std::strtol(digits.c_str(), &stop, 16);
      if (*stop == '\0' && code > 0) {
        out += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

std::string path_of(const std::string& url) {
  for (const char* const start : {"file:///", "file://localhost/", "file:/"}) {
    if (!url.starts_with(start)) continue;
    const std::string path = "/" + unescaped(url.substr(std::strlen(start)));
    if (path.starts_with("//") || path.find('\0') != std::string::npos) break;
    return path;
  }
  throw InputError(
      fmt::format("'{}' was sent; files of this machine alone are opened (file:///PATH)", url.substr(0, 200)));
}

Message message_for(const std::string& path) {
  const std::string text = fits::read_start(path, kLook);
  Message message;
  if (text.starts_with("SIMPLE  ="))
    message.type = fits_type(text);
  else if (text.substr(0, 4096).find("<VOTABLE") != std::string::npos)
    message.type = "table.load.votable";
  else if (text.starts_with("\x1f\x8b"))  // only an image is worth it, and whoever loads it says so else
    message.type = "image.load.fits";
  else
    throw InputError(
        fmt::format("{}: FITS or a VOTable was expected, which programs load by SAMP; write .vot or .fits", path));
  const std::string id = message.type.substr(0, message.type.find('.')) + "-id";
  const std::string url = file_url(path);
  message.parameters = {{"url", url}, {"name", std::filesystem::path(path).filename().string()}, {id, url}};
  return message;
}

}  // namespace reber::samp
