// SPDX-License-Identifier: BSD-3-Clause
// Changed parts of a frame, by libjpeg and by our own PNG.
#include "gui/serve/served_picture.hpp"

#include <jpeglib.h>
#include <algorithm>
#include <array>
#include <cstdio>  // jpeglib.h wants it before
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/base/error.hpp"
#include "core/show/picture/png_encoder.hpp"

namespace reber::gui {

TileMarks::TileMarks(int width, int height, bool marked)
    : width_(width),
      height_(height),
      columns_((width + kSide - 1) / kSide),
      rows_((height + kSide - 1) / kSide),
      marks_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), marked ? 1 : 0) {}

bool TileMarks::any() const { return std::ranges::find(marks_, 1) != marks_.end(); }

void TileMarks::add(const TileMarks& other) {
  for (std::size_t i = 0; i < marks_.size(); ++i) marks_[i] = static_cast<char>(marks_[i] | other.marks_[i]);
}

void TileMarks::clear() { std::ranges::fill(marks_, 0); }

void TileMarks::mark(const PictureRect& rect, bool marked) {
  for (int row = rect.y / kSide; row * kSide < rect.y + rect.height; ++row)
    for (int column = rect.x / kSide; column * kSide < rect.x + rect.width; ++column)
      marks_[index(column, row)] = marked ? 1 : 0;
}

PictureRect TileMarks::pixels_of(int column, int row, int columns, int rows) const {
  const int x = column * kSide, y = row * kSide;
  return {x, y, std::min(width_ - x, columns * kSide), std::min(height_ - y, rows * kSide)};
}

std::vector<PictureRect> TileMarks::rectangles() const {
  constexpr std::size_t kMost = 24;
  std::vector<PictureRect> made;
  std::vector<std::size_t> above, here;  // rectangles that end at the row before, and at this one
  int left = columns_, right = 0, top = rows_, bottom = 0;
  for (int row = 0; row < rows_; ++row) {
    here.clear();
    for (int column = 0; column < columns_; ++column) {
      if (!at(column, row)) continue;
      const int first = column;
      while (column < columns_ && at(column, row)) ++column;
      left = std::min(left, first);
      right = std::max(right, column);
      top = std::min(top, row);
      bottom = row + 1;
      const PictureRect run = pixels_of(first, row, column - first, 1);
      const auto same = std::ranges::find_if(
          above, [&](std::size_t each) { return made[each].x == run.x && made[each].width == run.width; });
      if (same != above.end()) {
        made[*same].height += run.height;
        here.push_back(*same);
      } else {
        here.push_back(made.size());
        made.push_back(run);
      }
    }
    above = here;
  }
  if (made.size() > kMost) return {pixels_of(left, top, right - left, bottom - top)};
  return made;
}

TileMarks changed_tiles(const ServedPicture& before, const ServedPicture& after) {
  if (before.width != after.width || before.height != after.height) return {after.width, after.height, true};
  TileMarks marks(after.width, after.height, false);
  for (int y = 0; y < after.height; ++y) {
    const std::size_t start = static_cast<std::size_t>(y) * static_cast<std::size_t>(after.width);
    const int row = y / TileMarks::kSide;
    if (std::memcmp(&before.pixels[start], &after.pixels[start], sizeof(Rgb) * static_cast<std::size_t>(after.width)) ==
        0)
      continue;
    for (int column = 0; column < marks.columns(); ++column) {
      const int x = column * TileMarks::kSide, width = std::min(TileMarks::kSide, after.width - x);
      const std::size_t at = start + static_cast<std::size_t>(x);
      if (!marks.at(column, row) &&
          std::memcmp(&before.pixels[at], &after.pixels[at], sizeof(Rgb) * static_cast<std::size_t>(width)) != 0)
        marks.set(column, row);
    }
  }
  return marks;
}

namespace {

/// libjpeg's state, and the bytes that it has made.
struct Compressor {
  Compressor() {
    info.err = jpeg_std_error(&errors);
    // The default ends the program. Only memory can lack here.
    errors.error_exit = [](j_common_ptr) { throw InternalError("libjpeg could not encode a frame"); };
    jpeg_create_compress(&info);
  }
  ~Compressor() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
};

}  // namespace

std::string encode_jpeg(const ServedPicture& picture, const PictureRect& rect, int quality) {
  constexpr int kFullColours = 85;
  Compressor made;
  jpeg_mem_dest(&made.info, &made.bytes, &made.count);
  made.info.image_width = static_cast<JDIMENSION>(rect.width);
  made.info.image_height = static_cast<JDIMENSION>(rect.height);
  made.info.input_components = 3;
  made.info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&made.info);
  jpeg_set_quality(&made.info, quality, TRUE);
  made.info.comp_info[0].h_samp_factor = made.info.comp_info[0].v_samp_factor = quality >= kFullColours ? 1 : 2;
  made.info.dct_method = JDCT_IFAST;
  jpeg_start_compress(&made.info, TRUE);
  for (int y = 0; y < rect.height; ++y) {
    const std::size_t at = static_cast<std::size_t>(rect.y + y) * static_cast<std::size_t>(picture.width);
    // libjpeg reads the row alone.
    auto* row = reinterpret_cast<JSAMPLE*>(const_cast<Rgb*>(&picture.pixels[at + static_cast<std::size_t>(rect.x)]));
    jpeg_write_scanlines(&made.info, &row, 1);
  }
  jpeg_finish_compress(&made.info);
  return {reinterpret_cast<const char*>(made.bytes), made.count};
}

std::string encode_png(const ServedPicture& picture, const PictureRect& rect) {
  std::vector<Rgb> part;
  part.reserve(static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height));
  for (int y = 0; y < rect.height; ++y) {
    const auto row = picture.pixels.begin() + (rect.y + y) * static_cast<std::ptrdiff_t>(picture.width) + rect.x;
    part.insert(part.end(), row, row + rect.width);
  }
  return reber::encode_png(part.data(), rect.width, rect.height, {.threads = 1});
}

}  // namespace reber::gui
