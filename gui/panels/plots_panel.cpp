// SPDX-License-Identifier: BSD-3-Clause
// Plots of the sources: histogram of a column, one column against another, completeness; linked with table and image.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/panels.hpp"
#include "gui/panels/source_tools.hpp"
#include "gui/ui/linked_plot.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// One plot and the numbers it was made of, kept until sources, filter or columns change.
struct Plot {
  bool histogram = true;
  std::string x_column = "Total_flux", y_column = "SNR";
  bool log_x = true, log_y = true;
  PlotView view;

  std::int64_t document = -1;
  std::uint64_t version = 0;
  std::string made_of;
  std::vector<double> x, y;
  BarCounts bars;
};

std::string label_of(const ColumnInfo& info) {
  return info.unit.empty() ? info.name : fmt::format("{} ({})", info.name, info.unit);
}

/// True where the numbers were made anew.
void refresh(Plot& plot, const Document& document) {
  const SourceTable& table = document.sources.table;
  const std::string made_of =
      fmt::format("{}|{}|{}|{}|{}", plot.histogram, plot.x_column, plot.y_column, plot.log_x, plot.log_y);
  if (plot.document == document.id && plot.version == table.version() && plot.made_of == made_of) return;
  if (plot.document != document.id || plot.made_of != made_of) plot.view.fitted = false;
  plot.document = document.id;
  plot.version = table.version();
  plot.made_of = made_of;
  const Column* x = table.catalogue().find(plot.x_column);
  const Column* y = table.catalogue().find(plot.y_column);
  plot.x = x != nullptr ? numbers_of(*x) : std::vector<double>();
  plot.y = y != nullptr && !plot.histogram ? numbers_of(*y) : std::vector<double>();
  plot.view.x.label = x != nullptr ? label_of(x->info) : plot.x_column;
  plot.view.y.label = plot.histogram ? "sources" : y != nullptr ? label_of(y->info) : plot.y_column;
  plot.bars = plot.histogram ? make_histogram(plot.x, table.accepted(), plot.log_x) : BarCounts{};
}

void fit(Plot& plot, const Document& document) {
  const auto& accepted = document.sources.table.accepted();
  const auto shown = [&](const std::vector<double>& values) {
    std::vector<double> taken;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (accepted[i] != 0) taken.push_back(values[i]);
    return taken;
  };
  plot.view.x.logarithmic = plot.log_x;
  plot.view.y.logarithmic = plot.log_y;
  plot.view.x.fit(plot.histogram ? plot.bars.edges : shown(plot.x));
  plot.view.y.fit(plot.histogram ? plot.bars.counts : shown(plot.y));
  if (plot.histogram) plot.view.y.low = plot.log_y ? 0.5 : 0;
  plot.view.fitted = true;
}

void select_box(Plot& plot, Document& document, const LinkedPlot& area) {
  const auto& accepted = document.sources.table.accepted();
  if (const auto box = area.box()) {
    const double inf = INFINITY;
    select_rows(document,
                plot.histogram ? rows_in_box(plot.x, plot.x, accepted, box->x0, -inf, box->x1, inf)
                               : rows_in_box(plot.x, plot.y, accepted, box->x0, box->y0, box->x1, box->y1),
                area.adding());
  }
  if (plot.histogram || !(area.clicked() || area.double_clicked())) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  double least = 8;
  std::int64_t best = -1;
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    if (accepted[i] == 0 || !area.shows(plot.x[i], plot.y[i])) continue;
    const ImVec2 p = area.at(plot.x[i], plot.y[i]);
    const double distance = std::hypot(p.x - mouse.x, p.y - mouse.y);
    if (distance > least) continue;
    least = distance;
    best = static_cast<std::int64_t>(i);
  }
  if (best < 0) {
    if (area.clicked() && !area.adding()) document.selection.clear();
    return;
  }
  if (area.adding()) {
    document.selection.toggle(best);
  } else {
    document.selection.select_only(best);
  }
  if (area.double_clicked()) centre_on(document, best);
}

void column_choice(Context& context, const char* name, std::string& chosen, const Catalogue& catalogue) {
  ImGui::SetNextItemWidth(9 * ImGui::GetFontSize());
  if (ImGui::BeginCombo(name, chosen.c_str())) {
    for (const Column& column : catalogue.columns) {
      if (std::holds_alternative<std::vector<std::string>>(column.values)) continue;
      if (ImGui::Selectable(column.info.name.c_str(), column.info.name == chosen)) chosen = column.info.name;
    }
    ImGui::EndCombo();
  }
  context.widgets.item(std::string("plots.") + (name + 2));
}

void draw_plot(Context& context, Document& document, Plot& plot, const std::string& name, ImVec2 size) {
  ImGui::PushID(name.c_str());
  ImGui::BeginGroup();
  column_choice(context, "##x", plot.x_column, document.sources.table.catalogue());
  ImGui::SameLine();
  ImGui::Checkbox("log x", &plot.log_x);
  ImGui::SameLine();
  if (!plot.histogram) {
    column_choice(context, "##y", plot.y_column, document.sources.table.catalogue());
    ImGui::SameLine();
  }
  ImGui::Checkbox("log y", &plot.log_y);
  refresh(plot, document);
  if (!plot.view.fitted) fit(plot, document);
  const std::vector<std::uint8_t> selected = selected_rows(document);
  {
    LinkedPlot area("plots." + name, plot.view, {size.x, size.y - ImGui::GetFrameHeightWithSpacing()}, context.widgets);
    if (plot.histogram) {
      area.bars(plot.bars, palette().accent);
      if (!document.selection.rows.empty() && !plot.bars.edges.empty())
        area.bars(count_into(plot.bars.edges, plot.x, selected), palette().source_selected);
      if (plot.bars.outside > 0) area.text(fmt::format("{} without a place here", plot.bars.outside));
    } else {
      const auto unit = 0.26f * ImGui::GetFontSize();
      area.points(plot.x, plot.y, document.sources.table.accepted(), palette().accent, unit);
      if (!document.selection.rows.empty())
        area.points(plot.x, plot.y, selected, palette().source_selected, 1.7f * unit);
      if (const std::int64_t focus = document.selection.focus;
          focus >= 0 && focus < static_cast<std::int64_t>(plot.x.size()))
        area.marker(plot.x[static_cast<std::size_t>(focus)], plot.y[static_cast<std::size_t>(focus)],
                    palette().source_selected, 2.2f * unit);
    }
    select_box(plot, document, area);
  }
  ImGui::EndGroup();
  ImGui::PopID();
}

}  // namespace

void draw_plots_panel(Context& context) {
  static std::array<Plot, 2> plots{Plot{}, [] {
                                     Plot scatter;
                                     scatter.histogram = false;
                                     return scatter;
                                   }()};
  Document* document = context.state.document();
  if (document == nullptr || !document->result || document->result->sources.empty()) {
    ImGui::TextDisabled("No sources yet: run the detection in the panel Pipeline (Enter).");
    return;
  }
  follow_result(*document);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetFontSize();
  const ImVec2 size{0.5f * (room.x - gap), std::max(90.0f, room.y - 4)};
  draw_plot(context, *document, plots[0], "histogram", size);
  ImGui::SameLine(0, gap);
  draw_plot(context, *document, plots[1], "scatter", size);
}

}  // namespace reber::gui
