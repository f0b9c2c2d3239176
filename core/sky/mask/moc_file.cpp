// SPDX-License-Identifier: BSD-3-Clause
// Cells of any order become ranges of the deepest one, which are then joined.
#include "core/sky/mask/moc_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 34;
constexpr std::string_view kBlanks = " \t\r\n,";

/// Cells of order 0 to 29 on the whole sky.
std::int64_t cells_of_sky(int order) { return std::int64_t{12} << (2 * order); }

/// The cells first to last of an order.
CellRange range_of(int order, std::int64_t first, std::int64_t last) {
  if (order < 0 || order > kDeepestOrder)
    throw InputError(fmt::format("order {} is not one of 0 to {}", order, kDeepestOrder));
  if (first < 0 || last < first || last >= cells_of_sky(order))
    throw InputError(
        fmt::format("cells {} to {} are not among the {} of order {}", first, last, cells_of_sky(order), order));
  const int shift = 2 * (kDeepestOrder - order);
  return {first << shift, (last + 1) << shift};
}

SkyRanges joined(SkyRanges ranges) {
  std::ranges::sort(ranges, {}, &CellRange::first);
  SkyRanges out;
  for (const CellRange& one : ranges) {
    if (out.empty() || one.first > out.back().end)
      out.push_back(one);
    else
      out.back().end = std::max(out.back().end, one.end);
  }
  return out;
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || text.front() == '-')
    throw InputError(fmt::format("'{}' is no number of a cell", printable(std::string(text.substr(0, 40)))));
  return number;
}

/// "3/1-4 6 5/7": each number belongs to the order before it.
SkyRanges parse_cells(std::string_view text, const Progress& progress) {
  SkyRanges ranges;
  int order = -1;
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    progress.check();
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end;
    if (const std::size_t slash = word.find('/'); slash != std::string_view::npos) {
      const std::string_view stated =
          word.substr(word.starts_with('s') ? 1 : 0, slash - (word.starts_with('s') ? 1 : 0));
      order = static_cast<int>(std::min<std::int64_t>(stated.empty() ? -1 : number_of(stated), kDeepestOrder + 1));
      word.remove_prefix(slash + 1);
      if (order < 0 || order > kDeepestOrder) static_cast<void>(range_of(order, 0, 0));
    }
    if (word.empty()) continue;
    if (order < 0) throw InputError("cells stand before their order; as '3/1-4 6' was expected");
    const std::size_t dash = word.find('-');
    const std::string_view first = word.substr(0, dash), last = word.substr(dash == word.npos ? 0 : dash + 1);
    if (first.empty() || last.empty()) throw InputError(fmt::format("'{}' is no range of cells", word));
    ranges.push_back(range_of(order, number_of(first), number_of(last)));
  }
  if (order < 0) throw InputError("it holds no order; as '3/1-4 6' was expected");
  return ranges;
}

/// {"3": [1, 2], "4": [50]}
SkyRanges parse_json(std::string_view text, const Progress& progress) {
  const auto root = parsed_json<nlohmann::json>(text);
  if (!root.is_object()) throw InputError("it is no JSON object as {\"3\": [1, 2]}");
  SkyRanges ranges;
  for (const auto& [order, cells] : root.items()) {
    if (order.empty() || !cells.is_array()) throw InputError("it is no JSON object of orders with lists of cells");
    const auto depth = static_cast<int>(std::min<std::int64_t>(number_of(order), kDeepestOrder + 1));
    for (const auto& cell : cells) {
      progress.check();
      if (!cell.is_number_integer()) throw InputError(fmt::format("order {}: a cell that is no whole number", depth));
      ranges.push_back(range_of(depth, cell.get<std::int64_t>(), cell.get<std::int64_t>()));
    }
  }
  return ranges;
}

SkyRanges parse_text(std::string_view text, const Progress& progress) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin != std::string_view::npos && text[begin] == '{' ? parse_json(text, progress)
                                                               : parse_cells(text, progress);
}

/// uniq = 4 x 4^order + cell.
CellRange range_of_uniq(std::int64_t uniq) {
  constexpr std::int64_t kEnd = std::int64_t{16} << (2 * kDeepestOrder);
  if (uniq < 4 || uniq >= kEnd) throw InputError(fmt::format("{} is no cell's number in NUNIQ", uniq));
  const int order = (static_cast<int>(std::bit_width(static_cast<std::uint64_t>(uniq))) - 3) / 2;
  const std::int64_t cell = uniq - (std::int64_t{4} << (2 * order));
  return range_of(order, cell, cell);
}

