// SPDX-License-Identifier: BSD-3-Clause
// The module's entry: which canvas is made.
#include "modules/drawing/drawing.hpp"

#include <fontconfig/fontconfig.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "modules/drawing/letters.hpp"
#include "modules/drawing/raster_canvas.hpp"
#include "modules/drawing/vector_canvas.hpp"

namespace reber::drawn {

namespace {

/// What fonts there are. Cairo would ask for it with the first letter, and Fontconfig then tries for ever where memory
/// lacks.
void load_fonts() {
  const std::unique_ptr<FcConfig, void (*)(FcConfig*)> fonts(FcInitLoadConfigAndFonts(), FcConfigDestroy);
  if (!fonts || FcConfigSetCurrent(fonts.get()) == FcFalse) throw std::bad_alloc();
}

class Module final : public Drawing {
 public:
  /// Fontconfig follows a null pointer where memory lacks while it looks for a font. So that is done here, before
  /// anything is computed that a crash would take away; Cairo keeps what was found as long as the face is held.
  Module() {
    load_fonts();
    for (const bool fixed_width : {false, true}) {
      faces_.push_back(
          cairo_toy_font_face_create(font_family(fixed_width), CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL));
      check(cairo_font_face_status(faces_.back()));
      TextLook look;
      look.fixed_width = fixed_width;
      (void)text_width("H", look);
    }
  }

  [[nodiscard]] std::unique_ptr<Canvas> canvas(Kind kind, double width, double height, Ink background,
                                               const std::string& title) const override {
    if (kind == Kind::png)
      return make_raster_canvas(static_cast<int>(std::lround(width)), static_cast<int>(std::lround(height)),
                                background);
    return make_vector_canvas(kind == Kind::pdf, width, height, background, title);
  }

  [[nodiscard]] double text_width(const std::string& text, const TextLook& look) const override {
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
    const Painter painter(cairo_create(surface.get()));
    check(cairo_status(painter.get()));
    return Letters(painter.get(), text, look).width();
  }

 private:
  std::vector<cairo_font_face_t*> faces_;  ///< as long as the process lives
};

}  // namespace
}  // namespace reber::drawn

const reber::Drawing* reber_drawing() {
  static const reber::drawn::Module module;
  return &module;
}
