// SPDX-License-Identifier: BSD-3-Clause
// The image on the screen: its picture, what is drawn on it, and the mouse.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "gui/model/first_limits.hpp"
#include "gui/overlays/overlays.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/panels/inspector.hpp"
#include "gui/shell/app.hpp"
#include "gui/shell/canvas.hpp"
#include "gui/shell/compare_view.hpp"
#include "gui/shell/keep.hpp"
#include "gui/shell/layout.hpp"
#include "gui/shell/overlay.hpp"
#include "gui/shell/palette_window.hpp"
#include "gui/shell/theme.hpp"

namespace reber::gui {
namespace {

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
                     scene.pixels->id(), scene.other == nullptr ? 0 : scene.other->id(),
                     static_cast<int>(scene.combine), v.centre.x, v.centre.y, v.zoom, v.flip_x, v.flip_y,
                     v.rotation_deg, s.low, s.high, static_cast<int>(s.stretch), s.softness, s.power, s.colour_map,
                     s.invert, s.bias, s.contrast, s.blank.red, s.blank.green, s.blank.blue,
                     static_cast<int>(s.reduction), scene.pixel_grid, width, height, sources ? 1 : 0,
                     document.result ? document.result->generation : 0, document.selection.version,
                     (s.categorical ? 1 : 0) + (document.result_stale() ? 2 : 0), document.id);
}

}  // namespace

ImageScene App::scene_of(const Document& document, LayerKind kind, const CanvasTransform& transform, double ratio) {
  const Layer& layer = document.layer(kind);
  ImageScene scene;
  scene.pixels = layer.pixels.get();
  scene.settings = layer.render;
  scene.pixel_grid = state_.pixel_grid;
  ViewTransform view = transform.view();
  view.zoom *= ratio;
  scene.transform = CanvasTransform(
      view, {0, 0, std::round(ratio * transform.canvas().width), std::round(ratio * transform.canvas().height)});
  return scene;
}

