// SPDX-License-Identifier: BSD-3-Clause
// PNG files of pictures, by all threads.
#pragma once

#include <string>

#include "core/base/progress.hpp"
#include "core/show/picture/rgb_view.hpp"

namespace reber {

struct PngOptions {
  int threads = 0;  ///< 0: all that this process may use
  Progress progress = {};
};

/// The bytes of a PNG file (RFC 2083) of these pixels, rows without gaps. Strips of rows are deflated apart,
/// each with the end of the one above as its dictionary: the bytes do not depend on the number of threads. Fast rather
/// than small (zlib's level 1).   width, height: at least 1   throws Cancelled, InternalError
[[nodiscard]] std::string encode_png(const Rgb* rgb, int width, int height, const PngOptions& options);

}  // namespace reber
