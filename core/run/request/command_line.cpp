// SPDX-License-Identifier: BSD-3-Clause
// Words of the request's rows, and their quotes.
#include "core/run/request/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "core/base/error.hpp"
#include "core/run/request/parameters.hpp"

namespace reber {
namespace {

/// "sky" of sky.fits, sky.fits.gz and sky.fits.fz.
std::string stem_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (const auto last = name.extension(); last == ".gz" || last == ".fz") name.replace_extension();
  return name.stem().string();
}

/// One word, so that a value that begins with a dash is none of the next options.
std::string option_word(const Parameter& row, const Request& request) {
  const std::string text = portable_text(row, request);
  if (row.access.kind == Access::Kind::flag) return option_name(row) + (text == "true" ? "" : "=" + text);
  return option_name(row) + "=" + text;
}

void add_image(std::vector<std::string>& words, const Request& request) {
  if (request.open.hdu) words.push_back(fmt::format("--hdu={}", *request.open.hdu));
  if (request.open.plane) words.push_back(fmt::format("--plane={}", *request.open.plane));
  if (request.open.unit) words.push_back("--unit=" + *request.open.unit);
  if (request.open.check) words.emplace_back("--check");
  if (request.beam)
    words.push_back(fmt::format("--image-beam={},{},{}", 3600 * request.beam->major_deg, 3600 * request.beam->minor_deg,
                                request.beam->pa_deg));
}

bool is_plain(const std::string& word) {
  static constexpr std::string_view kPlain = "@%+=:,./_-";
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos);
  });
}

std::string quoted(const std::string& word) {
  if (word.find('\0') != std::string::npos) throw InputError("a word with a zero byte is none that a shell takes");
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::vector<std::string> command_words(const Request& request, const CommandExtras& extras) {
  if (!request.detect) throw InputError("sources are not looked for: switch on the search for these");
  const bool convolved = request.convolve.has_value();
  std::string stem = stem_of(request.input);
  if (stem.starts_with('-')) stem = "./" + stem;
  std::vector<std::string> words{"reber", convolved ? "run" : "find", std::filesystem::absolute(request.input).string(),
                                 "-o", stem + (convolved ? "_results" : "_sources.csv")};
  if (convolved) words.insert(words.end(), {"--products", "csv"});
  if (extras.extended && !convolved) words.insert(words.end(), {"--extended", stem + "_extended.csv"});
  add_image(words, request);
  for (const Parameter& row : parameters()) {
    const bool kernel = convolved && row.name == "convolve.kernel";  // it has no default
    if (row.option.empty() || (!convolved && section_of(row) == Section::convolution)) continue;
    if (kernel || !row.access.same(request, Request{})) words.push_back(option_word(row, request));
  }
  if (extras.backend != "auto") words.push_back("--backend=" + extras.backend);
  return words;
}

std::string quoted_for_shell(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

}  // namespace reber
