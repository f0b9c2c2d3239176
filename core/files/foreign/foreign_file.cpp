// SPDX-License-Identifier: BSD-3-Clause
// Headers and pixels out of children, who may have been taken over by what they read: nothing they say is believed.
#include "core/files/foreign/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/caged_children.hpp"
#include "core/files/fits/card_header.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/fits/pixel_sources.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMessageBytes = std::int64_t{64} << 20;

/// What a child writes down for its parent, piece by piece.
class Message {
 public:
  Message(std::byte* at, std::int64_t bytes) : at_(at), end_(at + bytes) {}
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

/// Writes cards; what FITS has no card for is left out.
class Cards final : public CardSink {
 public:
  void text(const std::string& keyword, const std::string& value) override {
    if (fits_keyword(keyword)) text_ += fits::make_text_card(keyword, value);
  }
  void number(const std::string& keyword, double value) override {
    if (fits_keyword(keyword) && std::isfinite(value)) text_ += fits::make_card(keyword, value);
  }
  void integer(const std::string& keyword, std::int64_t value) override {
    if (fits_keyword(keyword)) text_ += fits::make_card(keyword, value);
  }
  void logical(const std::string& keyword, bool value) override {
    if (fits_keyword(keyword)) text_ += fits::make_logical_card(keyword, value);
  }
  void card(const std::string& card) override {
    text_ += card;
    text_.resize((text_.size() + fits::kCardBytes - 1) / fits::kCardBytes * fits::kCardBytes, ' ');
  }
  [[nodiscard]] const std::string& all() const { return text_; }