void refuse_other_kinds(const fits::Hdu& hdu) {
  const auto word = [&](const char* keyword, const char* usual) {
    return fits::restrict_to_ascii(hdu.cards.string(keyword).value_or(usual));
  };
  if (const std::string kind = word("MOCDIM", "SPACE"); kind != "SPACE")
    throw InputError(fmt::format("MOCDIM is '{}'; a map of the sky alone, 'SPACE', was expected", kind));
  if (const std::string system = word("COORDSYS", "C"); system != "C")
    throw InputError(fmt::format("COORDSYS is '{}'; 'C' (ICRS) was expected", system));
  if (hdu.cards.integer("TFIELDS") != 1)
    throw InputError(fmt::format("the table has TFIELDS={}; a coverage map has one column",
                                 fits::restrict_to_ascii(hdu.cards.raw("TFIELDS"))));
}

/// All numbers of the table's one column.
std::vector<std::int64_t> column_of(const fits::ByteSource& bytes, const fits::Hdu& hdu, const Progress& progress) {
  const std::string form = fits::restrict_to_ascii(hdu.cards.string("TFORM1").value_or(""));
  const char type = form.empty() ? ' ' : form.back();
  if (type != 'J' && type != 'K') throw InputError(fmt::format("TFORM1 is '{}'; 1K or 1J was expected", form));
  const std::int64_t width = type == 'K' ? 8 : 4,
                     repeat = form.size() > 1 ? number_of({form.data(), form.size() - 1}) : 1;
  if (hdu.axes.size() != 2 || repeat < 1 || repeat > 1024 || hdu.axes[0] != repeat * width)
    throw InputError(fmt::format("rows of TFORM1='{}' do not have NAXIS1 bytes", form));
  constexpr std::int64_t kAtOnce = 1 << 16;
  std::vector<std::int64_t> numbers;
  std::vector<unsigned char> block;
  for (std::int64_t at = 0, all = hdu.axes[0] * hdu.axes[1]; at < all; at += kAtOnce) {
    progress.check();
    block.resize(static_cast<std::size_t>(std::min(kAtOnce / width * width, all - at)));
    bytes.read(hdu.data_offset + at, block.data(), static_cast<std::int64_t>(block.size()));
    for (std::size_t i = 0; i < block.size(); i += static_cast<std::size_t>(width)) {
      std::uint64_t value = width == 4 && block[i] > 127 ? ~std::uint64_t{0} : 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(width); ++k) value = value << 8 | block[i + k];
      numbers.push_back(static_cast<std::int64_t>(value));
    }
  }
  return numbers;
}

SkyRanges read_table(const fits::ByteSource& bytes, const std::string& name, const Progress& progress) {
  const fits::Scan scan = fits::scan(bytes, name);
  const auto hdu = std::ranges::find(scan.hdus, fits::Hdu::Kind::binary_table, &fits::Hdu::kind);
  if (hdu == scan.hdus.end()) throw InputError("it holds no binary table");
  if (!hdu->problem.empty()) throw InputError(hdu->problem);
  const std::string ordering = fits::restrict_to_ascii(hdu->cards.string("ORDERING").value_or(""));
  if (ordering != "NUNIQ" && ordering != "RANGE")
    throw InputError(fmt::format("ORDERING is '{}'; NUNIQ or RANGE was expected", ordering));
  refuse_other_kinds(*hdu);
  const std::vector<std::int64_t> numbers = column_of(bytes, *hdu, progress);
  SkyRanges ranges;
  if (ordering == "NUNIQ") {
    for (const std::int64_t uniq : numbers) ranges.push_back(range_of_uniq(uniq));
    return ranges;
  }
  if (numbers.size() % 2 != 0) throw InputError("its ranges are not pairs");
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers[i + 1] <= numbers[i]) throw InputError("a range of it ends before it begins");
    ranges.push_back(range_of(kDeepestOrder, numbers[i], numbers[i + 1] - 1));
  }
  return ranges;
}

}  // namespace

bool is_moc_text(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return false;
  if (text[begin] == '{') return true;
  return text.find('/') != text.npos && text.find('/') > begin &&
         text.find_first_not_of("0123456789/- ,s") == text.npos;
}

SkyRanges read_moc(const std::string& file_or_text, const Progress& progress) {
  std::error_code error;
  if (!std::filesystem::exists(file_or_text, error) && is_moc_text(file_or_text)) {
    try {
      return joined(parse_text(file_or_text, progress));
    } catch (const InputError& wrong) {
      throw InputError(fmt::format("the coverage map '{}' cannot be read: {}", printable(file_or_text), wrong.what()));
    }
  }
  const auto bytes = fits::open_bytes(file_or_text, kMostBytes, progress);
  try {
    std::string begin(static_cast<std::size_t>(std::min<std::int64_t>(bytes->size(), 9)), ' ');
    bytes->read(0, begin.data(), static_cast<std::int64_t>(begin.size()));
    if (begin == "SIMPLE  =") return joined(read_table(*bytes, file_or_text, progress));
    std::string text(static_cast<std::size_t>(bytes->size()), ' ');
    bytes->read(0, text.data(), bytes->size());
    return joined(parse_text(text, progress));
  } catch (const InputError& wrong) {
    throw DataError(fmt::format("'{}' is no coverage map (MOC): {}", printable(file_or_text), wrong.what()));
  }
}

}  // namespace reber
