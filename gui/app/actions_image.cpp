// SPDX-License-Identifier: BSD-3-Clause
// Actions on layers and their colours.
#include <cmath>

#include "gui/app/actions.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/ui/compare_view.hpp"

namespace reber::gui {
namespace {

RenderSettings& render_of(Context& c) { return c.state.render(); }

void step_stretch(Context& c, int step) {
  const int count = static_cast<int>(kStretchNames.size());
  render_of(c).stretch = static_cast<Stretch>((static_cast<int>(render_of(c).stretch) + step + count) % count);
  c.state.say(std::string("Stretch: ") + kStretchNames[static_cast<std::size_t>(render_of(c).stretch)]);
}

void step_map(Context& c, int step) {
  const auto& maps = colour_maps();
  const int count = static_cast<int>(maps.size());
  const int now = (colour_map_index(render_of(c).colour_map) + step + count) % count;
  render_of(c).colour_map = maps[static_cast<std::size_t>(now)].name;
  c.state.say("Colour map: " + render_of(c).colour_map);
}

void step_layer(Context& c, int step) {
  Document& document = *c.state.document();
  for (int i = 1; i <= kLayerKinds; ++i) {
    const int kind = ((static_cast<int>(document.shown) + i * step) % kLayerKinds + kLayerKinds) % kLayerKinds;
    if (c.shell.show_layer(document, static_cast<LayerKind>(kind))) return;
  }
}

void limit_here(Context& c, bool high) {
  const Document& document = c.state.adjusted();
  const auto at = matching_place(c.state, *c.state.document(), document, c.state.cursor.at);
  if (!at || !document.layer().pixels) return;
  const float value = document.layer().pixels->value(std::lround(at->y), std::lround(at->x));
  if (!std::isfinite(value)) return;
  RenderSettings& render = render_of(c);
  (high ? render.high : render.low) = value;
  render.limits = "manual";
}

bool cursor_on_pixels(const ViewerState& state) { return has_pixels(state) && state.cursor.on_image; }

}  // namespace

std::vector<Action> image_actions() {
  std::vector<Action> rows{
      {"layer.next",
       "Next layer",
       "Image/Layer",
       "Tab",
       "Shows the next layer of the image.",
       has_pixels,
       [](Context& c) { step_layer(c, 1); },
       {}},
      {"layer.previous",
       "Previous layer",
       "Image/Layer",
       "Shift+Tab",
       "Shows the layer before this one.",
       has_pixels,
       [](Context& c) { step_layer(c, -1); },
       {}},
      {"image.next_stretch",
       "Next stretch",
       "Image",
       "s",
       "Linear, log, sqrt ... in turn.",
       has_pixels,
       [](Context& c) { step_stretch(c, 1); },
       {}},
      {"image.previous_stretch",
       "Previous stretch",
       "Image",
       "",
       "The same, backwards.",
       has_pixels,
       [](Context& c) { step_stretch(c, -1); },
       {}},
      {"image.next_map",
       "Next colour map",
       "Image",
       "y",
       "The next colour map of the list.",
       has_pixels,
       [](Context& c) { step_map(c, 1); },
       {}},
      {"image.previous_map",
       "Previous colour map",
       "Image",
       "Shift+y",
       "The same, backwards.",
       has_pixels,
       [](Context& c) { step_map(c, -1); },
       {}},
      {"image.invert", "Invert colours", "Image", "i", "Bright becomes dark.", has_pixels,
       [](Context& c) { render_of(c).invert = !render_of(c).invert; },
       [](const ViewerState& s) { return has_document(s) && s.render().invert; }},
      {"image.reset_contrast",
       "Reset bias and contrast",
       "Image",
       "",
       "As before the right mouse button changed them.",
       has_pixels,
       [](Context& c) {
         render_of(c).bias = 0.5;
         render_of(c).contrast = 1;
       },
       {}},
      {"image.zoomed_out",
       "Next rule when zoomed out",
       "Image",
       "",
       "Of the image pixels behind a screen pixel: the mean with the sources that stand out, the mean, the brightest.",
       has_pixels,
       [](Context& c) {
         Reduction& reduction = render_of(c).reduction;
         reduction = static_cast<Reduction>((static_cast<std::size_t>(reduction) + 1) % kReductionNames.size());
       },
       {}},
      {"image.high_here",
       "High limit from the cursor",
       "Image",
       "k",
       "The value under the cursor becomes the high limit.",
       cursor_on_pixels,
       [](Context& c) { limit_here(c, true); },
       {}},
      {"image.low_here",
       "Low limit from the cursor",
       "Image",
       "l",
       "The value under the cursor becomes the low limit.",
       cursor_on_pixels,
       [](Context& c) { limit_here(c, false); },
       {}},
  };
  for (int stretch = 0; stretch < static_cast<int>(kStretchNames.size()); ++stretch) {
    const auto kind = static_cast<Stretch>(stretch);
    const std::string name = kStretchNames[static_cast<std::size_t>(stretch)];
    rows.push_back({"stretch." + name, name, "Image/Stretch", "", "Shows the image with a stretch of this kind.",
                    has_pixels, [kind](Context& c) { render_of(c).stretch = kind; },
                    [kind](const ViewerState& s) { return has_document(s) && s.render().stretch == kind; }});
  }
  for (const ColourMap& map : colour_maps()) {
    const std::string name = map.name;
    rows.push_back({"map." + name, name, "Image/Colour map", "", "Shows the image in these colours.", has_pixels,
                    [name](Context& c) { render_of(c).colour_map = name; },
                    [name](const ViewerState& s) { return has_document(s) && s.render().colour_map == name; }});
  }
  return rows;
}

}  // namespace reber::gui
