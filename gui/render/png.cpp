// SPDX-License-Identifier: BSD-3-Clause
// PNG files of what is on the screen.
#include "gui/render/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber::gui {

void write_png(const std::string& path, int width, int height, int channels, const unsigned char* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png_alloc_size_t bytes = 0;
  std::vector<unsigned char> encoded;
  bool done = png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels, 0, nullptr) != 0;
  if (done) {
    encoded.resize(bytes);
    done = png_image_write_to_memory(&image, encoded.data(), &bytes, 0, pixels, 0, nullptr) != 0;
  }
  if (!done) throw DataError(fmt::format("cannot encode {}: {}", path, image.message));
  AtomicFile file(path, true);
  file.write(encoded.data(), bytes);
  file.commit();
}

std::vector<unsigned char> read_png(const std::string& path, int& width, int& height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  std::vector<unsigned char> pixels;
  bool done = png_image_begin_read_from_file(&image, path.c_str()) != 0;
  if (done) {
    image.format = PNG_FORMAT_RGB;
    pixels.resize(PNG_IMAGE_SIZE(image));
    done = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  }
  if (!done) throw DataError(fmt::format("cannot read {}: {}", path, image.message));
  width = static_cast<int>(image.width);
  height = static_cast<int>(image.height);
  return pixels;
}

}  // namespace reber::gui
