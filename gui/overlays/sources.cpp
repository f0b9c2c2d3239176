// SPDX-License-Identifier: BSD-3-Clause
// Ellipses of the sources, labels of the selected ones, and picking them with the mouse; the crosshair.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "gui/model/hand_edits.hpp"
#include "gui/model/tables/place_counts.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/marks.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// What the ellipses on the card were made of.
struct ShapesKey {
  std::shared_ptr<const LiveResult> result;
  std::size_t count = 0;
  bool operator==(const ShapesKey&) const = default;
};
struct KindsKey {
  ShapesKey shapes;
  std::uint64_t selection = 0;  ///< Selection::version
  std::uint64_t table = 0;      ///< SourceTable::version() where it hides rows; else 0
  bool operator==(const KindsKey&) const = default;
};

/// What the marks by column were made of.
struct MarksKey {
  ShapesKey shapes;
  MarkLook look;
  const Catalogue* table = nullptr;
  bool operator==(const MarksKey&) const = default;
};

/// A document's sources on the card.
struct DrawnSources {
  Memo<MarksKey, Marks> marks;
  Asked<MarksKey> marks_there;  ///< on the card
  EllipseSet ellipses;
  PlaceCounts counts;
  Asked<ShapesKey> shapes;
  Asked<KindsKey> kinds;
};

/// Which rows are drawn: none that was removed, nor what the table's filter hides where ellipses follow it. Before the
/// table has this result's rows, all.
struct DrawnRows {
  const SourceView& view;
  bool filtered = false, edited = false;

  DrawnRows(const ViewerState& state, const Document& document) : view(document.sources) {
    if (!document.result || view.generation != document.result->generation || view.edition != document.result->edition)
      return;
    filtered = state.filter_ellipses && !view.table.filter().empty();
    edited = view.edits.removed_rows() + view.edits.replaced_rows() > 0;
  }
  [[nodiscard]] std::uint64_t key() const { return filtered || edited ? view.table.version() : 0; }
  bool operator()(std::size_t row) const {
    if (filtered) return view.table.passes(row);
    return !edited || !view.edits.hidden(static_cast<std::int64_t>(row));
  }
};

MarksKey marks_key(const Document& document) {
  const Catalogue* table = marked_table(document);
  return {{document.result, document.shapes.size()}, table == nullptr ? MarkLook() : document.sources.marks, table};
}

/// Empty where no column is followed.
const Marks& marks_in(DrawnSources& drawn, const Document& document) {
  const MarksKey key = marks_key(document);
  return drawn.marks.of(key, [&] { return key.table == nullptr ? Marks() : marks_of(*key.table, key.look); });
}

/// Hands the sources to the card where they are not there yet. Kinds: 0 positive, 1 negative, 2 selected.
void update(DrawnSources& drawn, const Document& document, const DrawnRows& rows) {
  const ShapesKey shapes{document.result, document.shapes.size()};
  if (drawn.shapes.anew(shapes)) {
    drawn.ellipses.set_shapes(document.shapes);
    drawn.counts = PlaceCounts(document.shapes, document.header->shape);
  }
  if (drawn.marks_there.anew(marks_key(document))) drawn.ellipses.set_marks(marks_in(drawn, document).rows);
  if (!drawn.kinds.anew({shapes, document.selection.version, rows.key()})) return;
  std::vector<std::uint8_t> kinds;
  kinds.reserve(shapes.count);
  for (const Source& source : document.result->sources) kinds.push_back(source.negative ? 1 : 0);
  kinds.resize(shapes.count);
  for (const std::int64_t row : document.selection.rows)
    if (row >= 0 && row < static_cast<std::int64_t>(kinds.size())) kinds[static_cast<std::size_t>(row)] = 2;
  for (std::size_t row = 0; rows.key() != 0 && row < kinds.size(); ++row)
    if (!rows(row)) kinds[row] = EllipseSet::kHidden;
  drawn.ellipses.set_kinds(kinds);
}

