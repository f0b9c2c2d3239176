// SPDX-License-Identifier: BSD-3-Clause
// Plots of the sources: histogram of a column, one column against another, completeness; linked with table and image.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/source_tools.hpp"
#include "gui/ui/linked_plot.hpp"
#include "gui/ui/memo.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// What a plot shows.
struct PlotChoice {
  bool histogram = true;
  std::string x_column = "Total_flux", y_column = "SNR";
  bool log_x = true, log_y = true;
  std::int64_t document = -1;
  bool operator==(const PlotChoice&) const = default;
};

/// What its numbers are made of.
struct NumbersKey {
  PlotChoice choice;
  std::uint64_t version = 0;  ///< of the table: another result, or another filter
  bool operator==(const NumbersKey&) const = default;
};

/// One plot, and its numbers.
struct Plot {
  PlotChoice choice;
  PlotView view;
  Asked<PlotChoice> fitted_for;
  Asked<NumbersKey> numbers_of;
  std::vector<double> x, y;
  BarCounts bars;
};

std::string label_of(const ColumnInfo& info) {
  return info.unit.empty() ? info.name : fmt::format("{} ({})", info.name, info.unit);
}

/// Makes the numbers anew where sources, filter or columns changed.
void refresh(Plot& plot, const Document& document) {
  const SourceTable& table = document.sources.table;
  PlotChoice& choice = plot.choice;
  choice.document = document.id;
  if (plot.fitted_for.anew(choice)) plot.view.fitted = plot.view.by_hand = false;
  if (!plot.numbers_of.anew({choice, table.version()})) return;
  if (!plot.view.by_hand) plot.view.fitted = false;
  const Column* x = table.catalogue().find(plot.choice.x_column);
  const Column* y = table.catalogue().find(plot.choice.y_column);
  plot.x = x != nullptr ? numbers_of(*x) : std::vector<double>();
  plot.y = y != nullptr && !plot.choice.histogram ? numbers_of(*y) : std::vector<double>();
  plot.view.x.label = x != nullptr ? label_of(x->info) : plot.choice.x_column;
  plot.view.y.label = plot.choice.histogram ? "sources" : y != nullptr ? label_of(y->info) : plot.choice.y_column;
  plot.bars = plot.choice.histogram ? make_histogram(plot.x, table.accepted(), plot.choice.log_x) : BarCounts{};
}

void fit(Plot& plot, const Document& document) {
  const auto& accepted = document.sources.table.accepted();
  const auto shown = [&](const std::vector<double>& values) {
    std::vector<double> taken;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (accepted[i] != 0) taken.push_back(values[i]);
    return taken;
  };
  plot.view.x.logarithmic = plot.choice.log_x;
  plot.view.y.logarithmic = plot.choice.log_y;
  plot.view.x.fit(plot.choice.histogram ? plot.bars.edges : shown(plot.x));
  plot.view.y.fit(plot.choice.histogram ? plot.bars.counts : shown(plot.y));
  if (plot.choice.histogram) plot.view.y.low = plot.choice.log_y ? 0.5 : 0;
  plot.view.fitted = true;
}

void select_box(Plot& plot, Document& document, const LinkedPlot& area) {
  const auto& accepted = document.sources.table.accepted();
  if (const auto box = area.box()) {
    const double inf = INFINITY;
    select_rows(document,
                plot.choice.histogram ? rows_in_box(plot.x, plot.x, accepted, box->x0, -inf, box->x1, inf)
                                      : rows_in_box(plot.x, plot.y, accepted, box->x0, box->y0, box->x1, box->y1),
                area.adding());
  }
  if (plot.choice.histogram || !(area.clicked() || area.double_clicked())) return;
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

void column_choice(Context& context, const char* name, std::string& chosen, const Catalogue& catalogue, float width) {
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo(name, chosen.c_str())) {
    for (const Column& column : catalogue.columns) {
      if (std::holds_alternative<std::vector<std::string>>(column.values)) continue;
      if (ImGui::Selectable(column.info.name.c_str(), column.info.name == chosen)) chosen = column.info.name;
    }
    ImGui::EndCombo();
  }
  context.widgets.item(std::string("plots.") + (name + 2));
}

