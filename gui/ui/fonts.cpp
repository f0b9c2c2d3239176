// SPDX-License-Identifier: BSD-3-Clause
// DejaVu fonts where the system has them.
#include "gui/ui/fonts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <initializer_list>

#include "core/base/threads.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

ImFont *bold = nullptr, *mono = nullptr;

ImFont* add(ImFontAtlas& atlas, const char* file, double size) {
  // Latin, Greek, superscripts of sexagesimal numbers, punctuation, arrows, signs of mathematics and shapes.
  static const std::array<ImWchar, 17> ranges{0x20,   0xff,   0x100,  0x17f,  0x2b0,  0x3ff,  0x2010, 0x2070, 0x2080,
                                              0x209c, 0x2190, 0x22ff, 0x25a0, 0x25ff, 0x2600, 0x27bf, 0};
  for (const char* folder : {"truetype/dejavu", "dejavu", "TTF", "dejavu-sans-fonts", "dejavu-sans-mono-fonts"}) {
    const std::string path = fmt::format("/usr/share/fonts/{}/{}", folder, file);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
      return atlas.AddFontFromFileTTF(path.c_str(), static_cast<float>(std::round(size)), nullptr, ranges.data());
  }
  return nullptr;
}

}  // namespace

Fonts::Fonts(double scale) : atlas_(std::make_unique<ImFontAtlas>()), scale_(scale) {
  thread_ = start_thread([this] { make(scale_); });
  if (!thread_.joinable()) make(scale_);
}

Fonts::~Fonts() {
  if (thread_.joinable()) thread_.join();
}

ImFontAtlas& Fonts::atlas() {
  if (thread_.joinable()) thread_.join();
  return *atlas_;
}

void Fonts::make(double scale) {
  scale_ = scale;
  ImFontAtlas& atlas = *atlas_;
  atlas.Clear();
  if (add(atlas, "DejaVuSans.ttf", 14 * scale) == nullptr) {
    ImFontConfig plain;
    plain.SizePixels = static_cast<float>(std::round(13 * scale));
    atlas.AddFontDefault(&plain);
  }
  bold = add(atlas, "DejaVuSans-Bold.ttf", 14 * scale);
  mono = add(atlas, "DejaVuSansMono.ttf", 13 * scale);
  if (bold == nullptr) bold = atlas.Fonts[0];
  if (mono == nullptr) mono = atlas.Fonts[0];
  unsigned char* letters = nullptr;
  int width = 0, height = 0;
  atlas.GetTexDataAsRGBA32(&letters, &width, &height);
}

ImFont* bold_font() { return bold; }
ImFont* mono_font() { return mono; }

}  // namespace reber::gui
