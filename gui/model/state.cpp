// SPDX-License-Identifier: BSD-3-Clause
// The viewer's data and the few rules that belong to it.
#include "gui/model/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gui/model/image/told_unit.hpp"

namespace reber::gui {

LayerKind layer_named(const std::string& title) {
  for (std::size_t i = 0; i < kLayerNames.size(); ++i)
    if (title == kLayerNames[i]) return static_cast<LayerKind>(i);
  return LayerKind::input;
}

void Selection::clear() {
  if (rows.empty() && focus < 0) return;
  rows.clear();
  focus = -1;
  ++version;
}

void Selection::select_only(std::int64_t row) {
  rows = {row};
  focus = row;
  ++version;
}

void Selection::toggle(std::int64_t row) {
  if (rows.erase(row) > 0) {
    if (focus == row) focus = rows.empty() ? -1 : *rows.rbegin();
  } else {
    rows.insert(row);
    focus = row;
  }
  ++version;
}

void Selection::follow(const std::vector<Source>& before, const std::vector<Source>& now,
                       const std::vector<std::uint8_t>& passed_over, double reach) {
  const auto nearest = [&](std::int64_t row) -> std::int64_t {
    if (row < 0 || row >= static_cast<std::int64_t>(before.size())) return -1;
    const Source& old = before[static_cast<std::size_t>(row)];
    std::int64_t best = -1;
    double least = reach * reach;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double dx = now[i].x - old.x, dy = now[i].y - old.y;
      if (i < passed_over.size() && passed_over[i] != 0) continue;
      if (now[i].negative == old.negative && dx * dx + dy * dy <= least) {
        least = dx * dx + dy * dy;
        best = static_cast<std::int64_t>(i);
      }
    }
    return best;
  };
  std::set<std::int64_t> kept;
  for (const std::int64_t row : rows)
    if (const std::int64_t found = nearest(row); found >= 0) kept.insert(found);
  focus = nearest(focus);
  rows = std::move(kept);
  ++version;
}

std::string Document::title() const {
  if (!name.empty()) return name;
  std::string text = std::filesystem::path(path).filename().string();
  if (!header) return text;
  const auto images = std::ranges::count_if(header->hdus, [](const HduInfo& hdu) { return hdu.axes.size() >= 2; });
  if (images > 1) text += fmt::format(" [{}]", header->hdu);
  if (header->planes > 1) text += fmt::format("  plane {} of {}", header->plane + 1, header->planes);
  if (cube_view.linear != LinearPolarisation::off) text += "  P";
  return text;
}

void leave_polarised(Document& document) {
  if (document.cube && document.cube->played().kind == CubeAxes::Kind::stokes)
    document.cube_view.linear = LinearPolarisation::off;
}

std::string why_no_search(const Document& document) {
  if (document.cube_view.linear == LinearPolarisation::off) return {};
  return "Sources are searched in I, Q, U and V. P is made of Q and U, and its noise is not Gaussian";
}

bool same_unit(const Unit& a, const Unit& b) {
  if (a.kind == Unit::Kind::unknown) return b.kind == Unit::Kind::unknown && a.text == b.text;
  return a.alike(b) && a.factor == b.factor;
}

Unit layer_unit(const Document& document, LayerKind kind) {
  Unit unit;
  if (!document.header) return unit;
  const Product* product = product_of(kind);
  const auto of = product == nullptr ? Product::UnitOf::image : product->unit;
  if (of == Product::UnitOf::sigma || (document.in_memory && kind == LayerKind::residual))
    unit.text = "sigma";
  else if (of == Product::UnitOf::image)
    unit = document.header->unit;
  else
    unit.text = unit_of(*product, *document.header);
  return unit;
}

const std::optional<Beam>& layer_beam(const Document& document, LayerKind kind) {
  const bool of_run = kind != LayerKind::input && document.result && document.result->beam;
  return of_run ? document.result->beam : document.header->beam;
}

namespace {

/// Of the layers that have the image's unit; the others' is theirs whatever is chosen.
bool has_image_unit(const Document& document, LayerKind kind) {
  const Product* product = product_of(kind);
  const bool of_image = product == nullptr || product->unit == Product::UnitOf::image;
  return document.header && of_image && !(document.in_memory && kind == LayerKind::residual);
}

}  // namespace

