// SPDX-License-Identifier: BSD-3-Clause
// PNG files of what is on the screen.
#pragma once

#include <string>
#include <vector>

namespace reber::gui {

/// channels: 3 (RGB) or 4 (RGBA), 8 bits, top row first. Replaces the file.   throws DataError
void write_png(const std::string& path, int width, int height, int channels, const unsigned char* pixels);

/// RGB, 8 bits, top row first.   throws DataError
[[nodiscard]] std::vector<unsigned char> read_png(const std::string& path, int& width, int& height);

}  // namespace reber::gui
