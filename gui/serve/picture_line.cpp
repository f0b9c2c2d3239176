// SPDX-License-Identifier: BSD-3-Clause
// Frames to one browser.
//
//   message   frame, width, height, parts, part...          numbers of 32 bits, the least byte first
//   part      x, y, width, height, bytes, a JPEG or PNG file
#include "gui/serve/picture_line.hpp"

#include <algorithm>
#include <array>

namespace reber::gui {
namespace {

constexpr std::size_t kMostUnderWay = 2;
constexpr std::array kQualities{88, 75, 55, 35};
constexpr double kRest = 0.25;  // seconds without a change, after which what was lost is sent

void put(std::string& message, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) message.push_back(static_cast<char>((number >> shift) & 0xff));
}

void put_part(std::string& message, const PictureRect& rect, const std::string& file) {
  for (const int number : {rect.x, rect.y, rect.width, rect.height}) put(message, static_cast<std::uint32_t>(number));
  put(message, static_cast<std::uint32_t>(file.size()));
  message += file;
}

std::int64_t area(const PictureRect& rect) { return static_cast<std::int64_t>(rect.width) * rect.height; }

}  // namespace

int PictureLine::quality() const { return kQualities.at(static_cast<std::size_t>(step_)); }

void PictureLine::changed(const ServedPicture& picture, const TileMarks& tiles) {
  if (picture.width != width_ || picture.height != height_) {
    width_ = picture.width;
    height_ = picture.height;
    owed_ = TileMarks(width_, height_, true);
    lossy_ = TileMarks(width_, height_, false);
  } else {
    owed_.add(tiles);
  }
}

std::string PictureLine::begin_message(const ServedPicture& picture, std::size_t parts, double now) {
  std::string message;
  put(message, ++frame_);
  put(message, static_cast<std::uint32_t>(picture.width));
  put(message, static_cast<std::uint32_t>(picture.height));
  put(message, static_cast<std::uint32_t>(parts));
  under_way_.push_back({frame_, now});
  return message;
}

std::string PictureLine::moving(const ServedPicture& picture, double now) {
  constexpr std::int64_t kSmall = 48000;  // pixels: numbers that change cost no more without loss
  const std::vector<PictureRect> parts = owed_.rectangles();
  std::int64_t all = 0;
  for (const PictureRect& part : parts) all += area(part);
  std::string message = begin_message(picture, parts.size(), now);
  const bool lossy = all > kSmall;
  for (const PictureRect& part : parts) {
    put_part(message, part, lossy ? encode_jpeg(picture, part, quality()) : encode_png(picture, part));
    lossy_.mark(part, lossy);
  }
  if (lossy) moved_at_ = now;
  owed_.clear();
  return message;
}

std::string PictureLine::resting(const ServedPicture& picture, double now) {
  // In pieces, between which what begins to move comes first.
  constexpr std::int64_t kPiece = 200000;  // pixels
  PictureRect part = lossy_.rectangles().front();
  const std::int64_t rows = std::max<std::int64_t>(1, kPiece / part.width / TileMarks::kSide) * TileMarks::kSide;
  part.height = static_cast<int>(std::min<std::int64_t>(part.height, rows));
  std::string message = begin_message(picture, 1, now);
  put_part(message, part, encode_png(picture, part));
  lossy_.mark(part, false);
  return message;
}

std::optional<std::string> PictureLine::next(const ServedPicture& picture, double now) {
  if (under_way_.size() >= kMostUnderWay || picture.width != width_ || picture.height != height_) return {};
  if (owed_.any()) return moving(picture, now);
  if (lossy_.any() && now - moved_at_ >= kRest) return resting(picture, now);
  return {};
}

void PictureLine::drawn(std::uint32_t frame, double now) {
  // Beyond the way there and back: what is felt as a delay, and what leaves room for more.
  constexpr double kSlow = 0.15, kFast = 0.05;
  while (!under_way_.empty() && under_way_.front().frame <= frame) {
    const double took = now - under_way_.front().since;
    least_ = std::min(least_, took);
    if (took > least_ + kSlow) step_ = std::min(step_ + 1, static_cast<int>(kQualities.size()) - 1);
    if (took < least_ + kFast) step_ = std::max(step_ - 1, 0);
    under_way_.pop_front();
  }
}

std::optional<double> PictureLine::due(double now) const {
  if (under_way_.size() >= kMostUnderWay || owed_.any() || !lossy_.any()) return {};
  return std::max(0.0, moved_at_ + kRest - now);
}

}  // namespace reber::gui