Unit shown_unit(const Document& document, LayerKind kind) {
  if (document.told_in.empty() || !has_image_unit(document, kind)) return layer_unit(document, kind);
  return told_in(*document.header, layer_beam(document, kind), document.told_in).unit;
}

std::string why_not_told_in(const Document& document, LayerKind kind, const std::string& word) {
  if (!has_image_unit(document, kind)) return "this layer has no brightness";
  return told_in(*document.header, layer_beam(document, kind), word).why_not;
}

const ExtendedSource* ExtendedView::chosen() const {
  if (shown() == nullptr || selected < 1 || selected > static_cast<std::int64_t>(result.found->sources.size()))
    return nullptr;
  return &result.found->sources[static_cast<std::size_t>(selected - 1)];
}

std::string failure_of(const Document& document) {
  if (!document.live_run) return {};
  const LiveStatus status = document.live_run->status();
  return status.busy ? "" : status.error;
}

bool layer_possible(const Document& document, LayerKind kind) {
  if (document.in_memory) return document.layer(kind).pixels != nullptr;
  if (kind == LayerKind::input) return true;
  if (!document.result) return false;
  const Request& request = document.result->request;
  const auto needs = product_of(kind)->needs;
  if (needs == Product::Needs::convolution) return request.convolve.has_value();
  return document.result->background.has_value() && (needs != Product::Needs::sources || request.detect);
}

Document* ViewerState::find(std::int64_t id) {
  const auto found = std::ranges::find_if(documents, [id](const auto& d) { return d->id == id; });
  return found == documents.end() ? nullptr : found->get();
}

bool ViewerState::combining() const {
  const bool asked = compare.kind == Compare::Kind::difference || compare.kind == Compare::Kind::ratio;
  return asked && compare.combined.kind == compare.kind && compare.combined.first != 0 && document() != nullptr &&
         document()->layer().pixels && document()->layer().pixels->id() == compare.combined.first;
}

Document& ViewerState::adjusted() {
  Document* chosen =
      compare.kind == Compare::Kind::rgb ? find(compare.rgb.at(static_cast<std::size_t>(compare.channel))) : nullptr;
  return chosen == nullptr ? *document() : *chosen;
}

RenderSettings& ViewerState::render() { return combining() ? compare.combined.render : adjusted().layer().render; }

bool ViewerState::compares_one_unit() const {
  const Document& shown = *document();
  const Document* other =
      compare.other_document < 0 ? &shown : const_cast<ViewerState*>(this)->find(compare.other_document);
  return other == nullptr || same_unit(layer_unit(shown, shown.shown), layer_unit(*other, compare.other_layer));
}

Unit ViewerState::unit() const {
  if (combining() && (compare.kind == Compare::Kind::ratio || !compares_one_unit())) return {};
  const Document& of = const_cast<ViewerState*>(this)->adjusted();
  return combining() ? layer_unit(of, of.shown) : shown_unit(of, of.shown);
}

std::optional<std::int64_t> ViewerState::saved_index(std::int64_t id) const {
  std::int64_t index = 0;
  for (const auto& document : documents) {
    if (document->in_memory) continue;
    if (document->id == id) return index;
    ++index;
  }
  return {};
}

void ViewerState::say(std::string text, bool is_error) {
  notice = {std::move(text), is_error, now, now + (is_error ? 12 : 4)};
}

void ViewerState::forget_error() {
  if (notice.is_error && notice.since < now) notice = {};
}

double size_shown(double size, double part, double least) { return std::max(size * part, std::min(size, least)); }

double size_that_shows(double shown, double part, double least) { return shown >= least ? shown / part : shown; }

LayoutSizes usable_sizes(const LayoutSizes& sizes) {
  const LayoutSizes normal;
  return {sizes.column >= kLeastColumn && sizes.column <= kMostPart ? sizes.column : normal.column,
          sizes.strip >= kLeastStrip && sizes.strip <= kMostPart ? sizes.strip : normal.strip};
}

}  // namespace reber::gui
