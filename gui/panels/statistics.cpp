// SPDX-License-Identifier: BSD-3-Clause
// Panel: statistics of the shown layer or of the chosen region, and the histogram with limits to drag.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/model/image/readout.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/plot_area.hpp"
#include "gui/ui/plot_export.hpp"

namespace reber::gui {
namespace {

struct Row {
  const char* name;
  std::string value, beside;
};

/// One unit, that of the noise, and one count of digits behind the point: numbers end below each other. What lies too
/// far out for that has a unit of its own.
std::vector<Row> rows_of(const LayerStatistics& s, const Unit& unit, const CoordinateStyle& style) {
  const double size = std::max(std::abs(s.sigma), std::abs(s.median));
  const auto [name, factor] = unit.readable(size);
  constexpr double kMost = 1e7;  // of the noise's unit
  constexpr int kDigits = 4;
  const double least = s.sigma > 0 ? s.sigma * factor : 0;
  const int behind = least > 0 ? std::clamp(kDigits - static_cast<int>(std::floor(std::log10(least))), 0, 9) : 0;
  const auto made = [&, name = name, factor = factor](const char* title, double v, const std::string& place = "") {
    const bool plain = least > 0 && std::abs(v) * factor < kMost && behind < 9;
    std::string text = std::isfinite(v) ? value_text(v, unit, 0, s.sigma) : "--", own;
    if (std::isfinite(v) && plain) {
      text = fmt::format("{:.{}f}", v * factor, behind);
      own = name;
    } else if (const std::size_t gap = text.find(' '); gap != std::string::npos) {
      own = text.substr(gap + 1);
      text.resize(gap);
    }
    return Row{title, text, place.empty() ? own : own + "  " + place};
  };
  const int base = style.one_based ? 1 : 0;
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return s.row_step > 1 || x < 0 ? std::string() : fmt::format("at {}, {}", x + base, y + base);
  };
  std::vector<Row> rows{{"Pixels", fmt::format("{}", s.summary.finite), "finite"},
                        {"", fmt::format("{}", s.summary.blank), "blank"}};
  if (s.summary.infinite > 0) rows.push_back({"", fmt::format("{}", s.summary.infinite), "infinite"});
  rows.push_back(made("Minimum", s.summary.min, at(s.summary.min_x, s.summary.min_y)));
  rows.push_back(made("Maximum", s.summary.max, at(s.summary.max_x, s.summary.max_y)));
  rows.push_back(made("Mean", s.summary.mean()));
  rows.push_back(made("Median", s.median));
  rows.push_back(made("Standard dev.", s.std));
  rows.push_back(made("Robust sigma", s.sigma));
  rows.push_back(made("rms about 0", s.summary.rms()));
  return rows;
}

/// Columns are as broad as their texts from the first frame on: they wait for no layout of the table's.
void draw_table(Context& context, const LayerStatistics& s, const Unit& unit) {
  const std::vector<Row> rows = rows_of(s, unit, context.state.inspect.style);
  float names = 0, values = 0;
  for (const Row& row : rows) {
    names = std::max(names, ImGui::CalcTextSize(row.name).x);
    values = std::max(values, ImGui::CalcTextSize(row.value.c_str()).x);
  }
  if (!ImGui::BeginTable("##statistics", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, names);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, values);
  ImGui::TableSetupColumn("beside", ImGuiTableColumnFlags_WidthStretch);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", row.name);
    context.widgets.item(fmt::format("statistics.name.{}", i));
    ImGui::TableNextColumn();
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + values - ImGui::CalcTextSize(row.value.c_str()).x);
    ImGui::TextUnformatted(row.value.c_str());
    context.widgets.item(fmt::format("statistics.value.{}", i));
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row.beside.c_str());
    context.widgets.item(fmt::format("statistics.beside.{}", i));
  }
  ImGui::EndTable();
}

/// Of an image that stays in its file, some rows tell the noise; its extremes are known once all were read.
void draw_counting(Context& context, const LayerStatistics& s) {
  if (s.row_step == 1) return;
  const double fraction = counting_fraction(context.state);
  if (fraction >= 0) {
    ImGui::ProgressBar(static_cast<float>(fraction), {-1, 0}, "counting all pixels");
    context.widgets.item("statistics.counting");
    return;
  }
  ImGui::TextDisabled("of every %lldth row", static_cast<long long>(s.row_step));
  ImGui::SameLine();
  if (ImGui::Button("All pixels")) count_all_pixels(context);
  context.widgets.item("statistics.all_pixels");
  tip("Reads the whole file seven times.");
}

