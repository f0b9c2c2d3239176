// SPDX-License-Identifier: BSD-3-Clause
// Tells catalogue formats apart by their first bytes; cells of text and of binary rows become columns.
#include "core/files/catalogue/catalogue_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"
#include "core/files/catalogue/catalogue_readers.hpp"
#include "core/files/fits/fits_extent.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Text files are held in memory whole, several times over while their columns are made.
constexpr std::int64_t kMostTextBytes = std::int64_t{4} << 30;
constexpr std::int64_t kPiece = std::int64_t{4} << 20;

/// Bytes that the cells of a text take while they become columns: each a text, then a number twice.
double memory_of_cells(std::string_view content, bool xml) {
  constexpr double kCell = 48;
  constexpr std::string_view kBetween = " ,;|\t\n";
  std::int64_t cells = xml ? std::ranges::count(content, '<') / 2 : 0;
  bool between = true;
  for (std::size_t i = 0; !xml && i < content.size(); ++i) {
    const bool now = kBetween.find(content[i]) != std::string_view::npos;
    cells += now && (!between || content[i] != ' ') ? 1 : 0;
    between = now;
  }
  return kCell * static_cast<double>(cells) + static_cast<double>(content.size());
}

bool says_nothing(std::string_view cell) {
  static constexpr std::array<std::string_view, 10> kWords{"",     "nan", "null", "n/a", "na",
                                                           "none", "-",   "--",   "---", "***"};
  return std::ranges::find(kWords, lower_case(cell)) != kWords.end();
}

/// Whether the whole cell is a number.
bool to_number(std::string_view cell, double& value) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (stop != cell.data() + cell.size() || cell.empty()) return false;
  if (error == std::errc::result_out_of_range) value = kNan;
  return error == std::errc() || error == std::errc::result_out_of_range;
}

bool to_whole(std::string_view cell, std::int64_t& value) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return !cell.empty() && stop == cell.data() + cell.size() && error == std::errc();
}

std::uint64_t big_endian(const char* bytes, std::int64_t count) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < count; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

/// A stored integer with its sign.
std::int64_t whole_of(char type, const char* cell) {
  switch (type) {
    case 'L':
      return cell[0] == 'T' || cell[0] == 't' || cell[0] == '1' ? 1 : 0;
    case 'B':
      return static_cast<unsigned char>(cell[0]);
    case 'I':
      return static_cast<std::int16_t>(big_endian(cell, 2));
    case 'J':
      return static_cast<std::int32_t>(big_endian(cell, 4));
    default:
      return static_cast<std::int64_t>(big_endian(cell, 8));
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

Column column_of_cells(ColumnInfo info, std::vector<std::string> cells, bool as_text) {
  std::vector<double> reals(cells.size(), kNan);
  std::vector<std::int64_t> integers(cells.size());
  bool numbers = !as_text, whole = !as_text, any = false;
  for (std::size_t i = 0; i < cells.size() && numbers; ++i) {
    const std::string_view cell = trimmed(cells[i]);
    if (says_nothing(cell)) {
      whole = false;
      continue;
    }
    numbers = to_number(cell, reals[i]);
    whole = whole && to_whole(cell, integers[i]);
    any = true;
  }
  // Infinity has no meaning in a catalogue.
  for (double& value : reals)
    if (std::isinf(value)) value = kNan;
  if (!numbers || (!any && as_text)) return {std::move(info), std::move(cells)};
  if (whole && any) return {std::move(info), std::move(integers)};
  return {std::move(info), std::move(reals)};
}

void BinaryColumn::add_missing() {
  if (field_.type == 'A') {
    texts_.emplace_back();
    return;
  }
  whole_ = false;
  reals_.push_back(kNan);
  integers_.push_back(0);
}

void BinaryColumn::add(const char* cell, std::int64_t bytes) {
  if (field_.type == 'A') {
    // A zero byte ends a text early; other control bytes would reach a terminal.
    std::string text(cell, strnlen(cell, static_cast<std::size_t>(bytes)));
    texts_.emplace_back(trimmed(text));
    return;
  }
  if (field_.type == 'E' || field_.type == 'D') {
    const double stored =
        field_.type == 'E' ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(cell, 4))))
                           : std::bit_cast<double>(big_endian(cell, 8));
    const double value = field_.zero + field_.scale * stored;
    whole_ = false;
    reals_.push_back(std::isfinite(value) ? value : kNan);
    integers_.push_back(0);
    return;
  }
  const std::int64_t stored = whole_of(field_.type, cell);
  if (field_.has_null && stored == field_.null) {
    add_missing();
    return;
  }
  const double value = field_.zero + field_.scale * static_cast<double>(stored);
  // Beyond 2^53 a double loses the last digits: then only the plain integer is right.
  const bool plain = field_.scale == 1 && field_.zero == 0;
  whole_ = whole_ && (plain || (std::floor(value) == value && std::abs(value) < 9e15));
  reals_.push_back(value);
  integers_.push_back(plain ? stored : std::abs(value) < 9e15 ? static_cast<std::int64_t>(value) : 0);
}

