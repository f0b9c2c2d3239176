// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from files over the image, and one list of sources matched with another: pairs, only in A, only in B.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "gui/model/open_catalogue.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/panels/match_plots.hpp"
#include "gui/ui/catalogue_colours.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/path_field.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void draw_open(Context& context, PathField& field, std::string& path) {
  const bool entered = field.draw(context, "match.path", "path of a catalogue", path, 4 * ImGui::GetFontSize());
  ImGui::SameLine();
  const bool pressed = ImGui::Button("Open");
  context.widgets.item("match.open");
  if ((entered || pressed) && !path.empty()) open_catalogue_file(context.state, path);
}

void draw_list(Context& context) {
  auto& catalogues = context.state.workbench->catalogues;
  std::size_t closed = catalogues.size();
  for (std::size_t i = 0; i < catalogues.size(); ++i) {
    OpenCatalogue& each = *catalogues[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::Checkbox("##shown", &each.shown);
    context.widgets.item(fmt::format("match.shown.{}", i));
    ImGui::SameLine();
    // Its colour beside the name: as letters not every colour is read.
    ImGui::ColorButton("##ink", ImGui::ColorConvertU32ToFloat4(catalogue_colour(each.colour)),
                       ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop,
                       {0.7f * ImGui::GetFontSize(), 0.7f * ImGui::GetFontSize()});
    ImGui::SameLine();
    // The name has what the rest of the line leaves; where that is little, it alone stands before the button.
    const ImGuiStyle& style = ImGui::GetStyle();
    const std::string rows = counted(each.list.rows, "row");
    const float button = ImGui::CalcTextSize("close").x + 2 * style.FramePadding.x + style.ItemSpacing.x;
    const float room = ImGui::GetContentRegionAvail().x - button;
    const float beside = room - ImGui::CalcTextSize(rows.c_str()).x - style.ItemSpacing.x;
    const bool counts = beside > 5 * ImGui::GetFontSize();
    ImGui::TextUnformatted(elided(file_name(each.path), counts ? beside : room).c_str());
    tip(each.path + "\n" + rows + "\n" + describe_columns(each.list));
    ImGui::SameLine();
    if (counts) ImGui::TextDisabled("%s", rows.c_str());
    if (counts) ImGui::SameLine();
    if (ImGui::SmallButton("close")) closed = i;
    context.widgets.item(fmt::format("match.close.{}", i));
    ImGui::PopID();
  }
  if (closed < catalogues.size()) {
    catalogues.erase(catalogues.begin() + static_cast<std::ptrdiff_t>(closed));
    context.state.workbench->match = {};
  }
}

std::string side_name(const Workbench& workbench, int side) {
  if (side < 0 || side >= static_cast<int>(workbench.catalogues.size())) return "sources found here";
  return file_name(workbench.catalogues[static_cast<std::size_t>(side)]->path);
}

void side_choice(Context& context, const char* label, int& side) {
  const Workbench& workbench = *context.state.workbench;
  ImGui::SetNextItemWidth(-2 * ImGui::GetFontSize());
  if (ImGui::BeginCombo(label, side_name(workbench, side).c_str())) {
    for (int i = -1; i < static_cast<int>(workbench.catalogues.size()); ++i)
      if (ImGui::Selectable(side_name(workbench, i).c_str(), i == side)) side = i;
    ImGui::EndCombo();
  }
  context.widgets.item(std::string("match.side.") + label);
}

/// The list of a side; empty where there is nothing.
std::optional<SkyList> list_of(const Workbench& workbench, const Document& document, int side) {
  if (side >= 0 && side < static_cast<int>(workbench.catalogues.size()))
    return workbench.catalogues[static_cast<std::size_t>(side)]->list;
  if (side >= 0 || !document.result) return std::nullopt;
  SkyList list = sky_list(document.sources.table.catalogue());
  for (std::size_t row = 0; row < list.lon.size(); ++row)
    if (document.sources.edits.hidden(static_cast<std::int64_t>(row))) list.lon[row] = list.lat[row] = std::nan("");
  return list;
}

/// Centres the view on a row of a side and selects it.
void look_at(Context& context, Document& document, int side, std::int64_t row) {
  Workbench& workbench = *context.state.workbench;
  if (side < 0) {
    document.selection.select_only(row);
    centre_on(document, row);
    return;
  }
  OpenCatalogue& catalogue = *workbench.catalogues[static_cast<std::size_t>(side)];
  catalogue.focus = row;
  const PixelPosition at = project(catalogue, document.header)[static_cast<std::size_t>(row)];
  if (!std::isfinite(at.x) || !std::isfinite(at.y)) {
    context.state.say("that source does not lie on this image");
    return;
  }
  document.view.centre = at;
  document.view.zoom = std::max(document.view.zoom, 2.0);
  document.selection.clear();
}

double entry(const std::vector<double>& values, std::int64_t row) {
  return values.empty() ? NAN : values[static_cast<std::size_t>(row)];
}

std::string number(double value, const char* format = "{:.4g}") {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "";
}

std::string name_of(const SkyList& list, std::int64_t row) {
  return list.name.empty() ? fmt::format("{}", row) : list.name[static_cast<std::size_t>(row)];
}

/// Both names of a pair, what parts them, fluxes and their ratio.
std::vector<std::string> pair_cells(const MatchWork& match, const MatchPair& pair) {
  const double a = entry(match.list_a.total, pair.a), b = entry(match.list_b.total, pair.b);
  return {name_of(match.list_a, pair.a),
          name_of(match.list_b, pair.b),
          number(pair.separation_deg * 3600, "{:.2f}"),
          number(a * 1e3),
          number(b * 1e3),
          number(a / b, "{:.3f}")};
}

std::vector<std::string> lone_cells(const SkyList& list, std::int64_t row) {
  return {name_of(list, row), number(entry(list.lon, row), "{:.5f}"), number(entry(list.lat, row), "{:.5f}"),
          number(entry(list.total, row) * 1e3), number(entry(list.snr, row))};
}

/// Cuts names longer than `most`. Returns what was cut, whole.
std::string cut_names(std::vector<std::string>& cells, std::size_t names, float most) {
  std::string whole;
  for (std::size_t c = 0; c < names; ++c) {
    std::string shown = elided(cells[c], most);
    if (shown != cells[c]) whole += (whole.empty() ? "" : "\n") + cells[c];
    cells[c] = std::move(shown);
  }
  return whole;
}

/// Numbers of a column end below each other.
void to_the_right(const std::string& text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
}

bool draw_cells(Context& context, int row, const std::vector<std::string>& cells, std::size_t names,
                const std::string& whole) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(row);
  const bool clicked = ImGui::Selectable(cells[0].c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
  context.widgets.item(fmt::format("match.row.{}", row));
  if (!whole.empty()) tip(whole);
  ImGui::PopID();
  for (std::size_t c = 1; c < cells.size(); ++c) {
    ImGui::TableNextColumn();
    if (c >= names) to_the_right(cells[c]);
    ImGui::TextUnformatted(cells[c].c_str());
    if (row == 0) context.widgets.item(fmt::format("match.cell.{}", c));
  }
  return clicked;
}

void draw_pair_rows(Context& context, Document& document) {
  MatchWork& match = context.state.workbench->match;
  const auto& found = match.summary->pairs;
  const bool pairs = match.list_shown == 0;
  const std::vector<std::int64_t>& alone = match.list_shown == 1 ? match.only_a : match.only_b;
  const SkyList& list = match.list_shown == 2 ? match.list_b : match.list_a;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_NoSavedSettings;
  // Numbers are never cut; long names are, and stand in a tooltip.
  const float unit = ImGui::GetFontSize(), room = ImGui::GetContentRegionAvail().x,
              longest = std::clamp((room - (pairs ? 25 : 21) * unit) / (pairs ? 2.0f : 1.0f), 5 * unit, 14 * unit);
  if (!ImGui::BeginTable(pairs ? "##pairs" : "##alone", pairs ? 6 : 5, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  static constexpr std::array<const char*, 6> kPairs{"A", "B", "apart (\")", "flux A (mJy)", "flux B (mJy)", "A / B"};
  static constexpr std::array<const char*, 5> kAlone{"name", "lon (deg)", "lat (deg)", "flux (mJy)", "S/N"};
  if (pairs)
    for (const char* head : kPairs) ImGui::TableSetupColumn(head);
  if (!pairs)
    for (const char* head : kAlone) ImGui::TableSetupColumn(head);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(pairs ? found.size() : alone.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const std::int64_t row = pairs ? found[place].a : alone[place];
      std::vector<std::string> cells = pairs ? pair_cells(match, found[place]) : lone_cells(list, row);
      const std::string whole = cut_names(cells, pairs ? 2 : 1, longest);
      if (draw_cells(context, i, cells, pairs ? 2 : 1, whole) && document.header)
        look_at(context, document, match.list_shown == 2 ? match.b : match.a, row);
    }
  }
  ImGui::EndTable();
}

/// Above the lists, over their whole width: what a match is made for. In a low strip on one line, behind which a
/// tooltip has the rest; the tabs have the counts.
void draw_summary(Context& context, const MatchWork& match) {
  const MatchSummary& s = *match.summary;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool low = room.y < 9 * ImGui::GetTextLineHeightWithSpacing();
  ImGui::BeginGroup();
  ImGui::PushFont(bold_font());
  if (!low)
    ImGui::Text("%zu matched, %zu only in A, %zu only in B", s.pairs.size(), match.only_a.size(), match.only_b.size());
  ImGui::PopFont();
  std::string rest = fmt::format("within {:.2f}\" ({}); about {:.1f} by chance", match.radius.deg * 3600,
                                 match.radius.reason, s.expected_false);
  if (!s.pairs.empty())
    rest += fmt::format("; B - A: {:+.2f}\" \u00b1 {:.2f}\" in longitude, {:+.2f}\" \u00b1 {:.2f}\" in latitude",
                        s.d_lon.median, s.d_lon.scatter, s.d_lat.median, s.d_lat.scatter);
  if (s.total_ratio.count > 0)
    rest += fmt::format("; flux A / B: {:.3f} \u00b1 {:.3f}", s.total_ratio.median, s.total_ratio.scatter);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(low ? elided(rest, room.x).c_str() : rest.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
  if (low) tip(rest);
  context.widgets.item("match.summary");
}

/// One list of a match: a catalogue's path, or the sources of a document.
struct MatchSide {
  std::string path;
  std::int64_t document = -1;
  std::uint64_t generation = 0, edits = 0;  ///< of the sources
  bool operator==(const MatchSide&) const = default;
};

/// What a match was made of.
struct MatchKey {
  MatchSide a, b;
  double radius_arcsec = 0;
  bool operator==(const MatchKey&) const = default;
};

class MatchPanel final : public Panel {
 public:
  void draw(Context& context) override;
  void save(const Context& context, Workspace& workspace) const override;
  void load(Context& context, const Workspace& workspace, std::vector<std::string>& problems) override;

 private:
  void match_again(Context& context, const Document& document);
  void draw_choice(Context& context, Document& document);
  void draw_lists(Context& context, Document& document);

  std::string path_;
  PathField field_;
  MatchPlots plots_;
  std::optional<MatchKey> made_of_;
};

}  // namespace

void MatchPanel::match_again(Context& context, const Document& document) {
  Workbench& workbench = *context.state.workbench;
  MatchWork& match = workbench.match;
  match.a = std::min(match.a, static_cast<int>(workbench.catalogues.size()) - 1);
  match.b = std::min(match.b, static_cast<int>(workbench.catalogues.size()) - 1);
  const auto side = [&](int which) {
    return which < 0 ? MatchSide{"", document.id, document.sources.generation, document.sources.edits.version()}
                     : MatchSide{workbench.catalogues[static_cast<std::size_t>(which)]->path, -1, 0, 0};
  };
  const MatchKey key{side(match.a), side(match.b), match.radius_arcsec};
  if (made_of_ == key && !match.stale) return;
  made_of_ = key;
  match.stale = false;
  plots_.forget_ranges();
  match.summary.reset();
  const auto a = list_of(workbench, document, match.a), b = list_of(workbench, document, match.b);
  if (!a || !b) {
    match.error = "no sources yet: run the detection, or choose two catalogues";
    return;
  }
  if (match.a == match.b) {
    match.error = "choose two different lists";
    return;
  }
  match_into(match, *a, *b);
  const auto removed = [&](std::int64_t row) { return document.sources.edits.hidden(row); };
  if (match.a < 0) std::erase_if(match.only_a, removed);
  if (match.b < 0) std::erase_if(match.only_b, removed);
}

void MatchPanel::save(const Context& context, Workspace& workspace) const {
  Workbench& workbench = *context.state.workbench;
  for (const auto& catalogue : workbench.catalogues) {
    workspace.catalogues.push_back(workbench.files.identity(catalogue->path));
    workspace.catalogue_marks.push_back(catalogue->marks);
  }
}

void MatchPanel::load(Context& context, const Workspace& workspace, std::vector<std::string>& problems) {
  Workbench& workbench = *context.state.workbench;
  workbench.catalogues.clear();
  workbench.match = {};
  for (std::size_t i = 0; i < workspace.catalogues.size(); ++i) {
    try {
      auto opened = open_catalogue(workspace.catalogues[i].path);
      if (i < workspace.catalogue_marks.size()) opened->marks = workspace.catalogue_marks[i];
      opened->colour = static_cast<int>(workbench.catalogues.size());
      workbench.catalogues.push_back(std::move(opened));
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
}

/// What is matched with what: at the left of the lists, so that these have the height of the strip.
void MatchPanel::draw_choice(Context& context, Document& document) {
  draw_open(context, field_, path_);
  draw_list(context);
  if (context.state.workbench->catalogues.empty()) return;
  MatchWork& match = context.state.workbench->match;
  side_choice(context, "A", match.a);
  side_choice(context, "B", match.b);
  ImGui::SetNextItemWidth(6 * ImGui::GetFontSize());
  ImGui::InputDouble("radius \"", &match.radius_arcsec, 0, 0, match.radius_arcsec > 0 ? "%.2f" : "auto");
  context.widgets.item("match.radius");
  match.radius_arcsec = std::clamp(match.radius_arcsec, 0.0, 3600.0);
  match_again(context, document);
}

void MatchPanel::draw_lists(Context& context, Document& document) {
  MatchWork& match = context.state.workbench->match;
  if (!match.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
    ImGui::TextWrapped("%s", match.error.c_str());
    ImGui::PopStyleColor();
  }
  if (!match.summary) return;
  draw_summary(context, match);
  if (!ImGui::BeginTabBar("##lists")) return;
  const std::array<std::string, 3> names{fmt::format("matched ({})###pairs", match.summary->pairs.size()),
                                         fmt::format("only A ({})###a", match.only_a.size()),
                                         fmt::format("only B ({})###b", match.only_b.size())};
  for (int i = 0; i < 3; ++i) {
    const bool seen = ImGui::BeginTabItem(names[static_cast<std::size_t>(i)].c_str());
    context.widgets.item(fmt::format("match.list.{}", i));
    if (!seen) continue;
    match.list_shown = i;
    draw_pair_rows(context, document);
    ImGui::EndTabItem();
  }
  const bool plots = ImGui::BeginTabItem("plots");
  context.widgets.item("match.list.plots");
  if (plots) {
    plots_.draw(context, match);
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

void MatchPanel::draw(Context& context) {
  Document* document = context.state.document();
  if (document == nullptr) return;
  follow_result(*document);
  const bool any = !context.state.workbench->catalogues.empty();
  const float whole = ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("##choice", {any ? std::min(0.42f * whole, 24 * ImGui::GetFontSize()) : 0.0f, 0});
  draw_choice(context, *document);
  if (!any) ImGui::TextDisabled("Open a catalogue to draw it over the image and to match it with the sources.");
  ImGui::EndChild();
  if (!any) return;
  ImGui::SameLine();
  ImGui::BeginChild("##lists");
  draw_lists(context, *document);
  ImGui::EndChild();
}

std::unique_ptr<Panel> make_match_panel() { return std::make_unique<MatchPanel>(); }

}  // namespace reber::gui
