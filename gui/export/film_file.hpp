// SPDX-License-Identifier: BSD-3-Clause
// Pictures one after the other in a file that plays by itself: GIF or APNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/show/picture/ink.hpp"
#include "core/show/picture/rgb_view.hpp"

namespace reber::gui {

/// Made in memory, compressed picture by picture, and written at the end; it plays again and again.
///   .gif   256 colours a picture, the nearest of a median cut where there are more; times in hundredths of a second
///   .png   all colours (animated PNG, which browsers show, and others as its first picture)
class FilmFile {
 public:
  /// seconds: of each picture, from .02 to 60   throws InputError for another ending or time
  FilmFile(std::string path, double seconds);

  /// The next picture.   throws InputError where its size is not that of the first, or above 65535 a side
  void add(RgbView picture);
  [[nodiscard]] std::int64_t pictures() const { return count_; }
  /// Whole or not at all.   throws InputError without a picture, or for an existing file without `overwrite`; DataError
  void write(bool overwrite);

 private:
  void add_gif(RgbView picture);
  void add_png(RgbView picture);

  std::string path_, bytes_;
  bool gif_ = false;
  double seconds_ = 0.1;
  std::int64_t count_ = 0;
  int width_ = 0, height_ = 0;
  std::uint32_t sequence_ = 0;  ///< of the chunks of an animated PNG
};

/// 256 colours at most that stand for those of a picture, and which of them each pixel has. Exact where the picture has
/// no more; else by halving, again and again, the box of colours that is widest for its pixels (Heckbert 1982).
struct FewColours {
  std::vector<Rgb> colours;
  std::vector<std::uint8_t> pixels;  ///< row by row
};
[[nodiscard]] FewColours few_colours(RgbView picture);

}  // namespace reber::gui
