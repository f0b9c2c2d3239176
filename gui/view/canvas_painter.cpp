// SPDX-License-Identifier: BSD-3-Clause
// Pictures on the window: drawn where something changed, covered with overlays, compared.
#include "gui/view/canvas_painter.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/compare_view.hpp"
#include "gui/ui/laid_document.hpp"
#include "gui/ui/theme.hpp"
#include "gui/view/canvas_mouse.hpp"
#include "gui/view/scene.hpp"

namespace reber::gui {
namespace {

ImVec2 corner(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

ImTextureID texture_of(const Target& target) {
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(target.texture()));
}

double pixels_per_point() {
  const float ratio = ImGui::GetIO().DisplayFramebufferScale.x;
  return ratio > 0 ? static_cast<double>(ratio) : 1;
}

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

void draw_message(const Document& document, const ScreenRect& area) {
  const std::string failed = document.error.empty() ? failure_of(document) : document.error;
  const std::string text =
      !failed.empty()    ? failed
      : document.loading ? "Opening " + document.title()
                         : fmt::format("Making the {} map", kLayerNames[static_cast<std::size_t>(document.shown)]);
  draw_centred(text, failed.empty() ? palette().text_dim : palette().bad, area);
}

void draw_overlays(Context& context, const CanvasView& canvas, ImDrawList& list) {
  for (const auto& [row, overlay] : context.overlays.all())
    if (is_on(context.state, row)) overlay->draw(canvas, context, list);
}

/// Why nothing of an image is in view, and what helps.
std::string out_of_sight(ViewerState& state, const CanvasView& canvas) {
  const Document* shown = state.document();
  if (shown != nullptr && shown != &canvas.document && state.compare.sky_lock) {
    if (!share_sky(state, *shown, canvas.document))
      return fmt::format(
          "no overlap: {} and {} are different parts of the sky.\nCompare, \"Lock by sky coordinates\" off: pixel on "
          "pixel.",
          canvas.document.title(), shown->title());
    return fmt::format("{} has no part of this view: Ctrl+0 shows all", canvas.document.title());
  }
  return canvas.primary ? fmt::format("{} is out of sight: Ctrl+0 shows all of it", canvas.document.title())
                        : "not in this view";
}

/// A first look at an image that stays in its file may lack what lies between the rows it was made of.
void draw_preview_mark(Context& context, const CanvasView& canvas, ImDrawList& list) {
  const Pyramid& pixels = *canvas.document.layer(canvas.layer).pixels;
  if (!pixels.in_file() || pixels.row_step() == 1) return;
  const std::string text = canvas.document.loading
                               ? fmt::format("preview of every {}th row; {:.0f} % of the image read", pixels.row_step(),
                                             100 * canvas.document.load_fraction)
                               : fmt::format("preview of every {}th row: reading was stopped", pixels.row_step());
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ScreenRect& area = canvas.transform.canvas();
  const float unit = ImGui::GetFontSize();
  const ImVec2 low = corner(area.x + 0.5 * (area.width - static_cast<double>(size.x)), area.y + 0.7 * unit);
  list.AddRectFilled({low.x - 0.5f * unit, low.y - 0.25f * unit},
                     {low.x + size.x + 0.5f * unit, low.y + size.y + 0.25f * unit}, IM_COL32(0, 0, 0, 170), 4);
  list.AddText(low, IM_COL32(255, 215, 130, 255), text.c_str());
  if (canvas.primary) context.widgets.area("canvas.preview", {low.x, low.y, size.x, size.y});
}

/// Told by the last level, one mean of all pixels; of a session's map by its sample, nothing else is at hand.
bool all_blank(const Layer& layer) {
  if (layer.kind == LayerKind::islands || layer.pixels->row_step() > 1 || !layer.sample.empty()) return false;
  if (layer.pixels->tiles()) return true;
  float mean = 0;
  layer.pixels->read(layer.pixels->levels() - 1, Reduction::mean, {0, 0, 1, 1}, &mean);
  return !std::isfinite(mean);
}

}  // namespace

CanvasPainter::CanvasPainter(std::int64_t texture_bytes, bool software)
    : software_(software), image_(texture_bytes, software) {}

void CanvasPainter::begin_frame() {
  image_.begin_frame(software_ ? 30 : 2);
  complete_ = true;
  covered_ = {};
}

void CanvasPainter::forget_pictures() {
  for (Picture& picture : pictures_) picture.drawn.reset();
}

PictureKey CanvasPainter::key_of(const Context& context, const CanvasView& canvas, const ImageScene& scene) const {
  PictureKey key{canvas.document.id,
                 scene.pixels->id(),
                 scene.other == nullptr ? 0 : scene.other->id(),
                 {},
                 scene.blend,
                 scene.transform.view(),
                 scene.settings,
                 scene.pixel_grid,
                 context.state.light_theme,
                 scene.fine,
                 static_cast<int>(scene.transform.canvas().width),
                 static_cast<int>(scene.transform.canvas().height),
                 {}};
  if (scene.blend == Blend::rgb)
    for (const ColourChannel& channel : scene.channels)
      key.channels.emplace_back(channel.pixels == nullptr ? 0 : channel.pixels->id(), channel.settings);
  for (const auto& [row, overlay] : context.overlays.all())
    key.paintings.push_back(is_on(context.state, row) ? overlay->paint_key(canvas, context.state) : PaintKey{});
  return key;
}

/// False where there is nothing to draw.
bool CanvasPainter::draw_picture(Context& context, Picture& picture, const CanvasView& canvas) {
  Document& document = canvas.document;
  if (!document.layer(canvas.layer).pixels) return false;
  const double ratio = pixels_per_point();
  ImageScene scene = scene_of(context.state, document, canvas.layer, canvas.transform, ratio);
  compare_with_other(context, scene, document);
  PictureKey key = key_of(context, canvas, scene);
  // A processor draws what moves at the coarser level, which is four times as fast, and the finer one where it rests.
  const bool finer = software_ && has_finer_level(scene);
  if (finer) {
    if (picture.drawn) key.fine = picture.drawn->fine;
    scene.fine = picture.drawn == key;
    key.fine = scene.fine;
  }
  if (picture.complete && picture.drawn == key) return true;
  const PlaceKept kept;
  picture.target.resize(key.width, key.height);
  picture.target.bind();
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(key.light_theme ? 0xff7c7570 : 0xff131210);
  passes_.mark("processor");
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  passes_.mark("ground");
  image_.draw(scene);
  passes_.mark("image");
  const Brush brush{image_, ellipses_, scene, ratio, passes_};
  for (std::size_t i = 0; i < key.paintings.size(); ++i)
    if (!key.paintings[i].empty()) context.overlays.all()[i].overlay->paint(canvas, context, brush);
  glFlush();  // the card draws while the rest of the interface is made
  picture.drawn = std::move(key);
  picture.complete = all_tiles_here() && (scene.fine || !finer);
  return true;
}

/// A whole image stays whole when parts of the window come and go.
void CanvasPainter::fit(const Context& context, Document& document, const ScreenRect& area, bool primary) {
  const double room = primary ? colour_bar_room(context.widgets, area) : 0;
  const bool changed = fitted_in_.width != area.width || fitted_in_.height != area.height || fitted_room_ != room;
  if (document.header && primary && fitted_in_.width > 1 && changed &&
      document.view == whole_view(document, fitted_in_, fitted_room_))
    document.fit_when_drawn = true;
  if (primary) {
    fitted_in_ = area;
    fitted_room_ = room;
  }
  if (!document.header || !document.fit_when_drawn || area.width <= 1) return;
  document.view = whole_view(document, area, room);
  document.fit_when_drawn = false;
}

/// The picture, and the overlays on it.
void CanvasPainter::draw_over(Context& context, Picture& picture, const CanvasView& canvas) {
  const ScreenRect& area = canvas.transform.canvas();
  const ImVec2 low = corner(area.x, area.y), high = corner(area.x + area.width, area.y + area.height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(texture_of(picture.target), low, high, {0, 1}, {1, 0});  // the target's first row is its lowest
  complete_ = complete_ && picture.complete;
  list.PushClipRect(low, high, true);
  draw_overlays(context, canvas, list);
  draw_preview_mark(context, canvas, list);
  list.PopClipRect();
  const Rect seen = canvas.transform.visible(canvas.document.layer(canvas.layer).pixels->shape());
  if (seen.nx > 0 && seen.ny > 0) {
    if (!all_blank(canvas.document.layer(canvas.layer))) return;
    draw_centred("all pixels blank", IM_COL32(235, 235, 235, 255), area);
    context.widgets.item(canvas.primary ? "canvas.all_blank" : "canvas2.all_blank");
    return;
  }
  draw_centred(out_of_sight(context.state, canvas), IM_COL32(235, 235, 235, 255), area);
  context.widgets.item(canvas.primary ? "canvas.out_of_sight" : "canvas2.out_of_sight");
}

void CanvasPainter::draw_canvas(Context& context, const ScreenRect& area, Document& document, LayerKind layer,
                                std::size_t place, Document* hand) {
  Document& moved = hand == nullptr ? document : *hand;
  const bool primary = place == 0;
  const std::string name = primary ? "canvas" : fmt::format("canvas{}", place + 1);
  ImGui::SetNextWindowPos(corner(area.x, area.y));
  ImGui::SetNextWindowSize(corner(area.width, area.height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  // The picture covers the window's ground.
  const Layer& shown = document.layer(layer);
  const bool covers = shown.pixels && shown.render.blank.alpha >= 1;
  if (covers && primary) covered_ = area;
  ImGui::Begin(("##" + name).c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                   (covers ? ImGuiWindowFlags_NoBackground : 0));
  ImGui::PopStyleVar(2);
  fit(context, moved, area, primary);
  CanvasView under_hand{moved, hand == nullptr ? layer : moved.shown, CanvasTransform(moved.view, area), primary,
                        scale_};
  ImGui::InvisibleButton(
      "##image", corner(area.width, area.height),
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  context.widgets.item(name);
  if (document.header) {
    canvas_mouse(context, under_hand);
    if (primary) menu_.draw(context);
  }
  document.view = moved.view;
  const CanvasView canvas{document, layer, CanvasTransform(document.view, area), primary, scale_};
  Picture& picture = pictures_.at(place);
  if (draw_picture(context, picture, canvas))
    draw_over(context, picture, canvas);
  else
    draw_message(document, area);
  ImGui::End();
}

ScreenRect CanvasPainter::draw(Context& context, const ScreenRect& area, double scale) {
  using Kind = Compare::Kind;
  scale_ = scale;
  Document& document = *context.state.document();
  Compare& compare = context.state.compare;
  Document* other = compare.other_document < 0 ? &document : context.state.find(compare.other_document);
  if (compare.kind == Kind::off) forget_stops(context.state);
  if (other != nullptr && compare.kind != Kind::off) choose_possible_layer(compare, *other);
  if (other != nullptr && compare.kind == Kind::blink) {
    draw_blinking(context, area, document, *other);
    return area;
  }
  // Side by side the halves have a centre each; split shows two parts of one picture.
  if (other != nullptr && compare.kind == Kind::side_by_side) return draw_beside(context, area, document, *other);
  if (compare.kind == Kind::tiles && document.header) return draw_grid(context, area);
  draw_canvas(context, area, document, document.shown, 0);
  if (other != nullptr && compare.kind == Kind::split) draw_split(context, area, document, *other);
  return area;
}

void CanvasPainter::draw_blinking(Context& context, const ScreenRect& area, Document& document, Document& other) {
  Compare& compare = context.state.compare;
  compare.other_shown = static_cast<std::int64_t>(context.state.now / compare.blink_seconds) % 2 == 1;
  const ViewTransform locked = matching_view(context.state, document, other);
  if (!compare.other_shown) {
    draw_canvas(context, area, document, document.shown, 0);
    return;
  }
  if (needs_laying(context.state, document, other)) {
    other.view = locked;
    Document* const laid = laid_document(context, document, other, compare.other_layer);
    if (laid == nullptr) compare.other_shown = false;
    draw_canvas(context, area, laid == nullptr ? document : *laid, laid == nullptr ? document.shown : laid->shown, 0,
                &document);
    return;
  }
  if (&other != &document) other.view = locked;
  draw_canvas(context, area, other, compare.other_layer, 0);
  // Moved while the other one was shown: the first follows.
  if (&other != &document && !(other.view == locked)) document.view = matching_view(context.state, other, document);
}

ScreenRect CanvasPainter::draw_tiles(Context& context, const ScreenRect& area, const std::vector<Tile>& tiles,
                                     std::size_t columns, std::size_t primary) {
  constexpr double kGap = 2;
  const std::size_t rows = (tiles.size() + columns - 1) / columns;
  pictures_.resize(std::max<std::size_t>(2, tiles.size()));
  const auto part_of = [&](std::size_t tile) {
    const auto edge = [](double from, double length, std::size_t at, std::size_t count) {
      return from + std::floor((length + kGap) * static_cast<double>(at) / static_cast<double>(count));
    };
    ScreenRect part;
    part.x = edge(area.x, area.width, tile % columns, columns);
    part.y = edge(area.y, area.height, tile / columns, rows);
    part.width = edge(area.x, area.width, tile % columns + 1, columns) - kGap - part.x;
    part.height = edge(area.y, area.height, tile / columns + 1, rows) - kGap - part.y;
    return part;
  };
  Document& shown = *tiles[primary].document;
  draw_canvas(context, part_of(primary), shown, tiles[primary].layer, 0);
  Document* moved = nullptr;
  std::size_t place = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i == primary) continue;
    Document& document = *tiles[i].document;
    // An image of another part of the sky keeps the view that it has, or it would be lost.
    const bool follows =
        &document != &shown && (context.state.compare.kind != Compare::Kind::tiles || !context.state.compare.sky_lock ||
                                share_sky(context.state, shown, document));
    if (follows) {
      document.view = matching_view(context.state, shown, document);
      document.fit_when_drawn = false;
    }
    const ViewTransform locked = document.view;
    draw_canvas(context, part_of(i), document, tiles[i].layer, ++place);
    if (follows && !(document.view == locked)) moved = &document;
  }
  // Moved in another tile: the shown one follows, and the others with it in the next frame.
  if (moved != nullptr) shown.view = matching_view(context.state, *moved, shown);
  return part_of(primary);
}

ScreenRect CanvasPainter::draw_beside(Context& context, const ScreenRect& area, Document& document, Document& other) {
  return draw_tiles(context, area, {{&document, document.shown}, {&other, context.state.compare.other_layer}}, 2, 0);
}

ScreenRect CanvasPainter::draw_grid(Context& context, const ScreenRect& area) {
  std::vector<Tile> tiles;
  std::size_t primary = 0;
  for (Document* each : tiled_documents(context.state)) {
    if (each == context.state.document()) primary = tiles.size();
    tiles.push_back({each, each->shown});
  }
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tiles.size())) - 1e-9));
  return draw_tiles(context, area, tiles, columns, primary);
}

