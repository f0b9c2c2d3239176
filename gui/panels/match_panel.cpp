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
#include "gui/ui/catalogue_colours.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/linked_plot.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/path_field.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void draw_open(Context& context, PathField& field, std::string& path) {
  const bool entered = field.draw(context, "match.path", "path of a catalogue: FITS, VOTable, CSV, text", path,
                                  4 * ImGui::GetFontSize());
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
    ImGui::TextUnformatted(elided(file_name(each.path), 0.5f * ImGui::GetContentRegionAvail().x).c_str());
    tip(each.path + "\n" + describe_columns(each.list));
    ImGui::SameLine();
    ImGui::TextDisabled("%lld rows", static_cast<long long>(each.list.rows));
    ImGui::SameLine();
    if (ImGui::SmallButton("close")) closed = i;
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
  return sky_list(document.sources.table.catalogue());
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

void draw_pair_rows(Context& context, Document& document) {
  MatchWork& match = context.state.workbench->match;
  const MatchSummary& summary = *match.summary;
  const bool pairs = match.list_shown == 0;
  const std::vector<std::int64_t>& alone = match.list_shown == 1 ? match.only_a : match.only_b;
  const SkyList& list = match.list_shown == 2 ? match.list_b : match.list_a;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable(pairs ? "##pairs" : "##alone", pairs ? 6 : 5, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  static constexpr std::array<const char*, 6> kPairs{"A",    "B", "separation \"", "flux A (mJy)", "flux B (mJy)",
                                                     "A / B"};
  static constexpr std::array<const char*, 5> kAlone{"name", "lon", "lat", "flux (mJy)", "S/N"};
  if (pairs)
    for (const char* head : kPairs) ImGui::TableSetupColumn(head);
  if (!pairs)
    for (const char* head : kAlone) ImGui::TableSetupColumn(head);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(pairs ? summary.pairs.size() : alone.size()));
  const auto name = [](const SkyList& of, std::int64_t row) {
    return of.name.empty() ? fmt::format("{}", row) : of.name[static_cast<std::size_t>(row)];
  };
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const std::int64_t row_a = pairs ? summary.pairs[place].a : alone[place],
                         row_b = pairs ? summary.pairs[place].b : 0;
      std::vector<std::string> cells;
      if (pairs) {
        const double a = entry(match.list_a.total, row_a), b = entry(match.list_b.total, row_b);
        cells = {name(match.list_a, row_a),
                 name(match.list_b, row_b),
                 number(summary.pairs[place].separation_deg * 3600, "{:.2f}"),
                 number(a * 1e3),
                 number(b * 1e3),
                 number(a / b, "{:.3f}")};
      } else {
        cells = {name(list, row_a), number(entry(list.lon, row_a), "{:.5f}"), number(entry(list.lat, row_a), "{:.5f}"),
                 number(entry(list.total, row_a) * 1e3), number(entry(list.snr, row_a))};
      }
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(i);
      const bool clicked = ImGui::Selectable(cells[0].c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
      context.widgets.item(fmt::format("match.row.{}", i));
      ImGui::PopID();
      if (clicked && document.header) look_at(context, document, match.list_shown == 2 ? match.b : match.a, row_a);
      for (std::size_t c = 1; c < cells.size(); ++c) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(cells[c].c_str());
      }
    }
  }
  ImGui::EndTable();
}

void draw_summary(const MatchWork& match) {
  const MatchSummary& s = *match.summary;
  ImGui::TextWrapped("%zu matched within %.2f\" (%s); %zu only in A, %zu only in B; about %.1f by chance",
                     s.pairs.size(), match.radius.deg * 3600, match.radius.reason.c_str(), match.only_a.size(),
                     match.only_b.size(), s.expected_false);
  if (s.pairs.empty()) return;
  ImGui::TextWrapped(
      "offset B - A: %+.2f\" (scatter %.2f\") in longitude, %+.2f\" (%.2f\") in latitude%s", s.d_lon.median,
      s.d_lon.scatter, s.d_lat.median, s.d_lat.scatter,
      s.total_ratio.count > 0
          ? fmt::format("; flux A / B: {:.3f} (scatter {:.3f})", s.total_ratio.median, s.total_ratio.scatter).c_str()
          : "");
}

/// Offsets of the pairs, flux against flux, and the part of B that A found.
struct MatchPlots {
  PlotView offsets, fluxes, complete;

  void draw(Context& context, const MatchWork& match);
};