/// Bars in log scale, the limits as lines; the nearer one follows the mouse while the button is down.
void draw_histogram(Context& context, const LayerStatistics& s, RenderSettings& render, const Unit& unit,
                    bool& high_held) {
  const float unit_px = ImGui::GetFontSize();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, 8 * unit_px};
  ImGui::InvisibleButton("##histogram", size);
  context.widgets.item("statistics.histogram");
  const Histogram& h = s.histogram;
  if (!(h.high > h.low) || h.total() == 0) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // Room for limits that lie beyond the histogram.
  const double low = std::min(h.low, std::max(render.low, h.low - (h.high - h.low))),
               high = std::max(h.high, std::min(render.high, h.high + (h.high - h.low)));
  const double margin = 0.03 * (high - low);
  const auto most = static_cast<double>(*std::max_element(h.counts.begin(), h.counts.end()));
  PlotArea plot{{from.x + 2, from.y},
                {from.x + size.x - 2, from.y + size.y - 1.4f * unit_px},
                low - margin,
                high + margin,
                0,
                std::log10(1 + most) * 1.05};
  const double step = (h.high - h.low) / static_cast<double>(h.counts.size());
  list.PushClipRect(plot.from, plot.to, true);
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] == 0) continue;
    const double at = h.low + step * static_cast<double>(i);
    const float left = plot.x(at), right = std::max(left + 1, plot.x(at + step));
    list.AddRectFilled({left, plot.y(std::log10(1.0 + static_cast<double>(h.counts[i])))}, {right, plot.to.y},
                       palette().accent_soft);
  }
  const auto line = [&](double v, unsigned colour, float width) {
    list.AddLine({plot.x(v), plot.from.y}, {plot.x(v), plot.to.y}, colour, width);
  };
  line(s.median, palette().text_dim, 1);
  // A limit far off stands at the edge, from where it can be fetched.
  const double edge = 1.5 * (plot.x1 - plot.x0) / std::max(1.0f, plot.to.x - plot.from.x);
  line(std::clamp(render.low, plot.x0 + edge, plot.x1 - edge), palette().accent, 2);
  line(std::clamp(render.high, plot.x0 + edge, plot.x1 - edge), palette().warn, 2);
  list.PopClipRect();
  const auto [name, factor] = unit.readable(std::max(std::abs(low), std::abs(high)));
  draw_plot_axes(list, plot, false, factor);
  if (ImGui::IsItemActivated()) {
    const float x = ImGui::GetIO().MousePos.x;
    high_held = std::abs(x - plot.x(render.high)) < std::abs(x - plot.x(render.low));
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const double v = plot.x_value(ImGui::GetIO().MousePos.x), least = 1e-6 * (high - low);
    if (high_held) {
      render.high = std::max(v, render.low + least);
    } else {
      render.low = std::min(v, render.high - least);
    }
    render.limits = "manual";
  }
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    const double v = plot.x_value(ImGui::GetIO().MousePos.x);
    ImGui::SetTooltip("%s\ndrag the lines to set the limits", value_text(v, unit, high).c_str());
  }
  if (!name.empty()) ImGui::TextDisabled("number of pixels (log) against %s", name.c_str());
}

/// what: "Region 1", "background".
Catalogue histogram_table(const Histogram& h, const Unit& unit, const std::string& what, const std::string& path) {
  const double step = (h.high - h.low) / static_cast<double>(h.counts.size());
  std::vector<double> low, high;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    low.push_back(unit.factor * (h.low + step * static_cast<double>(i)));
    high.push_back(unit.factor * (i + 1 == h.counts.size() ? h.high : h.low + step * static_cast<double>(i + 1)));
  }
  Catalogue table;
  table.image = path;
  table.history = {fmt::format("histogram of {}: {} pixels in bins, {} below, {} above, {} blank", what, h.total(),
                               h.below, h.above, h.blank)};
  table.columns = {{{"Low", unit.name(), "stat.min", "Lower end of the bin"}, low},
                   {{"High", unit.name(), "stat.max", "Upper end of the bin"}, high},
                   {{"Pixels", "", "meta.number", "Pixels in the bin"}, h.counts}};
  return table;
}

