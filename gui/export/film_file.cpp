// SPDX-License-Identifier: BSD-3-Clause
// The bytes of animated GIF (version 89a) and PNG files.
#include "gui/export/film_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/show/picture/png_encoder.hpp"

namespace reber::gui {
namespace {

using Channels = std::array<std::uint8_t, 3>;
struct Counted {
  Channels colour{};
  std::int64_t count = 0;
};
/// Some of the colours, and how much they are worth halving.
struct Box {
  std::size_t first = 0, last = 0;
  int widest = 0;
  double worth = 0;
};

std::uint32_t key_of(const Rgb& c) {
  return static_cast<std::uint32_t>(c.red) << 16 | static_cast<std::uint32_t>(c.green) << 8 | c.blue;
}

Box box_of(const std::vector<Counted>& colours, std::size_t first, std::size_t last) {
  Box box{first, last, 0, 0};
  double pixels = 0, most = -1;
  for (std::size_t i = first; i < last; ++i) pixels += static_cast<double>(colours[i].count);
  for (std::size_t c = 0; c < 3; ++c) {
    int low = 255, high = 0;
    for (std::size_t i = first; i < last; ++i) {
      low = std::min<int>(low, colours[i].colour[c]);
      high = std::max<int>(high, colours[i].colour[c]);
    }
    if (high - low > most) {
      most = high - low;
      box.widest = static_cast<int>(c);
    }
  }
  // The width counts more than the pixels: a few that differ much are seen.
  box.worth = last - first < 2 ? 0 : most * most * std::sqrt(pixels);
  return box;
}

/// Where a box falls in two of about the same pixels.
std::size_t halve(std::vector<Counted>& colours, const Box& box) {
  const auto c = static_cast<std::size_t>(box.widest);
  const auto begin = colours.begin() + static_cast<std::ptrdiff_t>(box.first),
             end = colours.begin() + static_cast<std::ptrdiff_t>(box.last);
  std::sort(begin, end, [c](const Counted& a, const Counted& b) {
    return a.colour[c] != b.colour[c] ? a.colour[c] < b.colour[c] : a.colour < b.colour;
  });
  const std::int64_t all = std::accumulate(begin, end, std::int64_t{0},
                                           [](std::int64_t sum, const Counted& each) { return sum + each.count; });
  std::int64_t passed = 0;
  std::size_t at = box.first;
  while (at + 1 < box.last && 2 * (passed + colours[at].count) <= all) passed += colours[at++].count;
  return std::clamp(at, box.first + 1, box.last - 1);
}

Rgb mean_of(const std::vector<Counted>& colours, const Box& box) {
  std::array<double, 3> sum{};
  double count = 0;
  for (std::size_t i = box.first; i < box.last; ++i) {
    for (std::size_t c = 0; c < 3; ++c) sum[c] += static_cast<double>(colours[i].count) * colours[i].colour[c];
    count += static_cast<double>(colours[i].count);
  }
  const auto byte = [&](std::size_t c) { return static_cast<std::uint8_t>(std::lround(sum[c] / count)); };
  return {byte(0), byte(1), byte(2)};
}

/// GIF's compression: codes of 3 to 12 bits for runs seen before.
class GifCodes {
 public:
  explicit GifCodes(std::string& out) : out_(out) {}

  void write(const std::vector<std::uint8_t>& pixels) {
    put(kClear);
    std::uint32_t prefix = pixels.front();
    for (std::size_t i = 1; i < pixels.size(); ++i) {
      const std::uint32_t run = prefix << 8 | pixels[i];
      if (const auto known = table_.find(run); known != table_.end()) {
        prefix = known->second;
        continue;
      }
      put(prefix);
      if (next_ < kMost) {
        table_.emplace(run, next_++);
        if (next_ > 1U << bits_ && bits_ < 12) ++bits_;
      } else {
        put(kClear);
        table_.clear();
        next_ = kEnd + 1;
        bits_ = 9;
      }
      prefix = pixels[i];
    }
    put(prefix);
    put(kEnd);
    if (held_ > 0) block_.push_back(static_cast<char>(bit_buffer_ & 0xFF));
    flush();
    out_.push_back('\0');
  }

