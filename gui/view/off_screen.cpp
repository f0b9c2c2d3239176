// SPDX-License-Identifier: BSD-3-Clause
// Pictures made off the window, over several frames.
#include "gui/view/off_screen.hpp"

#include <utility>

#include "gui/model/workbench.hpp"
#include "gui/view/scene.hpp"

namespace reber::gui {
namespace {

CanvasTransform transform_of(const ViewTransform& view, int width, int height) {
  return {view, {0, 0, static_cast<double>(width), static_cast<double>(height)}};
}

}  // namespace

void OffScreen::order(Context& context, Document& document, const PictureOrder& order) {
  if (!document.layer().pixels || order.width < 1 || order.height < 1) {
    order.done({});
    return;
  }
  auto job = std::make_unique<Job>();
  job->order = order;
  job->document = document.id;
  job->layer = document.shown;
  job->scene =
      scene_of(context.state, document, document.shown, transform_of(order.view, order.width, order.height), 1);
  compare_with_other(context, job->scene, document);
  job->since = std::chrono::steady_clock::now();
  // The documents may get other pixels, or be closed, before the picture is done.
  for (const auto& each : context.state.documents)
    for (const Layer& layer : each->layers)
      if (layer.pixels && job->scene.uses(layer.pixels.get())) job->held.push_back(layer.pixels);
  for (const RegridWork& regrid : context.state.workbench->regrids)
    if (regrid.pixels) job->held.push_back(regrid.pixels);
  jobs_.push_back(std::move(job));
}

bool OffScreen::draw(Context& context, Job& job) {
  // Tiles that a run has yet to make are worth some patience, though not that of a long run.
  constexpr auto kPatience = std::chrono::seconds(5);
  constexpr int kMostIdle = 3;
  const std::int64_t uploads = image_.tiles().uploads();
  const PlaceKept kept;
  file_target_.resize(job.order.width, job.order.height);
  file_target_.bind();
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  image_.draw(job.scene);
  if (Document* document = context.state.find(job.document); document != nullptr && job.order.overlays) {
    const CanvasView canvas{*document, job.layer, transform_of(job.order.view, job.order.width, job.order.height)};
    const Brush brush{image_, ellipses_, job.scene, 1, passes_};
    for (const auto& [row, overlay] : context.overlays.all())
      if (is_on(context.state, row) && !overlay->has_lines()) overlay->paint(canvas, context, brush);
  }
  glFlush();
  if (image_.tiles().awaited() && std::chrono::steady_clock::now() - job.since < kPatience) return false;
  if (!image_.tiles().pending()) return true;
  // A picture of more tiles than the card may hold is drawn with coarser ones.
  job.frames_without_news = image_.tiles().uploads() > uploads ? 0 : job.frames_without_news + 1;
  return job.frames_without_news > kMostIdle;
}

Raster OffScreen::read(const Job& job) {
  Raster raster{job.order.width, job.order.height, {}};
  const std::size_t row = 4 * static_cast<std::size_t>(raster.width);
  std::vector<unsigned char> upside_down(row * static_cast<std::size_t>(raster.height));
  const PlaceKept kept;
  file_target_.bind();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, raster.width, raster.height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  raster.rgba.reserve(upside_down.size());
  for (int y = raster.height - 1; y >= 0; --y)
    raster.rgba.insert(raster.rgba.end(), upside_down.begin() + y * static_cast<std::ptrdiff_t>(row),
                       upside_down.begin() + (y + 1) * static_cast<std::ptrdiff_t>(row));
  return raster;
}

void OffScreen::step(Context& context) {
  if (jobs_.empty()) return;
  if (!jobs_.front()->drawn) {
    jobs_.front()->drawn = draw(context, *jobs_.front());
    return;
  }
  const std::unique_ptr<Job> done = std::move(jobs_.front());
  jobs_.pop_front();
  done->order.done(read(*done));
}

std::uintptr_t OffScreen::small_picture(const ViewerState& state, const Document& document, const ViewTransform& view,
                                        int width, int height) {
  if (!document.layer().pixels || width < 1 || height < 1) return 0;
  const ImageScene scene = scene_of(state, document, document.shown, transform_of(view, width, height), 1);
  const PlaceKept kept;
  small_target_.resize(width, height);
  small_target_.bind();
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  image_.draw(scene);
  return small_target_.texture();
}

}  // namespace reber::gui