/// Semi-axes that small ellipses are drawn with, few and many of them.
constexpr double kLargest = 3.5, kSmallest = 1;

/// Semi-axis up to which small ellipses grow: where many are in view they cover a tenth of it together, so that the
/// image is seen.
double least_size(const PlaceCounts& counts, Shape shape, const CanvasTransform& canvas, double scale) {
  constexpr double kPart = 0.1;
  const ScreenRect& area = canvas.canvas();
  const Rect seen = canvas.visible(shape);
  const double pixels = static_cast<double>(seen.nx) * static_cast<double>(seen.ny) * canvas.zoom() * canvas.zoom();
  const double room = kPart * std::min(area.width * area.height, pixels) / std::max(1.0, counts.inside(seen));
  return std::clamp(std::sqrt(room / std::numbers::pi) / scale, kSmallest, kLargest);
}

/// Small ellipses grow to a size that can be seen; all are fainter while newer parameters are at work.
EllipseLook look_of(const CanvasView& canvas, const PlaceCounts& counts, const OverlayInks& inks, double ratio) {
  const Document& document = canvas.document;
  const OverlayInk ink = ink_of(inks, "sources");
  const double least = least_size(counts, document.header->shape, canvas.transform, canvas.scale);
  const double crowd = (kLargest - least) / (kLargest - kSmallest);  // lines are thinner in it, and have no halo
  EllipseLook look{{packed(ink), packed(ink_of(inks, "negative")), palette().source_selected},
                   least * canvas.scale * ratio,
                   (1 - 0.4 * crowd) * ink.width * ratio * canvas.scale,
                   1 - crowd,
                   canvas.scale * ratio};
  if (document.result_stale())
    for (std::uint32_t& colour : look.colours) colour = (colour & 0x00ffffffu) | 0x70000000u;
  return look;
}

Rgba from_packed(unsigned colour) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  return {c.x, c.y, c.z, c.w};
}

/// A click where a source is to be fitted, or from where; false where none was waited for.
bool by_hand(ViewerState& state, Document& document, PixelPosition at) {
  if (state.mode != Mode::add && state.mode != Mode::move) return false;
  const bool add = state.mode == Mode::add;
  const std::string why = add ? ask_to_add(document, at) : ask_to_move(document, at);
  if (!why.empty()) state.say(std::string(add ? "Not added: " : "Not moved: ") + why, true);
  if (!add) state.mode = Mode::browse;
  return true;
}

class SourcesOverlay final : public Overlay {
 public:
  void paint(const CanvasView& canvas, Context& context, const Brush& brush) override;
  [[nodiscard]] PaintKey paint_key(const CanvasView& canvas, const ViewerState& state) const override;
  [[nodiscard]] bool has_lines() const override { return true; }
  void add_lines(const CanvasView& canvas, const ViewerState& state, std::vector<FigureItem>& items) const override;
  void draw(const CanvasView& canvas, Context&, ImDrawList& list) override;
  bool input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) override;

 private:
  std::map<std::int64_t, DrawnSources> drawn_;  ///< by document
};

class CrosshairOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
};

}  // namespace

PaintKey SourcesOverlay::paint_key(const CanvasView& canvas, const ViewerState& state) const {
  const Document& document = canvas.document;
  if (canvas.for_file || !document.result || document.shapes.empty()) return {};
  return {1,
          document.result->edition,
          document.selection.version,
          document.result_stale() ? 1U : 0U,
          state.light_theme ? 1U : 0U,
          look_key(ink_of(state.inks, "sources")),
          look_key(ink_of(state.inks, "negative")),
          look_key(document.sources.marks),
          marked_table(document) != nullptr ? 1U : 0U,
          DrawnRows(state, document).key()};
}