 private:
  static constexpr std::uint32_t kClear = 256, kEnd = 257, kMost = 4096;

  void put(std::uint32_t code) {
    bit_buffer_ |= code << held_;
    held_ += bits_;
    for (; held_ >= 8; held_ -= 8, bit_buffer_ >>= 8) {
      block_.push_back(static_cast<char>(bit_buffer_ & 0xFF));
      if (block_.size() == 255) flush();
    }
  }
  void flush() {
    if (block_.empty()) return;
    out_.push_back(static_cast<char>(block_.size()));
    out_ += block_;
    block_.clear();
  }

  std::string& out_;
  std::string block_;
  std::unordered_map<std::uint32_t, std::uint32_t> table_;
  std::uint32_t next_ = kEnd + 1, bits_ = 9, bit_buffer_ = 0, held_ = 0;
};

void little(std::string& out, int value) {
  out.push_back(static_cast<char>(value & 0xFF));
  out.push_back(static_cast<char>(value >> 8 & 0xFF));
}

void big(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xFF));
}

void chunk(std::string& out, const std::string& kind, const std::string& data) {
  big(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = kind + data;
  out += body;
  big(out, static_cast<std::uint32_t>(
               crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

constexpr std::size_t kPngSignature = 8;

/// The chunks of a PNG file, in order.
std::vector<std::pair<std::string, std::string>> chunks_of(const std::string& png) {
  std::vector<std::pair<std::string, std::string>> chunks;
  for (std::size_t at = kPngSignature; at + 12 <= png.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(png[at + i]);
    chunks.emplace_back(png.substr(at + 4, 4), png.substr(at + 8, length));
    at += 12 + length;
  }
  return chunks;
}

}  // namespace

FewColours few_colours(RgbView picture) {
  FewColours made;
  std::unordered_map<std::uint32_t, std::int64_t> counts;
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x) ++counts[key_of(picture.pixels[y * picture.stride + x])];
  std::vector<Counted> colours;
  for (const auto& [key, count] : counts)
    colours.push_back({{static_cast<std::uint8_t>(key >> 16), static_cast<std::uint8_t>(key >> 8 & 0xFF),
                        static_cast<std::uint8_t>(key & 0xFF)},
                       count});
  std::ranges::sort(colours, {}, &Counted::colour);
  std::vector<Box> boxes{box_of(colours, 0, colours.size())};
  while (boxes.size() < 256) {
    const auto widest = std::ranges::max_element(boxes, {}, &Box::worth);
    if (!(widest->worth > 0)) break;
    const Box box = *widest;
    const std::size_t middle = halve(colours, box);
    *widest = box_of(colours, box.first, middle);
    boxes.push_back(box_of(colours, middle, box.last));
  }
  std::unordered_map<std::uint32_t, std::uint8_t> index;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    made.colours.push_back(mean_of(colours, boxes[b]));
    for (std::size_t i = boxes[b].first; i < boxes[b].last; ++i) {
      const Channels& c = colours[i].colour;
      index[key_of({c[0], c[1], c[2]})] = static_cast<std::uint8_t>(b);
    }
  }
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x)
      made.pixels.push_back(index.at(key_of(picture.pixels[y * picture.stride + x])));
  return made;
}

FilmFile::FilmFile(std::string path, double seconds) : path_(std::move(path)), seconds_(seconds) {
  const std::string ending = std::filesystem::path(path_).extension().string();
  gif_ = ending == ".gif";
  if (!gif_ && ending != ".png") throw InputError(fmt::format("{}: a film ends in .gif or .png", path_));
  if (!(seconds >= 0.02 && seconds <= 60)) throw InputError("a picture of a film is seen for 0.02 to 60 seconds");
}