Column BinaryColumn::finish(ColumnInfo info) {
  if (field_.type == 'A') return {std::move(info), std::move(texts_)};
  if (whole_) return {std::move(info), std::move(integers_)};
  return {std::move(info), std::move(reals_)};
}

void check_table_memory(double bytes, std::int64_t most, const std::string& name) {
  if (bytes <= static_cast<double>(most)) return;
  throw DataError(fmt::format(
      "'{}': its table takes about {:.3g} GB of memory, and may take {:.3g}; allow more with --host-memory, "
      "or keep fewer columns and rows",
      name, bytes * 1e-9, static_cast<double>(most) * 1e-9));
}

Catalogue read_catalogue(const std::string& path, const ReadLimits& limits) {
  const std::int64_t memory = limits.memory_bytes > 0 ? limits.memory_bytes : host_memory_bytes() / 2;
  const std::int64_t most_text = std::clamp(memory / 4, kPiece, kMostTextBytes);
  const Progress& progress = limits.progress;
  const auto bytes = fits::open_bytes(path, {most_text, fits::FitsExtent()}, progress);
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(bytes->size(), 512)), '\0');
  bytes->read(0, head.data(), static_cast<std::int64_t>(head.size()));
  Catalogue catalogue;
  if (head.rfind("SIMPLE  =", 0) == 0) {
    catalogue = read_catalogue_fits(*bytes, path, {progress, memory});
  } else {
    if (bytes->size() > kMostTextBytes)
      throw DataError(
          fmt::format("'{}' is {} bytes long; text catalogues of up to {} are read; FITS tables may be larger", path,
                      bytes->size(), kMostTextBytes));
    std::string text(static_cast<std::size_t>(bytes->size()), '\0');
    for (std::int64_t at = 0; at < bytes->size(); at += kPiece) {
      progress.check();
      bytes->read(at, text.data() + at, std::min(kPiece, bytes->size() - at));
    }
    std::string_view content = text;
    if (content.rfind("\xEF\xBB\xBF", 0) == 0) content.remove_prefix(3);
    if (content.find('\0') != std::string_view::npos)
      throw DataError(fmt::format("'{}' is no catalogue: neither FITS, VOTable nor text (it holds zero bytes)", path));
    const std::string_view start = trimmed(content.substr(0, 512));
    const bool xml = !start.empty() && start.front() == '<';
    check_table_memory(memory_of_cells(content, xml), memory, path);
    catalogue = xml ? read_catalogue_votable(content, path, progress) : read_catalogue_text(content, path, progress);
  }
  if (catalogue.columns.empty())
    throw DataError(fmt::format("'{}' holds no column of numbers or text that could be read", path));
  return catalogue;
}

}  // namespace reber
