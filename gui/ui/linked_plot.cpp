// SPDX-License-Identifier: BSD-3-Clause
// Plots on ImGui's draw list.
#include "gui/ui/linked_plot.hpp"

#include <algorithm>
#include <cmath>

#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr float kTick = 4;

/// About `wanted` ticks, and more where fewer than two of those have labels: one says nothing of the scale.
std::vector<AxisTick> telling_ticks(const PlotAxis& axis, int wanted) {
  constexpr int kMost = 10;
  const auto labels = [](const std::vector<AxisTick>& ticks) {
    return std::ranges::count_if(ticks, [](const AxisTick& tick) { return !tick.label.empty(); });
  };
  std::vector<AxisTick> ticks = axis.ticks(wanted);
  while (labels(ticks) < 2 && wanted < kMost) ticks = axis.ticks(++wanted);
  return ticks;
}

/// Room for the labels of the y axis.
float label_width(const PlotAxis& axis, int wanted) {
  float width = 0;
  for (const AxisTick& tick : telling_ticks(axis, wanted))
    width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
  return width;
}

ImU32 faint(float part) {
  ImVec4 colour = ImGui::GetStyle().Colors[ImGuiCol_Text];
  colour.w *= part;
  return ImGui::ColorConvertFloat4ToU32(colour);
}

float clamped(double v) { return static_cast<float>(std::clamp(v, -1e5, 1e5)); }

}  // namespace

LinkedPlot::LinkedPlot(const std::string& name, PlotView& view, ImVec2 size, Widgets& widgets)
    : view_(view), list_(*ImGui::GetWindowDrawList()) {
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const int wanted_y = std::max(2, static_cast<int>(size.y / (2.6f * line)));
  const float left = label_width(view.y, wanted_y) + kTick + line + 10;
  const float below = line * 2 + kTick + 7;
  corner_ = {start.x + left, start.y + 0.5f * line};
  size_ = {std::max(40.0f, size.x - left - 0.8f * line), std::max(30.0f, size.y - below - 0.5f * line)};
  ImGui::BeginGroup();  // what stands beside it begins as high as it does
  ImGui::Dummy(size);
  ImGui::SetCursorScreenPos(corner_);
  ImGui::InvisibleButton(
      name.c_str(), size_,
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  widgets.item(name);
  hovered_ = ImGui::IsItemHovered();
  take_mouse();
  ImGui::SetCursorScreenPos(start);
  draw_axes(name, widgets);
  ImGui::EndGroup();
  list_.PushClipRect(corner_, {corner_.x + size_.x, corner_.y + size_.y}, true);
}

LinkedPlot::~LinkedPlot() {
  if (view_.boxing) {
    const ImVec2 first = at(view_.box_x, view_.box_y), now = ImGui::GetMousePos();
    list_.AddRectFilled({std::min(first.x, now.x), std::min(first.y, now.y)},
                        {std::max(first.x, now.x), std::max(first.y, now.y)}, palette().accent_soft);
    list_.AddRect({std::min(first.x, now.x), std::min(first.y, now.y)},
                  {std::max(first.x, now.x), std::max(first.y, now.y)}, palette().accent);
  }
  list_.PopClipRect();
}

void LinkedPlot::take_mouse() {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  const double px = (mouse.x - corner_.x) / size_.x, py = 1 - (mouse.y - corner_.y) / size_.y;
  if (hovered_ && io.MouseWheel != 0) {
    const double factor = std::pow(1.2, io.MouseWheel);
    if (!io.KeyCtrl) view_.x.zoom(factor, px);
    if (!io.KeyShift) view_.y.zoom(factor, py);
    view_.by_hand = true;
  }
  const bool panning = ImGui::IsItemActive() && (ImGui::IsMouseDragging(ImGuiMouseButton_Right, 0) ||
                                                 ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0));
  if (panning) {
    view_.x.pan(-io.MouseDelta.x / size_.x);
    view_.y.pan(io.MouseDelta.y / size_.y);
    view_.by_hand = view_.by_hand || io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  }
  if (hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Right)) view_.fitted = view_.by_hand = false;
  double_clicked_ = hovered_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) && !view_.boxing) {
    const ImVec2 from = io.MouseClickedPos[ImGuiMouseButton_Left];
    view_.boxing = true;
    view_.box_x = view_.x.value_at((from.x - corner_.x) / size_.x);
    view_.box_y = view_.y.value_at(1 - (from.y - corner_.y) / size_.y);
  }
  if (!ImGui::IsMouseReleased(ImGuiMouseButton_Left)) return;
  if (view_.boxing) {
    const double x = view_.x.value_at(px), y = view_.y.value_at(py);
    box_ = {std::min(x, view_.box_x), std::min(y, view_.box_y), std::max(x, view_.box_x), std::max(y, view_.box_y)};
    view_.boxing = false;
  } else if (hovered_) {
    clicked_ = mouse;
  }
}

