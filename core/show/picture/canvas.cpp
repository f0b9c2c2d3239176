// SPDX-License-Identifier: BSD-3-Clause
// Opens what draws, and writes what was drawn.
#include "core/show/picture/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/base/module.hpp"

namespace reber {
namespace {

const Drawing& opened() {
  const ModuleOpening now;
  try {
    return *reinterpret_cast<const Drawing* (*)()>(module_function("drawing", "reber_drawing", "pictures and plots"))();
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "{}. Drawing needs OpenCV (core and imgproc) and Cairo: on Debian and Ubuntu the packages libopencv-imgproc406 "
        "(or -imgproc4xx), libcairo2 and fonts-dejavu-core; to build it: libopencv-imgproc-dev and libcairo2-dev",
        error.what()));
  }
}

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

Drawing::Kind kind_of(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".pdf" ? Drawing::Kind::pdf : ending == ".svg" ? Drawing::Kind::svg : Drawing::Kind::png;
}

}  // namespace

const Drawing& drawing() {
  // Fontconfig and its like do not bear to be refused memory: better no picture than a crash.
  constexpr std::size_t kRoom = std::size_t{64} << 20;
  (void)make_large<char>(kRoom, Pages::small);
  static const Drawing& only = opened();
  return only;
}

bool is_picture(const std::string& path) { return kind_of(path) != Drawing::Kind::png || ending_of(path) == ".png"; }

double text_width(const std::string& text, double size) { return drawing().text_width(text, {size}); }

std::unique_ptr<Canvas> make_canvas(const std::string& path, double width, double height, Ink background,
                                    const std::string& title) {
  return drawing().canvas(kind_of(path), width, height, background, title);
}

std::string encoded(Canvas& canvas, const PngOptions& options) {
  const RgbView pixels = canvas.pixels();
  return pixels.pixels != nullptr ? encode_png(pixels.pixels, pixels.width, pixels.height, options) : canvas.finished();
}

void save(Canvas& canvas, const std::string& path, const FileOptions& how, const PngOptions& options) {
  AtomicFile file(path, how);
  const std::string bytes = encoded(canvas, options);
  file.write(bytes);
  options.progress.check();
  file.commit(static_cast<std::int64_t>(bytes.size()));
}

}  // namespace reber
