// SPDX-License-Identifier: BSD-3-Clause
// What scripts ask of the pixels on the screen.
#pragma once

#include <string>
#include <vector>

#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// 8-bit RGB, first row at the top.
struct ScreenPicture {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;

  /// The part inside a rectangle of the screen, held to the picture.
  [[nodiscard]] ScreenPicture part(const ScreenRect& area) const;
};

/// Empty where the picture is that of the file, else what differs. Rounding differs between releases of OpenGL
/// libraries: a hundredth of the values may differ much, all a little. With REBER_WRITE_PICTURES in the environment the
/// file is written anew.   throws DataError
[[nodiscard]] std::string differs_from_file(const ScreenPicture& picture, const std::string& path);

/// How far the brightest of the 3 x 3 pixels about a place stands out of the 41 x 41 about it, without the inner 7 x 7:
/// (luminance - median) / sigma, sigma = 1.4826 times the median absolute deviation, and at least one step of 255.
[[nodiscard]] double contrast_at(const ScreenPicture& picture, ScreenPoint at);
/// One colour, 'r', 'g' or 'b', of the pixel at a place, 0 to 255; -1 off the screen.
[[nodiscard]] int colour_at(const ScreenPicture& picture, ScreenPoint at, char colour);

}  // namespace reber::gui