/// The other picture over the right part of the first, pixel on pixel; none while it is being laid on its grid.
void CanvasPainter::draw_split(Context& context, const ScreenRect& area, Document& document, Document& other) {
  if (&other != &document) other.view = matching_view(context.state, document, other);
  Document* drawn = &other;
  if (needs_laying(context.state, document, other))
    drawn = laid_document(context, document, other, context.state.compare.other_layer);
  if (drawn == nullptr) return;
  const CanvasView canvas{*drawn, context.state.compare.other_layer, CanvasTransform(drawn->view, area), false, scale_};
  if (!draw_picture(context, pictures_[1], canvas)) return;
  complete_ = complete_ && pictures_[1].complete;
  const auto part = static_cast<float>(context.state.compare.split);
  const ImVec2 low = corner(area.x, area.y), size = corner(area.width, area.height);
  const ImVec2 line{low.x + part * size.x, low.y}, high{low.x + size.x, low.y + size.y};
  ImGui::Begin("##canvas");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddImage(texture_of(pictures_[1].target), line, high, {part, 1}, {1, 0});
  list.PushClipRect(line, high, true);
  draw_overlays(context, canvas, list);
  list.PopClipRect();
  list.AddLine(line, {line.x, high.y}, palette().halo, 4);
  list.AddLine(line, {line.x, high.y}, palette().source_selected, 1.5f);
  ImGui::End();
}

void CanvasPainter::step_off_screen(Context& context) {
  off_screen_.step(context);
  complete_ = complete_ && !off_screen_.busy();
}

std::uintptr_t CanvasPainter::small_picture(const ViewerState& state, const Document& document,
                                            const ViewTransform& view, int width, int height) {
  const std::uintptr_t texture = off_screen_.small_picture(state, document, view, width, height);
  if (texture != 0) complete_ = complete_ && all_tiles_here();
  return texture;
}

}  // namespace reber::gui
