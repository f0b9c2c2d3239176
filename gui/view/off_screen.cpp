// SPDX-License-Identifier: BSD-3-Clause
// Pictures made off the window: for files, and small ones for panels.
#include <chrono>
#include <thread>

#include "gui/app/app.hpp"

namespace reber::gui {

/// The islands whose edges lie over that layer; null where none are wanted.
const Pyramid* App::outlines_over(const Document& document, LayerKind layer) const {
  return outlines_wanted(document) && layer != LayerKind::islands ? document.layer(LayerKind::islands).pixels.get()
                                                                  : nullptr;
}

void App::draw_outlines(const ImageScene& scene, const Pyramid& islands) {
  ImageScene labels = scene;
  labels.pixels = &islands;
  labels.other = nullptr;
  labels.blend = Blend::first;
  labels.outline = true;
  labels.pixel_grid = false;
  renderer_->draw(labels);
}

Raster App::render(const Document& document, const ViewTransform& view, int width, int height, bool outlines) {
  Raster raster{width, height, {}};
  export_target_.resize(width, height);
  const CanvasTransform transform(view, {0, 0, static_cast<double>(width), static_cast<double>(height)});
  ImageScene scene = scene_of(document, document.shown, transform, 1);
  compare_with_other(scene, document);
  const Pyramid* islands = outlines ? outlines_over(document, document.shown) : nullptr;
  // All tiles; those that a session has yet to make are waited for, though not for a run that takes long.
  constexpr auto kWait = std::chrono::seconds(5);
  const auto start = std::chrono::steady_clock::now();
  for (bool more = true; more;) {
    renderer_->begin_frame(1e6);
    export_target_.bind();
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    renderer_->draw(scene);
    if (islands != nullptr) draw_outlines(scene, *islands);
    more = renderer_->tiles().pending();
    if (renderer_->tiles().awaited() && std::chrono::steady_clock::now() - start < kWait) {
      more = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const std::size_t row = 4 * static_cast<std::size_t>(width);
  std::vector<unsigned char> upside_down(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  for (int y = height - 1; y >= 0; --y)
    raster.rgba.insert(raster.rgba.end(), upside_down.begin() + y * static_cast<std::ptrdiff_t>(row),
                       upside_down.begin() + (y + 1) * static_cast<std::ptrdiff_t>(row));
  return raster;
}

std::uintptr_t App::small_picture(const Document& document, const ViewTransform& view, int width, int height) {
  if (!document.layer().pixels || width < 1 || height < 1) return 0;
  const CanvasTransform transform(view, {0, 0, static_cast<double>(width), static_cast<double>(height)});
  ImageScene scene = scene_of(document, document.shown, transform, 1);
  small_target_.resize(width, height);
  small_target_.bind();
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  renderer_->draw(scene);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  pictures_complete_ = pictures_complete_ && !renderer_->tiles().pending() && !renderer_->tiles().awaited();
  return small_target_.texture();
}

}  // namespace reber::gui