void LinkedPlot::draw_axes(const std::string& name, Widgets& widgets) {
  const auto area = [&](const std::string& part, float x, float y, ImVec2 size) {
    widgets.area(name + part, {x, y, size.x, size.y});
  };
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 start = ImGui::GetCursorScreenPos(), end{corner_.x + size_.x, corner_.y + size_.y};
  list_.AddRectFilled(corner_, end, faint(0.03f));
  const int wanted_x = std::max(2, static_cast<int>(size_.x / (3.5f * line)));
  const int wanted_y = std::max(2, static_cast<int>(size_.y / (2.6f * line)));
  float free_from = corner_.x - 1e4f;
  for (const AxisTick& tick : telling_ticks(view_.x, wanted_x)) {
    const float x = std::round(corner_.x + clamped(view_.x.place(tick.value) * size_.x));
    const bool labelled = !tick.label.empty();
    list_.AddLine({x, corner_.y}, {x, end.y}, faint(labelled ? 0.13f : 0.05f));
    if (!labelled) continue;
    list_.AddLine({x, end.y}, {x, end.y + kTick}, faint(0.6f));
    const float half = 0.5f * ImGui::CalcTextSize(tick.label.c_str()).x;
    if (x - half < free_from) continue;
    list_.AddText({x - half, end.y + kTick + 1}, faint(0.8f), tick.label.c_str());
    area(".x.tick." + tick.label, x - half, end.y + kTick + 1, {2 * half, line});
    free_from = x + half + 8;
  }
  float free_below = end.y + 1e4f;
  for (const AxisTick& tick : telling_ticks(view_.y, wanted_y)) {
    const float y = std::round(end.y - clamped(view_.y.place(tick.value) * size_.y));
    const bool labelled = !tick.label.empty();
    list_.AddLine({corner_.x, y}, {end.x, y}, faint(labelled ? 0.13f : 0.05f));
    if (!labelled) continue;
    list_.AddLine({corner_.x - kTick, y}, {corner_.x, y}, faint(0.6f));
    if (y + 0.5f * line > free_below) continue;
    free_below = y - 0.5f * line;
    const float width = ImGui::CalcTextSize(tick.label.c_str()).x;
    list_.AddText({corner_.x - kTick - 3 - width, y - 0.5f * line}, faint(0.8f), tick.label.c_str());
    area(".y.tick." + tick.label, corner_.x - kTick - 3 - width, y - 0.5f * line, {width, line});
  }
  list_.AddRect(corner_, end, faint(0.35f));
  // Below the frame; a narrow plot's may reach to the left of it, as far as the plot has room.
  const std::string text = elided(view_.x.label, end.x - start.x + 0.5f * line);
  const ImVec2 label = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at{std::max(start.x, std::min(corner_.x + 0.5f * (size_.x - label.x), end.x + 0.5f * line - label.x)),
                  end.y + kTick + line + 2};
  list_.AddText(at, faint(1), text.c_str());
  area(".x.label", at.x, at.y, label);
  draw_y_label(name, widgets);
}

void LinkedPlot::draw_y_label(const std::string& name, Widgets& widgets) {
  const ImVec2 size = ImGui::CalcTextSize(view_.y.label.c_str());
  const ImVec2 seen = list_.GetClipRectMin();
  if (size.x > std::min(list_.GetClipRectMax().x - seen.x, size_.y)) {  // a low plot has no room for it upright
    list_.AddText({corner_.x + 6, corner_.y + 4}, faint(0.8f), elided(view_.y.label, size_.x - 12).c_str());
    widgets.area(name + ".y.label", {corner_.x + 6, corner_.y + 4, std::min(size.x, size_.x - 12), size.y});
    return;
  }
  // ImGui draws no upright text: its quads are turned after they were made. They are made where the window shows them,
  // for text out of sight makes none.
  const int first = list_.VtxBuffer.Size;
  const ImVec2 made{seen.x, corner_.y};
  list_.AddText(made, faint(1), view_.y.label.c_str());
  const float left = ImGui::GetCursorScreenPos().x, middle = corner_.y + 0.5f * size_.y;
  for (int i = first; i < list_.VtxBuffer.Size; ++i) {
    const ImVec2 p = list_.VtxBuffer[i].pos;
    list_.VtxBuffer[i].pos = {left + p.y - made.y, middle + 0.5f * size.x - (p.x - made.x)};
  }
  widgets.area(name + ".y.label", {left, middle - 0.5f * size.x, size.y, size.x});
}