Raster App::render(const Document& document, const ViewTransform& view, int width, int height) {
  Raster raster{width, height, {}};
  export_target_.resize(width, height);
  const CanvasTransform transform(view, {0, 0, static_cast<double>(width), static_cast<double>(height)});
  ImageScene scene = scene_of(document, document.shown, transform, 1);
  std::vector<float> cumulative;
  if (scene.settings.stretch == Stretch::histogram) {
    cumulative = cumulative_of(jobs_of(document).samples[document.shown], scene.settings.low, scene.settings.high);
    scene.cumulative = &cumulative;
  }
  // All tiles; those that a session has yet to make are waited for, though not for a run that takes long.
  constexpr auto kWait = std::chrono::seconds(5);
  const auto start = std::chrono::steady_clock::now();
  for (bool more = true; more;) {
    renderer_->begin_frame(1e6);
    export_target_.bind();
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    renderer_->draw(scene);
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
  std::vector<float> cumulative;
  if (scene.settings.stretch == Stretch::histogram) {
    cumulative = cumulative_of(jobs_of(document).samples[document.shown], scene.settings.low, scene.settings.high);
    scene.cumulative = &cumulative;
  }
  small_target_.resize(width, height);
  small_target_.bind();
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  renderer_->draw(scene);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  pictures_complete_ = pictures_complete_ && !renderer_->tiles().pending() && !renderer_->tiles().awaited();
  return small_target_.texture();
}

bool App::draw_picture(CanvasPicture& picture, const CanvasView& canvas) {
  Document& document = canvas.document;
  if (!document.layer(canvas.layer).pixels) return false;
  const double ratio = ImGui::GetIO().DisplayFramebufferScale.x > 0 ? ImGui::GetIO().DisplayFramebufferScale.x : 1;
  ImageScene scene = scene_of(document, canvas.layer, canvas.transform, ratio);
  compare_with_other(scene, canvas);
  const int width = static_cast<int>(scene.transform.canvas().width);
  const int height = static_cast<int>(scene.transform.canvas().height);
  const bool sources = document.result && !document.shapes.empty() && is_on(state_, overlays().front());
  const Layer& islands = document.layer(LayerKind::islands);
  const Pyramid* outlines =
      outlines_wanted(document) && canvas.layer != LayerKind::islands ? islands.pixels.get() : nullptr;
  const std::string wanted = fmt::format("{} {} ", outlines == nullptr ? 0 : outlines->id(), state_.light_theme) +
                             fingerprint(scene, document, width, height, sources);
  if (wanted == picture.drawn && picture.complete) return true;
  std::vector<float> cumulative;
  if (scene.settings.stretch == Stretch::histogram) {
    cumulative = cumulative_of(jobs_of(document).samples[canvas.layer], scene.settings.low, scene.settings.high);
    scene.cumulative = &cumulative;
  }
  picture.target.resize(width, height);
  picture.target.bind();
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(state_.light_theme ? 0xffd8d8d8 : 0xff131210);
  passes_.mark("processor");
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  passes_.mark("ground");
  renderer_->draw(scene);
  passes_.mark("image");
  if (outlines) {
    ImageScene labels = scene;
    labels.pixels = outlines;
    labels.other = nullptr;
    labels.combine = Combine::first;
    labels.outline = true;
    labels.pixel_grid = false;
    renderer_->draw(labels);
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

/// Difference and ratio need the other layer's pixels on the same grid.
void App::compare_with_other(ImageScene& scene, const CanvasView& canvas) {
  const Compare::Kind kind = state_.compare.kind;
  if (kind != Compare::Kind::difference && kind != Compare::Kind::ratio) return;
  const Document* other =
      state_.compare.other_document < 0 ? &canvas.document : state_.find(state_.compare.other_document);
  if (other == nullptr) return;
  Context all = context();
  scene.other = pixels_on_grid(all, canvas.document, *other);
  if (scene.other == nullptr || !(scene.other->shape() == scene.pixels->shape())) {
    scene.other = nullptr;
    return;
  }
  scene.combine = kind == Compare::Kind::ratio ? Combine::ratio : Combine::difference;
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
  if (primary) widgets_.item("canvas");
  if (primary && document.header) {
    Context all = context();
    canvas_mouse(all, canvas);
    draw_canvas_menu(all);
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
  const float wrap = 0.7f * static_cast<float>(area.width);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  ImGui::SetCursorPos(
      {0.5f * (static_cast<float>(area.width) - size.x), 0.5f * (static_cast<float>(area.height) - size.y)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + wrap);
  ImGui::PushStyleColor(ImGuiCol_Text, document.error.empty() ? palette().text_dim : palette().bad);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
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
  if (ImGui::Button("Open an image ...   Ctrl+O")) run_action(all, "file.open");
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

void App::draw_document(Document& document) {
  Compare& compare = state_.compare;
  Document* other = compare.other_document < 0 ? &document : state_.find(compare.other_document);
  // Without a convolution, say, there is no convolved image to look at.
  if (other != nullptr && compare.kind != Compare::Kind::off && !layer_possible(*other, compare.other_layer))
    compare.other_layer = layer_possible(*other, LayerKind::background) ? LayerKind::background : other->shown;
  if (other == nullptr || compare.kind == Compare::Kind::off || compare.kind == Compare::Kind::difference ||
      compare.kind == Compare::Kind::ratio) {
    draw_canvas(canvas_, document, document.shown, true);
    return;
  }
  if (compare.kind == Compare::Kind::blink) {
    compare.other_shown = static_cast<std::int64_t>(state_.now / compare.blink_seconds) % 2 == 1;
    const ViewTransform locked = matching_view(state_, document, *other);
    if (compare.other_shown && other != &document) other->view = locked;
    draw_canvas(canvas_, compare.other_shown ? *other : document,
                compare.other_shown ? compare.other_layer : document.shown, true);
    // Moved while the other one was shown: the first follows.
    if (compare.other_shown && other != &document && !(other->view == locked))
      document.view = matching_view(state_, *other, document);
    return;
  }
  // Side by side the halves have a centre each; split shows two parts of one picture.
  ScreenRect left = canvas_, right = canvas_;
  if (compare.kind == Compare::Kind::side_by_side) {
    left.width = std::floor(0.5 * canvas_.width) - 1;
    right.x = left.x + left.width + 2;
    right.width = canvas_.width - left.width - 2;
    draw_canvas(left, document, document.shown, true);
    if (other != &document) other->view = matching_view(state_, document, *other);
    draw_canvas(right, *other, compare.other_layer, false);
    canvas_ = left;
    return;
  }
  draw_canvas(canvas_, document, document.shown, true);
  draw_split(*other);
}

/// The other picture over the right part of the first, pixel on pixel.
void App::draw_split(Document& other) {
  Document& document = *state_.document();
  if (&other != &document) other.view = matching_view(state_, document, other);
  const CanvasView canvas{other, state_.compare.other_layer, CanvasTransform(other.view, canvas_), false,
                          window_->scale()};
  if (!draw_picture(pictures_[1], canvas)) return;
  pictures_complete_ = pictures_complete_ && pictures_[1].complete;
  const auto part = static_cast<float>(state_.compare.split);
  const auto x = static_cast<float>(canvas_.x), y = static_cast<float>(canvas_.y);
  const auto width = static_cast<float>(canvas_.width), height = static_cast<float>(canvas_.height);
  ImGui::Begin("##canvas");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(pictures_[1].target.texture())),
                {x + part * width, y}, {x + width, y + height}, {part, 1}, {1, 0});
  list.PushClipRect({x + part * width, y}, {x + width, y + height}, true);
  Context all = context();
  for (const Overlay& overlay : overlays())
    if (overlay.draw != nullptr && is_on(state_, overlay)) overlay.draw(canvas, all, list);
  list.PopClipRect();
  list.AddLine({x + part * width, y}, {x + part * width, y + height}, palette().halo, 4);
  list.AddLine({x + part * width, y}, {x + part * width, y + height}, palette().source_selected, 1.5f);
  ImGui::End();
}

}  // namespace reber::gui
