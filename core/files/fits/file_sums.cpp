// SPDX-License-Identifier: BSD-3-Clause
// Words summed as they pass, the rest read afterwards, and the comparison.
#include "core/files/fits/file_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace reber::fits {
namespace {

std::string text_of(const CardTable& cards, const char* keyword) {
  std::string text = cards.string(keyword).value_or(cards.raw(keyword));
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

}  // namespace

/// Rows of the plane, summed on their way.
class FileSums::Watched final : public PixelSource {
 public:
  Watched(FileSums& sums, const PixelSource& pixels) : sums_(sums), pixels_(pixels) {}
  [[nodiscard]] Shape shape() const override { return pixels_.shape(); }
  [[nodiscard]] PixelFormat format() const override { return pixels_.format(); }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    pixels_.read_rows(y0, ny, out);
    sums_.take_rows(y0, ny, out);
  }

 private:
  FileSums& sums_;
  const PixelSource& pixels_;
};

FileSums::FileSums(const ByteSource& bytes, const Hdu& hdu, std::int64_t rows)
    : bytes_(bytes),
      header_offset_(hdu.header_offset),
      data_offset_(hdu.data_offset),
      data_bytes_(hdu.data_bytes),
      row_bytes_(rows > 0 ? hdu.data_bytes / rows : 0),
      data_sum_(text_of(hdu.cards, "DATASUM")),
      whole_(text_of(hdu.cards, "CHECKSUM")),
      seen_(static_cast<std::size_t>(rows)) {}

bool FileSums::stated(const Hdu& hdu) {
  return !text_of(hdu.cards, "DATASUM").empty() || !text_of(hdu.cards, "CHECKSUM").empty();
}

std::unique_ptr<PixelSource> FileSums::watch(const PixelSource& pixels) {
  return seen_.empty() ? nullptr : std::make_unique<Watched>(*this, pixels);
}

void FileSums::add(std::int64_t offset, const std::byte* data, std::int64_t count) {
  Checksum sum;
  // A word that begins before these bytes, or ends behind them: its other bytes count as zero here.
  const auto part = [&](std::int64_t phase, std::int64_t bytes) {
    std::byte word[4] = {};
    std::copy_n(data, bytes, word + phase);
    sum.add(word, sizeof word);
    data += bytes;
    count -= bytes;
  };
  if (offset % 4 != 0) part(offset % 4, std::min(count, 4 - offset % 4));
  const std::int64_t words = count / 4 * 4;
  sum.add(data, static_cast<std::size_t>(words));
  data += words;
  count -= words;
  if (count > 0) part(0, count);
  sum_ += sum.sum();
}

void FileSums::take_rows(std::int64_t y0, std::int64_t ny, const std::byte* data) {
  // Runs of rows that did not pass before: all of them, but for a caller that reads twice.
  for (std::int64_t y = y0; y < y0 + ny;) {
    std::int64_t end = y;
    while (end < y0 + ny && !seen_[static_cast<std::size_t>(end)].exchange(true)) ++end;
    if (end > y) add(y * row_bytes_, data + (y - y0) * row_bytes_, (end - y) * row_bytes_);
    y = end + 1;
  }
}

void FileSums::read_and_add(std::int64_t offset, std::int64_t count, const Progress& progress) {
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(count, kLittle)));
  while (count > 0) {
    progress.check();
    const std::int64_t now = std::min<std::int64_t>(count, kLittle);
    bytes_.read(data_offset_ + offset, piece.data(), now);
    add(offset, piece.data(), now);
    offset += now;
    count -= now;
  }
}

std::string FileSums::verdict(const Progress& progress) {
  if (seen_.empty()) read_and_add(0, data_bytes_, progress);
  for (std::size_t y = 0; y < seen_.size(); ++y)
    if (!seen_[y].exchange(true)) read_and_add(static_cast<std::int64_t>(y) * row_bytes_, row_bytes_, progress);
  // The padding is zero in images, blanks in tables of text, and may lack at the end of a file.
  const std::int64_t padded = (data_bytes_ + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  read_and_add(data_bytes_, std::max<std::int64_t>(0, std::min(padded, bytes_.size() - data_offset_) - data_bytes_),
               progress);
  const auto folded = [](std::uint64_t sum) {
    while (sum >> 32 != 0) sum = (sum & 0xFFFFFFFFU) + (sum >> 32);
    return static_cast<std::uint32_t>(sum);
  };
  const std::uint32_t found = folded(sum_);
  constexpr const char* kMeans = "the file was damaged, or changed without renewing its sums";
  if (!data_sum_.empty()) {
    std::uint64_t stated = 0;
    const char* const end = data_sum_.data() + data_sum_.size();
    const auto [stop, error] = std::from_chars(data_sum_.data(), end, stated);
    if (error != std::errc() || stop != end)
      return fmt::format("DATASUM '{}' is not a sum of 32 bits, written in decimal digits",
                         restrict_to_ascii(data_sum_));
    // All ones and zero are the same number in ones' complement.
    if (stated != found && !(stated % 0xFFFFFFFFU == 0 && found % 0xFFFFFFFFU == 0))
      return fmt::format("DATASUM is {}, but the data sum to {}: {}", stated, found, kMeans);
  }
  if (!whole_.empty()) {
    std::vector<std::byte> header(static_cast<std::size_t>(data_offset_ - header_offset_));
    bytes_.read(header_offset_, header.data(), data_offset_ - header_offset_);
    Checksum sum;
    sum.add(header.data(), header.size());
    const std::uint32_t all = folded(std::uint64_t{sum.sum()} + found);
    if (all != 0 && all != 0xFFFFFFFFU)
      return fmt::format("CHECKSUM does not fit the HDU's bytes{}: {}",
                         data_sum_.empty() ? "" : ", though DATASUM fits the data", kMeans);
  }
  return {};
}

}  // namespace reber::fits