 private:
  static bool fits_keyword(const std::string& word) {
    return !word.empty() && word.size() <= 8 && std::ranges::all_of(word, [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  }
  std::string text_;
};

void write(const ForeignImage& image, const Cards& cards, Message out) {
  out.put(image.kind);
  out.put(std::int64_t{image.hdu});
  out.put(std::int64_t{image.bitpix});
  out.put(static_cast<std::int64_t>(image.axes.size()));
  for (const std::int64_t axis : image.axes) out.put(axis);
  out.put(static_cast<std::int64_t>(image.beams.size()));
  for (const ForeignBeam& beam : image.beams) out.put(beam);
  out.put(cards.all());
}

struct Described {
  ForeignImage image;
  std::string cards;
};

Described read(Message in) {
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

/// The library's pixels: floats of floats, doubles of all else.
PixelFormat format_of(int bitpix) {
  PixelFormat format;
  format.type = bitpix == -32 ? PixelType::f32 : PixelType::f64;
  format.big_endian = std::endian::native == std::endian::big;
  return format;
}

class ForeignFile final : public ImageFile {
 public:
  ForeignFile(ForeignSource source, const OpenOptions& options, Planes planes, const Progress& progress)
      : source_(std::move(source)), name_(printable(source_.path)) {
    Described found = describe(options.hdu.value_or(-1), progress);
    check(found.image, options);
    hdu_ = found.image.hdu;
    format_ = format_of(found.image.bitpix);
    ImageHeader facts;
    facts.path = source_.path;
    facts.hdu = hdu_;
    facts.axes = found.image.axes;
    facts.bitpix = found.image.bitpix;
    facts.hdus.push_back({hdu_, found.image.kind, "", facts.bitpix, facts.axes});
    header_.emplace(std::move(facts), cards_of(found), std::nullopt, options, planes);
    const ImageHeader& header = header_->common();
    std::vector<fits::PlacedBeam> beams;
    for (const ForeignBeam& beam : found.image.beams)
      beams.push_back({beam.channel, beam.stokes, beam.major_deg, beam.minor_deg, beam.pa_deg});
    if (!beams.empty())
      header_->take(fits::beams_of_planes(beams, header_->cards(), header.axes, header.x_axis, header.y_axis));
    if (plane_bytes() > options.max_inflated_bytes)
      throw DataError(fmt::format("'{}': its plane takes {} bytes, above the limit of {}", name_, plane_bytes(),
                                  options.max_inflated_bytes));
  }

  [[nodiscard]] std::int64_t planes() const override { return header_->common().planes; }
  [[nodiscard]] Shape shape() const override { return header_->common().shape; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  [[nodiscard]] Stored stored() const override { return Stored::coded_whole; }
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override { return header_->of(plane); }
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress) const override {
    header_->check(plane);
    return fits::decoded_source(decoded_.of(plane, [&] { return decode(plane, progress); }));
  }

 private:
  [[nodiscard]] std::int64_t plane_bytes() const { return shape().count() * bytes_of(format_.type); }

  /// Runs work in a child.   throws DataError with what is wrong
  void run(std::int64_t bytes, fits::ChildAnswer& answer, const std::function<void()>& work,
           const Progress& progress) const {
    fits::ChildLimits limits;
    limits.seconds = fits::patience_seconds(bytes);
    limits.descriptor = source_.bytes ? std::atoi(path().c_str() + path().rfind('/') + 1) : -1;
    limits.opens = source_.opens;
    limits.bytes = static_cast<std::uint64_t>(source_.library_bytes + 4 * bytes);
    limits.cage = source_.cage;
    limits.folders = source_.folders;
    fits::CagedChildren children(fmt::format("'{}': ", name_));
    if (!children.start(limits, answer, work))
      throw DeviceError(
          fmt::format("'{}': no process for its reader: {}", name_, std::generic_category().message(errno)));
    std::string trouble;
    try {
      trouble = children.wait(progress);
    } catch (const std::bad_alloc&) {
      trouble = fmt::format("it asks for more memory than an image of its size needs ({} MiB): it is damaged",
                            limits.bytes >> 20);
    }
    if (!trouble.empty()) throw DataError(fmt::format("'{}': {} ({})", name_, trouble, source_.reader.name()));
  }
  /// The open file by its descriptor: the one that was looked at, and a name without special characters.
  [[nodiscard]] std::string path() const { return source_.bytes ? source_.bytes->reopen_path() : source_.place; }
  static void close_cage() {
    if (!fits::close_cage()) throw std::runtime_error("the cage does not close");
  }

  [[nodiscard]] Described describe(int hdu, const Progress& progress) const {
    const fits::SharedMemory memory(1, kMessageBytes);
    run(
        0, memory.answer(0),
        [&] {
          Cards cards;
          const ForeignImage image = source_.reader.describe(path(), hdu, cards, close_cage);
          write(image, cards, {memory.bytes(), kMessageBytes});
        },
        progress);
    try {
      return read({memory.bytes(), kMessageBytes});
    } catch (const std::runtime_error& error) {
      throw DataError(fmt::format("'{}' cannot be read: {}", name_, error.what()));
    }
  }

  void check(const ForeignImage& image, const OpenOptions& options) const {
    if (options.hdu && *options.hdu != image.hdu)
      throw InputError(fmt::format("'{}' has no HDU {}: it is a {}", name_, *options.hdu, image.kind));
    const bool known =
        std::ranges::any_of(std::array{8, 16, 32, 64, -32, -64}, [&](int b) { return b == image.bitpix; });
    if (!known) throw DataError(fmt::format("'{}': pixels of {} bits", name_, image.bitpix));
    if (image.axes.size() < 2)
      throw DataError(fmt::format("'{}' has {} axes (2-D image wanted)", name_, image.axes.size()));
    const auto count = fits::product(image.axes);
    const std::int64_t pixel = std::abs(image.bitpix) / 8;
    if (!count || *count < 1 || *count > source_.most_pixel_bytes / pixel)
      throw DataError(fmt::format("'{}': truncated data (its axes {} need more than the {} bytes that there are)",
                                  name_, fmt::join(image.axes, " x "), source_.most_pixel_bytes));
  }

  /// With the cards of the axes, where the library leaves them out.
  static fits::CardTable cards_of(const Described& found) {
    fits::CardTable own(found.cards);
    if (own.has("NAXIS")) return own;
    std::string text = fits::make_logical_card("SIMPLE", true);
    text += fits::make_card("BITPIX", std::int64_t{found.image.bitpix});
    text += fits::make_card("NAXIS", static_cast<std::int64_t>(found.image.axes.size()));
    for (std::size_t i = 0; i < found.image.axes.size(); ++i)
      text += fits::make_card(fmt::format("NAXIS{}", i + 1), found.image.axes[i]);
    return fits::CardTable(text + found.cards);
  }

  [[nodiscard]] std::shared_ptr<const fits::DecodedPlane> decode(std::int64_t plane, const Progress& progress) const {
    const ImageHeader& header = header_->common();
    ForeignBox box{fits::plane_position(header.axes, header.x_axis, header.y_axis, plane),
                   std::vector<std::int64_t>(header.axes.size(), 1)};
    for (const int axis : {header.x_axis, header.y_axis})
      box.count[static_cast<std::size_t>(axis)] = header.axes[static_cast<std::size_t>(axis)];
    const bool turned = header.x_axis > header.y_axis;
    const auto memory = std::make_shared<fits::SharedMemory>(1, plane_bytes());
    const auto work = [&] {
      source_.reader.read(path(), hdu_, box, memory->bytes(), close_cage);
      if (turned) turn(memory->bytes());
    };
    run(plane_bytes(), memory->answer(0), work, progress);
    return std::make_shared<const fits::DecodedPlane>(fits::DecodedPlane{shape(), format_, memory});
  }

  /// Of columns, rows.
  void turn(std::byte* pixels) const {
    const Shape to = shape();
    const std::int64_t size = bytes_of(format_.type);
    const std::vector<std::byte> columns(pixels, pixels + plane_bytes());
    for (std::int64_t y = 0; y < to.ny; ++y)
      for (std::int64_t x = 0; x < to.nx; ++x, pixels += size)
        std::memcpy(pixels, columns.data() + (x * to.ny + y) * size, static_cast<std::size_t>(size));
  }

  ForeignSource source_;
  std::string name_;
  int hdu_ = 0;
  PixelFormat format_;
  std::optional<fits::CardHeader> header_;
  mutable fits::LastDecoded decoded_;
};

}  // namespace

std::shared_ptr<const ImageFile> open_foreign(ForeignSource source, const OpenOptions& options, Planes planes,
                                              const Progress& progress) {
  return std::make_shared<const ForeignFile>(std::move(source), options, planes, progress);
}

}  // namespace reber