/// Of a choice of columns, so that one or two of them and the boxes of both axes have room beside each other.
float choice_width(int choices, float room) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float boxes =
      2 * (ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + ImGui::CalcTextSize("log y").x + style.ItemSpacing.x);
  const float each = (room - boxes) / static_cast<float>(choices) - style.ItemSpacing.x;
  return std::clamp(each, 3 * ImGui::GetFontSize(), 9 * ImGui::GetFontSize());
}

/// Where the highest bar ends, over all bars: for scripts.
void register_tops(Context& context, const Plot& plot, const LinkedPlot& area, const std::string& name) {
  if (plot.bars.counts.empty()) return;
  const double most = *std::ranges::max_element(plot.bars.counts);
  const ImVec2 left = area.at(plot.bars.edges.front(), most), right = area.at(plot.bars.edges.back(), most);
  context.widgets.area("plots." + name + ".tops", {left.x, left.y, right.x - left.x, 1});
}

void draw_plot(Context& context, Document& document, Plot& plot, const std::string& name, ImVec2 size) {
  ImGui::PushID(name.c_str());
  ImGui::BeginGroup();
  const float width = choice_width(plot.choice.histogram ? 1 : 2, size.x);
  column_choice(context, "##x", plot.choice.x_column, document.sources.table.catalogue(), width);
  ImGui::SameLine();
  ImGui::Checkbox("log x", &plot.choice.log_x);
  ImGui::SameLine();
  if (!plot.choice.histogram) {
    column_choice(context, "##y", plot.choice.y_column, document.sources.table.catalogue(), width);
    ImGui::SameLine();
  }
  ImGui::Checkbox("log y", &plot.choice.log_y);
  context.widgets.item("plots." + name + ".log_y");
  refresh(plot, document);
  if (!plot.view.fitted) fit(plot, document);
  const std::vector<std::uint8_t> selected = selected_rows(document);
  {
    LinkedPlot area("plots." + name, plot.view, {size.x, size.y - ImGui::GetFrameHeightWithSpacing()}, context.widgets);
    if (plot.choice.histogram) {
      area.bars(plot.bars, palette().accent);
      register_tops(context, plot, area, name);
      if (!document.selection.rows.empty() && !plot.bars.edges.empty())
        area.bars(count_into(plot.bars.edges, plot.x, selected), palette().plot_selected);
      if (plot.bars.outside > 0) area.text(fmt::format("{} without a place here", plot.bars.outside));
    } else {
      const auto unit = 0.26f * ImGui::GetFontSize();
      area.points(plot.x, plot.y, document.sources.table.accepted(), palette().accent, unit);
      if (!document.selection.rows.empty()) area.points(plot.x, plot.y, selected, palette().plot_selected, 1.7f * unit);
      if (const std::int64_t focus = document.selection.focus;
          focus >= 0 && focus < static_cast<std::int64_t>(plot.x.size()))
        area.marker(plot.x[static_cast<std::size_t>(focus)], plot.y[static_cast<std::size_t>(focus)],
                    palette().plot_selected, 2.2f * unit);
    }
    select_box(plot, document, area);
  }
  ImGui::EndGroup();
  ImGui::PopID();
}

class PlotsPanel final : public Panel {
 public:
  PlotsPanel() { scatter_.choice.histogram = false; }
  void draw(Context& context) override;

 private:
  Plot histogram_, scatter_;
};

}  // namespace

void PlotsPanel::draw(Context& context) {
  Document* document = context.state.document();
  if (document == nullptr || !document->result || document->result->sources.empty()) {
    ImGui::TextDisabled("No sources yet: run the detection in the panel Pipeline (Enter).");
    return;
  }
  follow_result(*document);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetFontSize();
  const ImVec2 size{0.5f * (room.x - gap), std::max(90.0f, room.y - 4)};
  draw_plot(context, *document, histogram_, "histogram", size);
  ImGui::SameLine(0, gap);
  draw_plot(context, *document, scatter_, "scatter", size);
}

std::unique_ptr<Panel> make_plots_panel() { return std::make_unique<PlotsPanel>(); }

}  // namespace reber::gui