void FilmFile::add(RgbView picture) {
  if (count_ == 0) {
    width_ = static_cast<int>(picture.width);
    height_ = static_cast<int>(picture.height);
  }
  constexpr std::int64_t kMost = 65535;
  if (picture.width != width_ || picture.height != height_ || width_ < 1 || height_ < 1 || picture.width > kMost ||
      picture.height > kMost)
    throw InputError("the pictures of a film must be of one size, with 1 to 65535 pixels a side");
  if (gif_)
    add_gif(picture);
  else
    add_png(picture);
  ++count_;
}

void FilmFile::add_gif(RgbView picture) {
  if (count_ == 0) {
    bytes_ = "GIF89a";
    little(bytes_, width_);
    little(bytes_, height_);
    bytes_ += std::string("\x70\0\0", 3);                                // no table of its own
    bytes_ += std::string("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);  // again and again
  }
  const FewColours few = few_colours(picture);
  bytes_ += std::string("\x21\xF9\x04\x04", 4);
  little(bytes_, static_cast<int>(std::lround(100 * seconds_)));
  bytes_ += std::string("\0\0\x2C", 3);
  little(bytes_, 0);
  little(bytes_, 0);
  little(bytes_, width_);
  little(bytes_, height_);
  bytes_.push_back('\x87');  // a table of 256 colours
  for (std::size_t i = 0; i < 256; ++i) {
    const Rgb colour = i < few.colours.size() ? few.colours[i] : Rgb{0, 0, 0};
    for (const std::uint8_t part : {colour.red, colour.green, colour.blue}) bytes_.push_back(static_cast<char>(part));
  }
  bytes_.push_back('\x08');
  GifCodes(bytes_).write(few.pixels);
}

void FilmFile::add_png(RgbView picture) {
  std::vector<Rgb> pixels;
  for (std::int64_t y = 0; y < picture.height; ++y)
    pixels.insert(pixels.end(), picture.pixels + y * picture.stride,
                  picture.pixels + y * picture.stride + picture.width);
  std::string control, head;
  big(control, sequence_++);
  big(control, static_cast<std::uint32_t>(width_));
  big(control, static_cast<std::uint32_t>(height_));
  big(control, 0);
  big(control, 0);
  const auto ms = static_cast<std::uint32_t>(std::lround(1000 * seconds_));
  for (const std::uint32_t part : {ms, 1000U}) {
    control.push_back(static_cast<char>(part >> 8));
    control.push_back(static_cast<char>(part & 0xFF));
  }
  control += std::string("\0\0", 2);
  const std::string png = encode_png(pixels.data(), width_, height_, {});
  bool pictured = false;
  for (const auto& [kind, data] : chunks_of(png)) {
    if (kind == "IDAT") {
      if (!pictured) chunk(bytes_, "fcTL", control);
      pictured = true;
      if (count_ == 0) {
        chunk(bytes_, "IDAT", data);
        continue;
      }
      std::string numbered;
      big(numbered, sequence_++);
      chunk(bytes_, "fdAT", numbered + data);
    } else if (count_ == 0 && kind == "IHDR") {
      bytes_ = png.substr(0, kPngSignature);
      chunk(bytes_, kind, data);
      // The number of pictures is put in when it is known.
      chunk(bytes_, "acTL", std::string(8, '\0'));
    } else if (count_ == 0 && kind != "IEND") {
      chunk(bytes_, kind, data);
    }
  }
}

void FilmFile::write(bool overwrite) {
  if (count_ == 0) throw InputError("a film needs a picture");
  if (gif_) {
    bytes_.push_back(';');
  } else {
    constexpr std::size_t kAnimation = kPngSignature + 25;  // behind IHDR
    std::string plays, animation;
    big(plays, static_cast<std::uint32_t>(count_));
    big(plays, 0);
    chunk(animation, "acTL", plays);
    bytes_.replace(kAnimation, animation.size(), animation);
    chunk(bytes_, "IEND", "");
  }
  AtomicFile file(path_, FileOptions(overwrite));
  file.write(bytes_);
  file.commit(static_cast<std::int64_t>(bytes_.size()));
}

}  // namespace reber::gui
