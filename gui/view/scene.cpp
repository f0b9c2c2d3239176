// SPDX-License-Identifier: BSD-3-Clause
// Scenes of documents, alone and less another.
#include "gui/view/scene.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "gui/model/first_limits.hpp"
#include "gui/ui/compare_view.hpp"

namespace reber::gui {

namespace {

/// Values of both images at the same pixels, as a difference or a ratio; empty where they are not in memory.
std::vector<float> combined_sample(const Pyramid& first, const Pyramid& other, bool ratio) {
  if (first.tiles() || other.tiles()) return {};
  constexpr std::int64_t kMost = 1 << 16;
  const int level = std::max(first.first_level(), other.first_level());
  const Shape shape = first.level_shape(level);
  const LevelSample places = LevelSample::of(shape, kMost);
  std::vector<float> a(static_cast<std::size_t>(shape.nx)), b(a.size()), sample;
  for (std::int64_t y = places.first_row(); y < shape.ny; y += places.step) {
    first.read(level, Reduction::mean, {y, 0, 1, shape.nx}, a.data());
    other.read(level, Reduction::mean, {y, 0, 1, shape.nx}, b.data());
    for (std::int64_t x = places.first_column(y); x < shape.nx; x += places.step) {
      const auto i = static_cast<std::size_t>(x);
      const float v = ratio ? a[i] / b[i] : a[i] - b[i];
      if (std::isfinite(v)) sample.push_back(v);
    }
  }
  return sample;
}

/// Finds the limits of a difference that was not seen before.
void look_at(Compare& compare, const Pyramid& first, const Pyramid& other) {
  Compare::Combined& combined = compare.combined;
  if (combined.kind == compare.kind && combined.first == 0) {  // a look that was kept
    combined.first = first.id();
    combined.other = other.id();
  }
  if (combined.kind == compare.kind && combined.first == first.id() && combined.other == other.id()) return;
  const bool ratio = compare.kind == Compare::Kind::ratio;
  combined = {compare.kind, first.id(), other.id(), {}};
  combined.render.stretch = Stretch::linear;
  combined.render.colour_map = "diverging";
  std::vector<float> sample = combined_sample(first, other, ratio);
  std::tie(combined.render.low, combined.render.high) = even_limits(std::move(sample), ratio ? 1 : 0);
  combined.render.limits = "even";
}

}  // namespace

ImageScene scene_of(const ViewerState& state, const Document& document, LayerKind kind,
                    const CanvasTransform& transform, double ratio) {
  const Layer& layer = document.layer(kind);
  ImageScene scene;
  scene.pixels = layer.pixels.get();
  scene.settings = layer.render;
  if (layer.render.stretch == Stretch::histogram)
    scene.cumulative = cumulative_of(layer.sample, layer.render.low, layer.render.high);
  scene.pixel_grid = state.pixel_grid;
  ViewTransform view = transform.view();
  view.zoom *= ratio;
  scene.transform = CanvasTransform(
      view, {0, 0, std::round(ratio * transform.canvas().width), std::round(ratio * transform.canvas().height)});
  return scene;
}

namespace {

/// The three images of a picture in three colours, on the grid of the shown one.
void put_channels(Context& context, ImageScene& scene, const Document& document) {
  scene.blend = Blend::rgb;
  for (std::size_t i = 0; i < scene.channels.size(); ++i) {
    const Document* of = context.state.find(context.state.compare.rgb.at(i));
    if (of == nullptr) continue;
    ColourChannel& channel = scene.channels.at(i);
    channel.pixels = of == &document ? scene.pixels : pixels_on_grid(context, document, *of, of->shown, i);
    channel.settings = of->layer().render;
    channel.settings.low = channel_low(channel.settings, of->layer().noise);
  }
}

}  // namespace

void compare_with_other(Context& context, ImageScene& scene, const Document& document) {
  const Compare& compare = context.state.compare;
  if (compare.kind == Compare::Kind::rgb && &document == context.state.document()) {
    put_channels(context, scene, document);
    return;
  }
  if (compare.kind != Compare::Kind::difference && compare.kind != Compare::Kind::ratio) return;
  const Document* other = compare.other_document < 0 ? &document : context.state.find(compare.other_document);
  if (other == nullptr) return;
  scene.other = pixels_on_grid(context, document, *other, compare.other_layer);
  if (scene.other == nullptr || !(scene.other->shape() == scene.pixels->shape())) {
    scene.other = nullptr;
    return;
  }
  look_at(context.state.compare, *scene.pixels, *scene.other);
  scene.settings = context.state.compare.combined.render;
  scene.blend = compare.kind == Compare::Kind::ratio ? Blend::ratio : Blend::difference;
}

}  // namespace reber::gui