ImVec2 LinkedPlot::at(double x, double y) const {
  return {corner_.x + clamped(view_.x.place(x) * size_.x), corner_.y + size_.y - clamped(view_.y.place(y) * size_.y)};
}

bool LinkedPlot::shows(double x, double y) const {
  const double px = view_.x.place(x), py = view_.y.place(y);
  return px >= 0 && px <= 1 && py >= 0 && py <= 1;
}

void LinkedPlot::points(const std::vector<double>& x, const std::vector<double>& y,
                        const std::vector<std::uint8_t>& rows, ImU32 colour, float size) {
  const auto cells_x = static_cast<std::size_t>(size_.x) + 1, cells_y = static_cast<std::size_t>(size_.y) + 1;
  std::vector<bool> taken(cells_x * cells_y, false);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!rows.empty() && rows[i] == 0) continue;
    if (!shows(x[i], y[i])) continue;
    const ImVec2 p = at(x[i], y[i]);
    const auto cell = static_cast<std::size_t>(p.y - corner_.y) * cells_x + static_cast<std::size_t>(p.x - corner_.x);
    if (cell >= taken.size() || taken[cell]) continue;
    taken[cell] = true;
    list_.AddRectFilled({p.x - 0.5f * size, p.y - 0.5f * size}, {p.x + 0.5f * size, p.y + 0.5f * size}, colour);
  }
}

void LinkedPlot::bars(const BarCounts& bars, ImU32 colour, float part) {
  const float floor = corner_.y + size_.y;
  for (std::size_t i = 0; i < bars.counts.size(); ++i) {
    if (!(bars.counts[i] > 0)) continue;
    const double low = view_.x.place(bars.edges[i]), high = view_.x.place(bars.edges[i + 1]);
    if (!(low < 1 && high > 0)) continue;
    const double height = view_.y.place(bars.counts[i]);
    if (!(height > 0)) continue;
    const float left = corner_.x + clamped(low * size_.x), right = corner_.x + clamped(high * size_.x);
    const float gap = right - left > 4 ? 1.0f : 0.0f;
    list_.AddRectFilled({left, floor - clamped(height * size_.y)}, {left + part * (right - left) - gap, floor}, colour);
  }
}

void LinkedPlot::line(const std::vector<double>& x, const std::vector<double>& y, ImU32 colour, float width) {
  for (std::size_t i = 1; i < std::min(x.size(), y.size()); ++i) {
    if (!std::isfinite(view_.x.place(x[i - 1]) + view_.y.place(y[i - 1]) + view_.x.place(x[i]) + view_.y.place(y[i])))
      continue;
    list_.AddLine(at(x[i - 1], y[i - 1]), at(x[i], y[i]), colour, width);
  }
}

void LinkedPlot::marker(double x, double y, ImU32 colour, float radius) {
  if (shows(x, y)) list_.AddCircle(at(x, y), radius, colour, 0, 1.8f);
}

void LinkedPlot::error_bar(double x, double low, double high, ImU32 colour) {
  if (!std::isfinite(x) || !std::isfinite(low) || !std::isfinite(high)) return;
  const ImVec2 a = at(x, low), b = at(x, high);
  list_.AddLine(a, b, colour, 1.2f);
  list_.AddLine({a.x - 3, a.y}, {a.x + 3, a.y}, colour, 1.2f);
  list_.AddLine({b.x - 3, b.y}, {b.x + 3, b.y}, colour, 1.2f);
}

void LinkedPlot::text(const std::string& text) const {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  list_.AddText({corner_.x + size_.x - size.x - 6, corner_.y + 4}, faint(0.8f), text.c_str());
}

bool LinkedPlot::adding() const { return ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyShift; }

}  // namespace reber::gui
