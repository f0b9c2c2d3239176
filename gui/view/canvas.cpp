// SPDX-License-Identifier: BSD-3-Clause
// The image on the screen: its picture, what is drawn on it, and the mouse.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/app/app.hpp"
#include "gui/app/keep.hpp"
#include "gui/app/layout.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/overlays/overlays.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/panels/palette_window.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/theme.hpp"
#include "gui/view/canvas.hpp"

namespace reber::gui {
namespace {

void draw_centred(const std::string& text, unsigned colour, const ScreenRect& area) {
  const float wrap = 0.7f * static_cast<float>(area.width);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  ImGui::SetCursorPos(
      {0.5f * (static_cast<float>(area.width) - size.x), 0.5f * (static_cast<float>(area.height) - size.y)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + wrap);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

/// Hands the sources to the card where they are not there yet. Kinds: 0 positive, 1 negative, 2 selected.
void update(DrawnSources& drawn, const Document& document) {
  const bool fresh = drawn.result != document.result || drawn.count != document.shapes.size();
  if (fresh) drawn.ellipses.set_shapes(document.shapes);
  if (!fresh && drawn.selection == document.selection.version) return;
  drawn.result = document.result;
  drawn.count = document.shapes.size();
  drawn.selection = document.selection.version;
  std::vector<std::uint8_t> kinds;
  kinds.reserve(drawn.count);
  for (const Source& source : document.result->sources) kinds.push_back(source.negative ? 1 : 0);
  kinds.resize(drawn.count);
  for (const std::int64_t row : document.selection.rows)
    if (row >= 0 && row < static_cast<std::int64_t>(kinds.size())) kinds[static_cast<std::size_t>(row)] = 2;
  drawn.ellipses.set_kinds(kinds);
}

/// Small ellipses grow to a size that can be seen; all are fainter while newer parameters are at work.
EllipseLook look_of(const Document& document, double ratio, double scale) {
  constexpr std::size_t kMany = 5000;
  EllipseLook look{{palette().source, palette().source_negative, palette().source_selected},
                   (document.shapes.size() > kMany ? 2.5 : 3.5) * scale * ratio,
                   1.4 * ratio * scale};
  if (document.result_stale())
    for (std::uint32_t& colour : look.colours) colour = (colour & 0x00ffffffu) | 0x70000000u;
  return look;
}

std::string fingerprint(const ImageScene& scene, const Document& document, int width, int height, bool sources) {
  const RenderSettings& s = scene.settings;
  const ViewTransform& v = scene.transform.view();
  return fmt::format("{} {} {} | {} {} {} {} {} {} | {} {} {} {} {} {} {} {} {} {} {} {} {} | {} {} {} | {} {} {} {}",
                     scene.pixels->id(), scene.other == nullptr ? 0 : scene.other->id(), static_cast<int>(scene.blend),
                     v.centre.x, v.centre.y, v.zoom, v.flip_x, v.flip_y, v.rotation_deg, s.low, s.high,
                     static_cast<int>(s.stretch), s.softness, s.power, s.colour_map, s.invert, s.bias, s.contrast,
                     s.blank.red, s.blank.green, s.blank.blue, static_cast<int>(s.reduction), scene.pixel_grid, width,
                     height, sources ? 1 : 0, document.result ? document.result->generation : 0,
                     document.selection.version, (s.categorical ? 1 : 0) + (document.result_stale() ? 2 : 0),
                     document.id);
}

}  // namespace

ImageScene App::scene_of(const Document& document, LayerKind kind, const CanvasTransform& transform, double ratio) {
  const Layer& layer = document.layer(kind);
  ImageScene scene;
  scene.pixels = layer.pixels.get();
  scene.settings = layer.render;
  if (layer.render.stretch == Stretch::histogram)
    scene.cumulative = cumulative_of(jobs_of(document).samples[kind], layer.render.low, layer.render.high);
  scene.pixel_grid = state_.pixel_grid;
  ViewTransform view = transform.view();
  view.zoom *= ratio;
  scene.transform = CanvasTransform(
      view, {0, 0, std::round(ratio * transform.canvas().width), std::round(ratio * transform.canvas().height)});
  return scene;
}

bool App::draw_picture(CanvasPicture& picture, const CanvasView& canvas) {
  Document& document = canvas.document;
  if (!document.layer(canvas.layer).pixels) return false;
  const double ratio = ImGui::GetIO().DisplayFramebufferScale.x > 0 ? ImGui::GetIO().DisplayFramebufferScale.x : 1;
  ImageScene scene = scene_of(document, canvas.layer, canvas.transform, ratio);
  compare_with_other(scene, document);
  const int width = static_cast<int>(scene.transform.canvas().width);
  const int height = static_cast<int>(scene.transform.canvas().height);
  const bool sources = document.result && !document.shapes.empty() && is_on(state_, overlays().front());
  const Pyramid* outlines = outlines_over(document, canvas.layer);
  const std::string wanted = fmt::format("{} {} ", outlines == nullptr ? 0 : outlines->id(), state_.light_theme) +
                             fingerprint(scene, document, width, height, sources);
  if (wanted == picture.drawn && picture.complete) return true;
  picture.target.resize(width, height);
  picture.target.bind();
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(state_.light_theme ? 0xff7c7570 : 0xff131210);
  passes_.mark("processor");
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  passes_.mark("ground");
  renderer_->draw(scene);
  passes_.mark("image");
  if (outlines) {
    draw_outlines(scene, *outlines);
    passes_.mark("outlines");
  }
  if (sources) {
    DrawnSources& drawn = jobs_of(document).drawn_sources;
    update(drawn, document);
    ellipses_->draw(drawn.ellipses, scene.transform, look_of(document, ratio, canvas.scale));
    passes_.mark("ellipses");
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glFlush();  // the card draws while the rest of the interface is made
  picture.drawn = wanted;
  picture.complete = !renderer_->tiles().pending() && !renderer_->tiles().awaited();
  return true;
}

void App::draw_canvas(const ScreenRect& area, Document& document, LayerKind layer, bool primary) {
  const auto at = [](double x, double y) { return ImVec2(static_cast<float>(x), static_cast<float>(y)); };
  ImGui::SetNextWindowPos(at(area.x, area.y));
  ImGui::SetNextWindowSize(at(area.width, area.height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  // The picture covers the window's ground.
  const Layer& shown = document.layer(layer);
  const bool covers = shown.pixels && shown.render.blank.alpha >= 1;
  if (covers && primary) covered_ = area;
  ImGui::Begin(primary ? "##canvas" : "##canvas2", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                   (covers ? ImGuiWindowFlags_NoBackground : 0));
  ImGui::PopStyleVar(2);
  // A whole image stays whole when parts of the window come and go.
  if (primary && document.header && fitted_in_.width > 1 &&
      (fitted_in_.width != area.width || fitted_in_.height != area.height) &&
      document.view == fit_view(document.view, document.header->shape, fitted_in_))
    document.fit_when_drawn = true;
  if (primary) fitted_in_ = area;
  if (document.fit_when_drawn && document.header && area.width > 1) {
    document.view = fit_view(document.view, document.header->shape, area);
    document.fit_when_drawn = false;
  }
  CanvasView canvas{document, layer, CanvasTransform(document.view, area), primary, window_->scale()};
  ImGui::InvisibleButton(
      "##image", at(area.width, area.height),
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  widgets_.item(primary ? "canvas" : "canvas2");
  if (document.header) {
    Context all = context();
    canvas_mouse(all, canvas);
    if (primary) draw_canvas_menu(all);
    canvas.transform = CanvasTransform(document.view, area);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  CanvasPicture& picture = pictures_[primary ? 0 : 1];
  if (draw_picture(picture, canvas)) {
    // The target's first row is its lowest.
    list.AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(picture.target.texture())),
                  at(area.x, area.y), at(area.x + area.width, area.y + area.height), {0, 1}, {1, 0});
    pictures_complete_ = pictures_complete_ && picture.complete;
    Context all = context();
    list.PushClipRect(at(area.x, area.y), at(area.x + area.width, area.y + area.height), true);
    for (const Overlay& overlay : overlays())
      if (overlay.draw != nullptr && is_on(state_, overlay)) overlay.draw(canvas, all, list);
    list.PopClipRect();
    const Rect seen = canvas.transform.visible(shown.pixels->shape());
    if (seen.nx <= 0 || seen.ny <= 0) {
      draw_centred(
          primary ? fmt::format("{} is out of sight: Ctrl+0 shows all of it", document.title()) : "not in this view",
          IM_COL32(235, 235, 235, 255), area);
      widgets_.item(primary ? "canvas.out_of_sight" : "canvas2.out_of_sight");
    }
  } else {
    draw_message(document, area);
  }
  ImGui::End();
}

void App::draw_message(const Document& document, const ScreenRect& area) {
  const std::string text =
      !document.error.empty() ? document.error
      : document.loading      ? "Opening " + document.title()
                              : fmt::format("Making the {} map", kLayerNames[static_cast<std::size_t>(document.shown)]);
  draw_centred(text, document.error.empty() ? palette().text_dim : palette().bad, area);
}

void App::draw_welcome(const ScreenRect& area) {
  ImGui::SetNextWindowPos({static_cast<float>(area.x), static_cast<float>(area.y)});
  ImGui::SetNextWindowSize({static_cast<float>(area.width), static_cast<float>(area.height)});
  ImGui::Begin("##welcome", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings);
  const float unit = ImGui::GetFontSize();
  ImGui::SetCursorPos({0.5f * static_cast<float>(area.width) - 14 * unit, 0.3f * static_cast<float>(area.height)});
  ImGui::BeginGroup();
  ImGui::PushFont(bold_font());
  ImGui::TextUnformatted("Reber");
  ImGui::PopFont();
  ImGui::TextDisabled("Drop a FITS image here, or");
  Context all = context();
  if (ImGui::Button("Open an image ...   Ctrl+O")) run_action(all, "panel.open");
  widgets_.item("welcome.open");
  if (!state_.recent.empty()) {
    ImGui::Dummy({0, unit});
    ImGui::TextDisabled("Recent");
    for (std::size_t i = 0; i < state_.recent.size(); ++i) {
      const std::string path = state_.recent[i];
      if (ImGui::Selectable(path.c_str(), false, 0, {28 * unit, 0})) open(path, {});
      widgets_.item(fmt::format("welcome.recent.{}", i));
      if (i >= state_.recent.size()) break;
    }
  }
  ImGui::EndGroup();
  ImGui::End();
}

void App::draw_interface() {
  Context all = context();
  update_inspector(all);
  double fraction = 0;
  const std::string doing = activity(fraction);
  canvas_ = draw_frame_parts(all, window_->scale(), doing, fraction);
  pictures_complete_ = true;
  covered_ = {};
  keep_frame(all);
  Document* document = state_.document();
  if (document == nullptr)
    draw_welcome(canvas_);
  else
    draw_document(*document);
  draw_floating(all, window_->scale());
  draw_palette_window(all, window_->scale());
}

}  // namespace reber::gui
