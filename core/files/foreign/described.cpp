// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts one behind the other; every count is bounded by what is left.
#include "core/files/foreign/described.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/fits_guard.hpp"

namespace reber {
namespace {

/// What a child writes down for its parent, piece by piece.
class Message {
 public:
  explicit Message(std::span<std::byte> room) : at_(room.data()), end_(room.data() + room.size()) {}
  template <class Number>
  void put(Number value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
  }
  void put(const std::string& text) {
    put(static_cast<std::int64_t>(text.size()));
    std::memcpy(room(text.size()), text.data(), text.size());
  }
  template <class Number>
  [[nodiscard]] Number take() {
    Number value;
    std::memcpy(&value, room(sizeof value), sizeof value);
    return value;
  }
  /// throws std::runtime_error for a number beyond most
  [[nodiscard]] std::int64_t take_count(std::int64_t most) {
    const auto count = take<std::int64_t>();
    if (count < 0 || count > most) throw std::runtime_error("its header is too long");
    return count;
  }
  [[nodiscard]] std::string take_text() {
    const auto size = static_cast<std::size_t>(take_count(end_ - at_));
    const std::byte* const text = room(size);
    return {reinterpret_cast<const char*>(text), size};  // bytes as letters
  }

 private:
  std::byte* room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) throw std::runtime_error("its header is too long");
    return std::exchange(at_, at_ + size);
  }
  std::byte *at_, *end_;
};

bool fits_keyword(const std::string& word) {
  return !word.empty() && word.size() <= 8 && std::ranges::all_of(word, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void check(const ForeignImage& image, const std::string& name, std::int64_t most_pixel_bytes,
           const OpenOptions& options) {
  if (options.hdu && *options.hdu != image.hdu)
    throw InputError(fmt::format("'{}' has no HDU {}: it is a {}", name, *options.hdu, image.kind));
  const bool known = std::ranges::any_of(std::array{8, 16, 32, 64, -32, -64}, [&](int b) { return b == image.bitpix; });
  if (!known) throw DataError(fmt::format("'{}': pixels of {} bits", name, image.bitpix));
  if (image.axes.size() < 2)
    throw DataError(fmt::format("'{}' has {} axes (2-D image wanted)", name, image.axes.size()));
  const auto count = fits::product(image.axes);
  const std::int64_t pixel = std::abs(image.bitpix) / 8;
  if (!count || *count < 1 || *count > most_pixel_bytes / pixel)
    throw DataError(fmt::format("'{}': truncated data (its axes {} need more than the {} bytes that there are)", name,
                                fmt::join(image.axes, " x "), most_pixel_bytes));
}

fits::CardTable cards_of(const Described& found) {
  fits::CardTable own(found.cards);
  if (own.has("NAXIS")) return own;
  std::string text = fits::make_logical_card("SIMPLE", true);
  text += fits::make_card("BITPIX", std::int64_t{found.image.bitpix});
  text += fits::make_card("NAXIS", static_cast<std::int64_t>(found.image.axes.size()));
  for (std::size_t i = 0; i < found.image.axes.size(); ++i)
    text += fits::make_card(fmt::format("NAXIS{}", i + 1), found.image.axes[i]);
  return fits::CardTable(text + found.cards);
}

}  // namespace

void Cards::text(const std::string& keyword, const std::string& value) {
  if (fits_keyword(keyword)) text_ += fits::make_text_card(keyword, value);
}
void Cards::number(const std::string& keyword, double value) {
  if (fits_keyword(keyword) && std::isfinite(value)) text_ += fits::make_card(keyword, value);
}
void Cards::integer(const std::string& keyword, std::int64_t value) {
  if (fits_keyword(keyword)) text_ += fits::make_card(keyword, value);
}
void Cards::logical(const std::string& keyword, bool value) {
  if (fits_keyword(keyword)) text_ += fits::make_logical_card(keyword, value);
}
void Cards::card(const std::string& card) {
  text_ += card;
  text_.resize((text_.size() + fits::kCardBytes - 1) / fits::kCardBytes * fits::kCardBytes, ' ');
}

void write_described(const ForeignImage& image, const Cards& cards, std::span<std::byte> room) {
  Message out(room);
  out.put(image.kind);
  out.put(std::int64_t{image.hdu});
  out.put(std::int64_t{image.bitpix});
  out.put(static_cast<std::int64_t>(image.axes.size()));
  for (const std::int64_t axis : image.axes) out.put(axis);
  out.put(static_cast<std::int64_t>(image.beams.size()));
  for (const ForeignBeam& beam : image.beams) out.put(beam);
  out.put(cards.all());
}

Described read_described(std::span<std::byte> room) {
  Message in(room);
  constexpr std::int64_t kMostBeams = 1'000'000;
  Described found;
  ForeignImage& image = found.image;
  image.kind = fits::restrict_to_ascii(in.take_text());  // it is shown, and written to JSON
  image.hdu = static_cast<int>(in.take_count(1 << 30));
  image.bitpix = static_cast<int>(in.take<std::int64_t>());
  image.axes.resize(static_cast<std::size_t>(in.take_count(fits::kMaxAxes)));
  for (std::int64_t& axis : image.axes) axis = in.take<std::int64_t>();
  image.beams.resize(static_cast<std::size_t>(in.take_count(kMostBeams)));
  for (ForeignBeam& beam : image.beams) beam = in.take<ForeignBeam>();
  found.cards = in.take_text();
  found.cards.resize(found.cards.size() / fits::kCardBytes * fits::kCardBytes);
  return found;
}

fits::CardHeader header_of(const Described& found, const std::string& path, std::int64_t most_pixel_bytes,
                           const OpenOptions& options, Planes planes) {
  check(found.image, printable(path), most_pixel_bytes, options);
  ImageHeader facts;
  facts.path = path;
  facts.hdu = found.image.hdu;
  facts.axes = found.image.axes;
  facts.bitpix = found.image.bitpix;
  facts.hdus.push_back({facts.hdu, found.image.kind, "", facts.bitpix, facts.axes});
  fits::CardHeader made(std::move(facts), cards_of(found), std::nullopt, options, planes);
  const ImageHeader& header = made.common();
  std::vector<fits::PlacedBeam> beams;
  for (const ForeignBeam& beam : found.image.beams)
    beams.push_back({beam.channel, beam.stokes, beam.major_deg, beam.minor_deg, beam.pa_deg});
  if (!beams.empty()) made.take(fits::beams_of_planes(beams, made.cards(), header.axes, header.x_axis, header.y_axis));
  return made;
}

}  // namespace reber
