// SPDX-License-Identifier: BSD-3-Clause
// A frame as browsers see it: which parts changed, and their bytes.
#pragma once

#include <string>
#include <vector>

#include "core/show/picture/rgb_view.hpp"

namespace reber::gui {

/// Rows without gaps, the top one first.
struct ServedPicture {
  int width = 0, height = 0;
  std::vector<Rgb> pixels;
};

struct PictureRect {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const PictureRect&) const = default;
};

/// One mark per tile of a picture.
class TileMarks {
 public:
  static constexpr int kSide = 32;  ///< pixels of a tile

  TileMarks() = default;
  /// Of a picture of that many pixels.
  TileMarks(int width, int height, bool marked);
  [[nodiscard]] bool any() const;
  void add(const TileMarks& other);
  void mark(const PictureRect& rect, bool marked);  ///< the tiles that it touches
  void clear();
  void set(int column, int row) { marks_[index(column, row)] = 1; }
  [[nodiscard]] bool at(int column, int row) const { return marks_[index(column, row)] != 0; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }
  /// Rectangles of pixels that cover the marked tiles and no other; all of them together where they are many.
  [[nodiscard]] std::vector<PictureRect> rectangles() const;

 private:
  [[nodiscard]] std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  [[nodiscard]] PictureRect pixels_of(int column, int row, int columns, int rows) const;

  int width_ = 0, height_ = 0, columns_ = 0, rows_ = 0;
  std::vector<char> marks_;
};

/// Tiles in which the two differ; all where they have not the same size.
[[nodiscard]] TileMarks changed_tiles(const ServedPicture& before, const ServedPicture& after);

/// A JPEG file of a part.   quality: 1 to 100; colours have the full resolution from 85 on   throws InternalError
[[nodiscard]] std::string encode_jpeg(const ServedPicture& picture, const PictureRect& rect, int quality);
/// A PNG file of a part.
[[nodiscard]] std::string encode_png(const ServedPicture& picture, const PictureRect& rect);

}  // namespace reber::gui