reber::Panel histogram_plot(const Histogram& h, const Unit& unit, const std::string& what) {
  const auto [name, factor] = unit.readable(std::max(std::abs(h.low), std::abs(h.high)));
  const double step = factor * (h.high - h.low) / static_cast<double>(h.counts.size());
  constexpr double kNone = 0.5;  // foot of the axis, which is logarithmic
  PanelSeries steps;
  steps.line = true;
  steps.points = false;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double left = factor * h.low + step * static_cast<double>(i);
    const double count = std::max(kNone, static_cast<double>(h.counts[i]));
    steps.x.insert(steps.x.end(), {left, left + step});
    steps.y.insert(steps.y.end(), {count, count});
  }
  reber::Panel panel;
  panel.title = fmt::format("{}: {} pixels", what, h.total());
  panel.x_label = name;
  panel.y_label = "pixels";
  panel.log_y = true;
  panel.y_range = {kNone, 1.5 * static_cast<double>(*std::ranges::max_element(h.counts))};
  panel.series = {std::move(steps)};
  return panel;
}

class StatisticsPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  /// Of the chosen region; null while they are made, and where it has none: that is told.
  const LayerStatistics* region_part(Context& context, const Document& document);
  void draw_export(Context& context, const Document& document, const Histogram& h, const Unit& unit,
                   const Region* region);

  bool high_held_ = false;  ///< of the limits the high one is being dragged
  bool of_region_ = false;
  LayerStatistics region_;
  PlotExport export_;
};

}  // namespace

const LayerStatistics* StatisticsPanel::region_part(Context& context, const Document& document) {
  const RegionResults* const found = region_results(context);
  const auto at = static_cast<std::size_t>(document.inspect.selected);
  if (found == nullptr || found->regions.size() != document.inspect.regions.size() || !found->regions[at]) {
    ImGui::TextDisabled("Counting pixels ...");
    return nullptr;
  }
  const RegionStatistics& s = *found->regions[at];
  if (s.pixels.finite == 0) {
    ImGui::TextWrapped("%s", s.no_flux.c_str());
    return nullptr;
  }
  region_.summary = s.pixels;
  region_.std = s.std;
  region_.median = s.median;
  region_.sigma = s.sigma;
  region_.histogram = s.histogram;
  return &region_;
}

void StatisticsPanel::draw_export(Context& context, const Document& document, const Histogram& h, const Unit& unit,
                                  const Region* region) {
  if (h.total() == 0) return;
  std::string what = kLayerNames[static_cast<std::size_t>(document.shown)];
  if (region != nullptr) what = region->name.empty() ? std::string("region, ") + name_of(region->kind) : region->name;
  export_.draw(
      context, "histogram", document, "The histogram that is shown.",
      [&] { return histogram_table(h, unit, what, document.path); }, [&] { return histogram_plot(h, unit, what); });
  ImGui::SameLine();
  ImGui::TextDisabled("%s", fmt::format("{} in bars, {} beyond", h.total(), h.below + h.above).c_str());
}

void StatisticsPanel::draw(Context& context) {
  Document& document = *context.state.document();
  Layer& layer = document.layer();
  if (!layer.pixels || !document.header) {
    ImGui::TextDisabled("No pixels yet");
    return;
  }
  const Region* region = document.inspect.chosen_area();
  if (region != nullptr) {
    ImGui::Checkbox("Of the chosen region", &of_region_);
    context.widgets.item("statistics.of_region");
    if (!of_region_) region = nullptr;
  }
  const LayerStatistics* const s = region != nullptr ? region_part(context, document) : layer_statistics(context);
  if (s == nullptr) {
    if (region == nullptr) ImGui::TextDisabled("Counting pixels ...");
    return;
  }
  const Unit unit = shown_unit(document, document.shown);
  draw_table(context, *s, unit);
  draw_counting(context, *s);
  if (layer.render.categorical) return;
  draw_histogram(context, *s, layer.render, unit, high_held_);
  draw_export(context, document, s->histogram, unit, region);
}

std::unique_ptr<Panel> make_statistics_panel() { return std::make_unique<StatisticsPanel>(); }

}  // namespace reber::gui