void MatchPlots::draw(Context& context, const MatchWork& match) {
  const MatchSummary& s = *match.summary;
  std::vector<double> flux_a, flux_b;
  for (const MatchPair& pair : s.pairs) {
    flux_a.push_back(entry(match.list_a.total, pair.a));
    flux_b.push_back(entry(match.list_b.total, pair.b));
  }
  std::vector<std::uint8_t> found(static_cast<std::size_t>(match.list_b.rows), 1);
  for (const std::int64_t row : match.only_b) found[static_cast<std::size_t>(row)] = 0;
  const Completeness completeness =
      match.list_b.total.empty() ? Completeness{} : make_completeness(match.list_b.total, found, 12);
  offsets.x.label = "longitude B - A (arcsec)";
  offsets.y.label = "latitude B - A (arcsec)";
  fluxes.x.label = "total flux A (Jy)";
  fluxes.y.label = "total flux B (Jy)";
  fluxes.x.logarithmic = fluxes.y.logarithmic = complete.x.logarithmic = true;
  complete.x.label = "total flux B (Jy)";
  complete.y.label = "part of B that A has";
  if (!offsets.fitted) {
    offsets.x.fit(s.values.d_lon);
    offsets.y.fit(s.values.d_lat);
    fluxes.x.fit(flux_a);
    fluxes.y.fit(flux_b);
    complete.x.fit(completeness.edges);
    complete.y.low = -0.03;
    complete.y.high = 1.05;
    offsets.fitted = fluxes.fitted = complete.fitted = true;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size{(room.x - 8) / 3, std::max(120.0f, room.y - 4)};
  {
    LinkedPlot area("match.offsets", offsets, size, context.widgets);
    area.line({-1e6, 1e6}, {0, 0}, palette().text_dim, 1);
    area.line({0, 0}, {-1e6, 1e6}, palette().text_dim, 1);
    area.points(s.values.d_lon, s.values.d_lat, {}, palette().accent, 3.5f);
  }
  ImGui::SameLine(0, 4);
  {
    LinkedPlot area("match.fluxes", fluxes, size, context.widgets);
    area.line({1e-9, 1e6}, {1e-9, 1e6}, palette().text_dim, 1);
    area.points(flux_a, flux_b, {}, palette().accent, 3.5f);
  }
  ImGui::SameLine(0, 4);
  LinkedPlot area("match.completeness", complete, size, context.widgets);
  std::vector<double> centres;
  for (std::size_t i = 0; i < completeness.fraction.size(); ++i) {
    centres.push_back(std::sqrt(completeness.edges[i] * completeness.edges[i + 1]));
    area.error_bar(centres.back(), completeness.low[i], completeness.high[i], palette().text_dim);
  }
  area.line(centres, completeness.fraction, palette().accent, 1.8f);
  for (std::size_t i = 0; i < centres.size(); ++i)
    area.marker(centres[i], completeness.fraction[i], palette().accent, 3);
}

/// One list of a match: a catalogue's path, or the sources of a document.
struct MatchSide {
  std::string path;
  std::int64_t document = -1;
  std::uint64_t generation = 0;
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
    return which < 0 ? MatchSide{"", document.id, document.sources.generation}
                     : MatchSide{workbench.catalogues[static_cast<std::size_t>(which)]->path, -1, 0};
  };
  const MatchKey key{side(match.a), side(match.b), match.radius_arcsec};
  if (made_of_ == key && !match.stale) return;
  made_of_ = key;
  match.stale = false;
  plots_.offsets.fitted = plots_.fluxes.fitted = plots_.complete.fitted = false;
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
}

void MatchPanel::save(const Context& context, Workspace& workspace) const {
  Workbench& workbench = *context.state.workbench;
  for (const auto& catalogue : workbench.catalogues)
    workspace.catalogues.push_back(workbench.files.identity(catalogue->path));
}

void MatchPanel::load(Context& context, const Workspace& workspace, std::vector<std::string>& problems) {
  Workbench& workbench = *context.state.workbench;
  workbench.catalogues.clear();
  workbench.match = {};
  for (const FileIdentity& file : workspace.catalogues) {
    try {
      auto opened = open_catalogue(file.path);
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
  if (match.summary) draw_summary(match);
}

void MatchPanel::draw_lists(Context& context, Document& document) {
  MatchWork& match = context.state.workbench->match;
  if (!match.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
    ImGui::TextWrapped("%s", match.error.c_str());
    ImGui::PopStyleColor();
  }
  if (!match.summary || !ImGui::BeginTabBar("##lists")) return;
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
