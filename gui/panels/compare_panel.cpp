// SPDX-License-Identifier: BSD-3-Clause
// Two images held against each other: which, how, and how well they lie over each other.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "gui/model/image/readout.hpp"
#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

using Kind = Compare::Kind;

/// The image of one colour, and whether the panel Display sets its limits.
void draw_channel(Context& context, std::size_t channel) {
  Compare& compare = context.state.compare;
  std::int64_t& id = compare.rgb.at(channel);
  const Document* now = context.state.find(id);
  label(kChannelNames.at(channel));
  if (ImGui::RadioButton("##adjusted", compare.channel == static_cast<int>(channel)))
    compare.channel = static_cast<int>(channel);
  context.widgets.item(fmt::format("compare.adjust.{}", kChannelNames.at(channel)));
  tip("Display sets the limits and the stretch of this colour");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  const bool open = ImGui::BeginCombo("##image", now == nullptr ? "none" : now->title().c_str());
  context.widgets.item(fmt::format("compare.image.{}", kChannelNames.at(channel)));
  if (!open) return;
  if (ImGui::Selectable("none", now == nullptr)) id = -1;
  context.widgets.item(fmt::format("compare.image.{}.none", kChannelNames.at(channel)));
  for (std::size_t i = 0; i < context.state.documents.size(); ++i) {
    const Document& each = *context.state.documents[i];
    ImGui::PushID(static_cast<int>(each.id));
    if (ImGui::Selectable(each.title().c_str(), &each == now)) id = each.id;
    context.widgets.item(fmt::format("compare.image.{}.{}", kChannelNames.at(channel), i));
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void draw_channels(Context& context) {
  for (std::size_t i = 0; i < kChannelNames.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    draw_channel(context, i);
    ImGui::PopID();
  }
  ImGui::TextWrapped("Laid on the grid of the shown image. Limits and stretch of the marked colour: Display.");
}

void draw_other(Context& context, Document& shown) {
  Compare& compare = context.state.compare;
  const Document* other = compare.other_document < 0 ? &shown : context.state.find(compare.other_document);
  if (other == nullptr) {
    compare.other_document = -1;
    other = &shown;
  }
  choose_possible_layer(compare, *other);
  label("With");
  if (ImGui::BeginCombo("##with", other == &shown ? "this image" : other->title().c_str())) {
    if (ImGui::Selectable("this image", other == &shown)) compare.other_document = -1;
    for (const auto& each : context.state.documents) {
      if (each.get() == &shown) continue;
      ImGui::PushID(static_cast<int>(each->id));
      if (ImGui::Selectable(each->title().c_str(), each.get() == other)) {
        compare.other_document = each->id;
        compare.other_layer = each->shown;
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  context.widgets.item("compare.other");
  const std::size_t layer = static_cast<std::size_t>(compare.other_layer);
  label("Layer");
  if (ImGui::BeginCombo("##layer", kLayerNames[layer])) {
    for (std::size_t i = 0; i < kLayerNames.size(); ++i) {
      const auto kind = static_cast<LayerKind>(i);
      if (!layer_possible(*other, kind)) continue;
      if (ImGui::Selectable(kLayerNames[i], i == layer)) compare.other_layer = kind;
      context.widgets.item(fmt::format("compare.layer.{}", kLayerNames[i]));
    }
    ImGui::EndCombo();
  }
  context.widgets.item("compare.layer");
}

/// Same sky, same look: what makes two images comparable by eye.
void draw_lock(Context& context, Document& shown) {
  Compare& compare = context.state.compare;
  Document* other = compare.other_document < 0 ? nullptr : context.state.find(compare.other_document);
  if (other == nullptr || !other->header || !shown.header) return;
  ImGui::Checkbox("Lock by sky coordinates", &compare.sky_lock);
  context.widgets.item("compare.lock");
  if (compare.sky_lock) {
    const SkyLock& lock = lock_between(*context.state.workbench, shown, *other);
    const auto map = lock.why_not().empty() ? lock.affine(shown.view.centre) : std::nullopt;
    if (!lock.why_not().empty()) {
      ImGui::TextWrapped("Locked pixel on pixel: %s.", lock.why_not().c_str());
    } else if (!map) {
      ImGui::TextWrapped("The middle of the view lies off the other image's sky.");
    } else if (!share_sky(context.state, shown, *other)) {
      ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
      ImGui::TextWrapped("No overlap: the images are different parts of the sky.");
      ImGui::PopStyleColor();
      context.widgets.item("compare.no_overlap");
    } else {
      const double scale = std::sqrt(std::abs(map->matrix.determinant()));
      ImGui::TextDisabled("1 pixel here = %.4g there", scale);
    }
    if (const auto& cursor = context.state.cursor; cursor.on_image && lock.why_not().empty()) {
      // Exact at the cursor, not by the affine map.
      if (const auto at = lock(cursor.at)) {
        const auto& pixels = other->layer(compare.other_layer).pixels;
        const double value =
            pixels ? static_cast<double>(pixels->value(std::llround(at->y), std::llround(at->x))) : std::nan("");
        const int base = context.state.inspect.style.one_based ? 1 : 0;
        ImGui::Text(
            "there: x %.1f  y %.1f  %s", at->x + base, at->y + base,
            std::isfinite(value) ? value_text(value, shown_unit(*other, compare.other_layer)).c_str() : "blank");
      }
    }
  }
  if (ImGui::Button("Same stretch and limits")) {
    RenderSettings& render = other->layer(compare.other_layer).render;
    const Rgba blank = render.blank;
    render = shown.layer().render;
    render.blank = blank;
    other->layer(compare.other_layer).limits_set = true;
  }
  context.widgets.item("compare.same_look");
  const bool grids_differ = !(other->header->shape == shown.header->shape);
  const bool combined = compare.kind == Kind::difference || compare.kind == Kind::ratio;
  const bool one_picture = compare.kind == Kind::blink || compare.kind == Kind::split;
  const bool laid =
      combined ? grids_differ || (compare.sky_lock && !fit_between(*context.state.workbench, shown, *other).same)
               : one_picture && needs_laying(context.state, shown, *other);
  if (laid)
    ImGui::TextDisabled("the other image is laid on this one's grid");
  else if (combined && compare.sky_lock)
    ImGui::TextDisabled("pixel on pixel");
}

class ComparePanel final : public Panel {
 public:
  void draw(Context& context) override;
  void save(const Context& context, Workspace& workspace) const override;
  void load(Context& context, const Workspace& workspace, std::vector<std::string>& problems) override;
};

}  // namespace

void ComparePanel::draw(Context& context) {
  Document* shown = context.state.document();
  if (shown == nullptr) return;
  Compare& compare = context.state.compare;
  // The first column holds the longest of the names.
  const float room = std::max(22 * ImGui::GetFontSize(), ImGui::GetContentRegionAvail().x);
  constexpr std::array kColumns{0.0f, 0.4f, 0.73f};
  for (std::size_t i = 0; i < kCompareWords.size(); ++i) {
    if (i % 3 != 0) ImGui::SameLine(kColumns[i % 3] * room);
    const auto& [word, kind] = kCompareWords.at(i);
    if (ImGui::RadioButton(word, compare.kind == kind)) {
      compare.kind = kind;
      if (kind == Kind::rgb) choose_channels(context.state);
    }
    context.widgets.item(fmt::format("compare.{}", word));
  }
  if (compare.kind == Kind::rgb) {
    draw_channels(context);
    return;
  }
  if (compare.kind == Kind::tiles) {
    ImGui::TextWrapped("All open images at the same place of the sky. A click makes one the shown one.");
    ImGui::Checkbox("Lock by sky coordinates", &compare.sky_lock);
    context.widgets.item("compare.lock");
    return;
  }
  draw_other(context, *shown);
  if (compare.kind == Kind::blink) {
    label("Each for");
    slider("##seconds", compare.blink_seconds, 0.1, 3, "%.2f s", 0);
    context.widgets.item("compare.period");
  }
  if (compare.kind == Kind::split) {
    label("Split at");
    slider("##split", compare.split, 0, 1, "%.2f", 0);
    context.widgets.item("compare.split_at");
  }
  draw_lock(context, *shown);
}

void ComparePanel::save(const Context& context, Workspace& workspace) const {
  const ViewerState& state = context.state;
  const Compare& compare = state.compare;
  if (compare.other_document >= 0 && !state.saved_index(compare.other_document)) return;
  workspace.compare.kind = word_of<Kind>(compare.kind, kCompareWords);
  workspace.compare.other = compare.other_document < 0 ? -1 : *state.saved_index(compare.other_document);
  workspace.compare.layer = kLayerNames[static_cast<std::size_t>(compare.other_layer)];
  if (state.combining()) workspace.compare.look = compare.combined.render;
  for (const std::int64_t id : compare.rgb) workspace.compare.rgb.push_back(state.saved_index(id).value_or(-1));
}

void ComparePanel::load(Context& context, const Workspace& workspace, std::vector<std::string>&) {
  ViewerState& state = context.state;
  const SavedCompare& saved = workspace.compare;
  state.compare = {};
  for (const auto& [word, kind] : kCompareWords)
    if (saved.kind == word) state.compare.kind = kind;
  const auto id_of = [&state](std::int64_t index) -> std::int64_t {
    const bool there = index >= 0 && index < static_cast<std::int64_t>(state.documents.size());
    return there ? state.documents[static_cast<std::size_t>(index)]->id : -1;
  };
  state.compare.other_document = id_of(saved.other);
  for (std::size_t i = 0; i < std::min(saved.rgb.size(), state.compare.rgb.size()); ++i)
    state.compare.rgb.at(i) = id_of(saved.rgb[i]);
  if (saved.look) state.compare.combined = {state.compare.kind, 0, 0, *saved.look};
  state.compare.other_layer = layer_named(saved.layer);
}

std::unique_ptr<Panel> make_compare_panel() { return std::make_unique<ComparePanel>(); }

}  // namespace reber::gui