void SourcesOverlay::paint(const CanvasView& canvas, Context& context, const Brush& brush) {
  const Document& document = canvas.document;
  if (!document.result || document.shapes.empty()) return;
  std::erase_if(drawn_, [&](const auto& each) { return context.state.find(each.first) == nullptr; });
  DrawnSources& drawn = drawn_[document.id];
  update(drawn, document, DrawnRows(context.state, document));
  brush.ellipses.draw(drawn.ellipses, brush.scene.transform,
                      look_of(canvas, drawn.counts, context.state.inks, brush.ratio));
  brush.passes.mark("ellipses");
}

/// The ellipses that the window draws with the graphics card.
void SourcesOverlay::add_lines(const CanvasView& view, const ViewerState& state, std::vector<FigureItem>& items) const {
  const Document& document = view.document;
  const CanvasTransform& canvas = view.transform;
  constexpr int kSides = 72;
  const OverlayInk ink = ink_of(state.inks, "sources");
  const unsigned positive = packed(ink), negative = packed(ink_of(state.inks, "negative"));
  const DrawnRows drawn(state, document);
  const Catalogue* const table = marked_table(document);
  const Marks marks = table == nullptr ? Marks() : marks_of(*table, document.sources.marks);
  for (std::size_t row = 0; row < document.shapes.size(); ++row) {
    if (!drawn(row)) continue;
    const SourceShape& shape = document.shapes[row];
    const EllipseMark mark = row < marks.rows.size() ? marks.rows[row] : EllipseMark();
    EllipseAxes axes = axes_of(shape.fwhm2);
    if (mark.radius > 0) {
      const double across = 2 * static_cast<double>(mark.radius) * view.scale / canvas.zoom();
      axes = {across, across, 0};
    }
    const ScreenPoint centre = canvas.to_screen({shape.x, shape.y});
    const double reach = 0.5 * axes.major * canvas.zoom() + 4;
    const ScreenRect& r = canvas.canvas();
    if (!(centre.x > r.x - reach && centre.x < r.x + r.width + reach && centre.y > r.y - reach &&
          centre.y < r.y + r.height + reach))
      continue;
    const bool selected = document.selection.rows.count(static_cast<std::int64_t>(row)) > 0;
    FigureLine line;
    line.colour = from_packed(selected                                 ? palette().source_selected
                              : mark.colour != 0                       ? mark.colour
                              : document.result->sources[row].negative ? negative
                                                                       : positive);
    line.width = (selected ? 1.6 : 1) * ink.width;
    line.closed = true;
    for (int i = 0; i < kSides; ++i) {
      const double t = 2 * std::numbers::pi * i / kSides;
      const double u = 0.5 * axes.major * std::cos(t), v = 0.5 * axes.minor * std::sin(t);
      line.points.push_back(canvas.to_screen({shape.x + u * std::cos(axes.angle) - v * std::sin(axes.angle),
                                              shape.y + u * std::sin(axes.angle) + v * std::cos(axes.angle)}));
    }
    FigureLine halo = line;
    halo.colour = from_packed(palette().halo);
    halo.width += selected ? 3.9 : 1.4;
    items.emplace_back(std::move(halo));
    items.emplace_back(std::move(line));
  }
}

void SourcesOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Document& document = canvas.document;
  constexpr std::size_t kMostLabels = 60;
  if (document.result && marked_table(document) != nullptr)
    draw_mark_legend(canvas, context, list, document.sources.marks, marks_in(drawn_[document.id], document),
                     "overlay.marks", mark_legend_top(canvas));
  if (!document.result || document.selection.rows.size() > kMostLabels) return;
  const float gap = static_cast<float>(6 * canvas.scale);
  const DrawnRows drawn(context.state, document);
  // Those that would run into one before are left out; the newest is never.
  std::vector<std::int64_t> rows(document.selection.rows.begin(), document.selection.rows.end());
  if (const auto newest = std::ranges::find(rows, document.selection.focus); newest != rows.end())
    std::rotate(rows.begin(), newest, newest + 1);
  std::vector<ImVec4> taken;
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= static_cast<std::int64_t>(document.shapes.size())) continue;
    if (!drawn(static_cast<std::size_t>(row))) continue;
    const SourceShape& shape = document.shapes[static_cast<std::size_t>(row)];
    const ScreenPoint at = canvas.transform.to_screen({shape.x, shape.y});
    const auto reach = static_cast<float>(0.5 * axes_of(shape.fwhm2).major * canvas.transform.zoom());
    const std::string text = fmt::format("{}", row);
    const ImVec2 place{static_cast<float>(at.x) + 0.7f * reach + gap,
                       static_cast<float>(at.y) - 0.7f * reach - 2 * gap};
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const ImVec4 box{place.x, place.y, place.x + size.x, place.y + size.y};
    const bool free = std::ranges::none_of(
        taken, [&](const ImVec4& t) { return box.x < t.z && box.z > t.x && box.y < t.w && box.w > t.y; });
    if (!free) continue;
    if (canvas.primary)
      context.widgets.area(fmt::format("overlay.label.{}", taken.size()), {place.x, place.y, size.x, size.y});
    taken.push_back(box);
    halo_text(list, place, palette().source_selected, text);
  }
}

bool SourcesOverlay::input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  constexpr double kReach = 8;  // screen units
  Document& document = canvas.document;
  if (!mouse.clicked && !mouse.double_clicked) return false;
  if (mouse.clicked && !mouse.control && by_hand(context.state, document, mouse.image_at)) return true;
  if (document.shapes.empty() || mouse.control || context.state.mode != Mode::browse) return false;
  double reach = kReach * canvas.scale / canvas.transform.zoom();
  const DrawnRows drawn(context.state, document);
  const std::int64_t row = nearest_source(document.shapes, mouse.image_at.x, mouse.image_at.y, reach, drawn);
  if (row < 0) {
    if (mouse.clicked && !mouse.shift) document.selection.clear();
    return false;
  }
  if (mouse.shift)
    document.selection.toggle(row);
  else
    document.selection.select_only(row);
  if (mouse.double_clicked) {
    const SourceShape& shape = document.shapes[static_cast<std::size_t>(row)];
    const double size = std::max(4.0, axes_of(shape.fwhm2).major);
    document.view.centre = {shape.x, shape.y};
    document.view.zoom = std::clamp(canvas.transform.canvas().height / (16 * size), kLeastZoom, kMostZoom);
  }
  context.state.cursor.crosshair.reset();
  return true;
}

void CrosshairOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const auto& crosshair = context.state.cursor.crosshair;
  if (!crosshair) return;
  const Document* shown = context.state.document();
  const auto place = shown == nullptr ? crosshair : matching_place(context.state, *shown, canvas.document, *crosshair);
  if (!place) return;
  const ScreenPoint at = canvas.transform.to_screen(*place);
  const auto x = static_cast<float>(at.x), y = static_cast<float>(at.y);
  const auto inner = static_cast<float>(5 * canvas.scale), outer = static_cast<float>(16 * canvas.scale);
  const auto line = static_cast<float>(1.5 * canvas.scale);
  for (const auto& [dx, dy] : {std::pair(1.f, 0.f), {-1.f, 0.f}, {0.f, 1.f}, {0.f, -1.f}}) {
    const ImVec2 from{x + dx * inner, y + dy * inner}, to{x + dx * outer, y + dy * outer};
    list.AddLine(from, to, palette().halo, line + 2);
    list.AddLine(from, to, palette().source_selected, line);
  }
}

std::unique_ptr<Overlay> make_sources_overlay() { return std::make_unique<SourcesOverlay>(); }
std::unique_ptr<Overlay> make_crosshair_overlay() { return std::make_unique<CrosshairOverlay>(); }

}  // namespace reber::gui
