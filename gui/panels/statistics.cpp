// SPDX-License-Identifier: BSD-3-Clause
// Panel: statistics of the layer that is shown, and its histogram with limits to drag.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/image/readout.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/plot_area.hpp"

namespace reber::gui {
namespace {

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

void draw_table(const LayerStatistics& s, const Unit& unit, const CoordinateStyle& style) {
  if (!ImGui::BeginTable("##statistics", 2, ImGuiTableFlags_SizingStretchProp)) return;
  const double size = std::max(std::abs(s.sigma), std::abs(s.median));
  // The noise and what lies near it in one unit; an extreme a hundred times as large in its own.
  const auto value = [&](double v) {
    if (!std::isfinite(v)) return std::string("--");
    return value_text(v, unit, std::abs(v) >= 100 * size ? v : size, s.sigma);
  };
  const int base = style.one_based ? 1 : 0;
  const auto with_place = [&](double v, std::int64_t x, std::int64_t y) {
    return s.reduced || x < 0 ? value(v) : fmt::format("{}  at {}, {}", value(v), x + base, y + base);
  };
  row("Pixels", fmt::format("{} finite, {} blank{}", s.summary.finite, s.summary.blank,
                            s.summary.infinite > 0 ? fmt::format(", {} infinite", s.summary.infinite) : ""));
  row("Minimum", with_place(s.summary.min, s.summary.min_x, s.summary.min_y));
  row("Maximum", with_place(s.summary.max, s.summary.max_x, s.summary.max_y));
  row("Mean", value(s.summary.mean()));
  row("Median", value(s.median));
  row("Standard dev.", value(s.std));
  row("Robust sigma", value(s.sigma));
  row("rms about 0", value(s.summary.rms()));
  ImGui::EndTable();
  if (s.reduced) ImGui::TextDisabled("of the image reduced to fit in memory");
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

class StatisticsPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  bool high_held_ = false;  ///< of the limits the high one is being dragged
};

}  // namespace

void StatisticsPanel::draw(Context& context) {
  Document& document = *context.state.document();
  Layer& layer = document.layer();
  if (!layer.pixels || !document.header) {
    ImGui::TextDisabled("No pixels yet");
    return;
  }
  const LayerStatistics* const s = layer_statistics(context);
  if (s == nullptr) {
    ImGui::TextDisabled("Counting pixels ...");
    return;
  }
  const Unit unit = shown_unit(document, document.shown);
  draw_table(*s, unit, context.state.inspect.style);
  if (!layer.render.categorical) draw_histogram(context, *s, layer.render, unit, high_held_);
}

std::unique_ptr<Panel> make_statistics_panel() { return std::make_unique<StatisticsPanel>(); }

}  // namespace reber::gui
