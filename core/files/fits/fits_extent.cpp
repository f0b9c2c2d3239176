// SPDX-License-Identifier: BSD-3-Clause
// From one header to the next, by the length that each says its data have.
#include "core/files/fits/fits_extent.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {
namespace {

constexpr std::int64_t kNoBound = std::int64_t{1} << 62;
/// Tapes and archives pad files; headers are told complete in pieces of this.
constexpr std::int64_t kSlack = std::int64_t{4} << 20;

std::string_view text_of(std::span<const std::byte> bytes, std::int64_t at, std::int64_t count) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, static_cast<std::size_t>(count)};  // bytes as letters
}

/// Of the data behind a header, whole blocks.
double data_bytes(const CardTable& cards) {
  const auto number = [&](const std::string& key, std::int64_t otherwise) {
    return static_cast<double>(std::max<std::int64_t>(cards.integer(key).value_or(otherwise), 0));
  };
  const std::int64_t axes = std::clamp<std::int64_t>(cards.integer("NAXIS").value_or(0), 0, 999);
  if (axes == 0) return 0;
  double elements = 1;
  for (std::int64_t i = 1; i <= axes; ++i) {
    const double length = number("NAXIS" + std::to_string(i), 0);
    if (i > 1 || length > 0) elements *= length;  // the first axis of groups is 0
  }
  const double bytes = std::abs(static_cast<double>(cards.integer("BITPIX").value_or(8))) / 8;
  const double all = bytes * std::max(number("GCOUNT", 1), 1.0) * (number("PCOUNT", 0) + elements);
  return std::ceil(all / kBlockBytes) * kBlockBytes;
}

}  // namespace

std::int64_t FitsExtent::operator()(std::span<const std::byte> begin) {
  constexpr std::int64_t kCard = kCardBytes;
  const auto size = static_cast<std::int64_t>(begin.size());
  for (;;) {
    if (size < hdu_ + kCard) return hdu_ + kSlack;
    const std::string_view first = text_of(begin, hdu_, kCard);
    if (hdu_ == 0 && !first.starts_with("SIMPLE  =")) return kNoBound;
    if (hdu_ > 0 && !first.starts_with("XTENSION=")) return hdu_ + kSlack;
    card_ = std::max(card_, hdu_);
    while (size >= card_ + kCard && !text_of(begin, card_, kCard).starts_with("END     ")) card_ += kCard;
    if (size < card_ + kCard) return std::max(size, hdu_) + kSlack;
    const CardTable cards(std::string(text_of(begin, hdu_, card_ - hdu_)));
    const std::int64_t data = (card_ / kBlockBytes + 1) * kBlockBytes;
    const double next = static_cast<double>(data) + data_bytes(cards);
    if (!(next < static_cast<double>(kNoBound))) return kNoBound;
    hdu_ = card_ = static_cast<std::int64_t>(next);
  }
}

}  // namespace reber::fits
