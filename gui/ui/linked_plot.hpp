// SPDX-License-Identifier: BSD-3-Clause
// A plot as an ImGui item: frame, ticks, pan and zoom, box selection; drawing of points, bars and lines into it.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "gui/model/tables/plot_axis.hpp"
#include "gui/ui/widgets.hpp"

namespace reber::gui {

/// What a plot keeps from frame to frame.
struct PlotView {
  PlotAxis x, y;
  bool fitted = false;          ///< the ranges are set; false: the next frame fits them to the data
  bool by_hand = false;         ///< the ranges were chosen by zooming and panning: other data leave them
  bool boxing = false;          ///< a selection box is being drawn
  double box_x = 0, box_y = 0;  ///< its first corner
};

/// In values of the axes, low <= high.
struct PlotBox {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// One frame of one plot. Left-drag draws a box, right- or middle-drag pans, the wheel zooms about the mouse (with
/// Shift x alone, with Ctrl y alone), a right double click fits again.
class LinkedPlot {
 public:
  /// Draws frame, grid, ticks and labels. name: for scripts and ImGui.
  LinkedPlot(const std::string& name, PlotView& view, ImVec2 size, Widgets& widgets);
  /// Draws the box and ends the cutting at the frame.
  ~LinkedPlot();
  LinkedPlot(const LinkedPlot&) = delete;
  LinkedPlot& operator=(const LinkedPlot&) = delete;

  [[nodiscard]] ImVec2 at(double x, double y) const;
  [[nodiscard]] bool shows(double x, double y) const;
  /// Filled squares, one a pixel cell however many points fall into it, so that 10^6 points stay drawable.
  void points(const std::vector<double>& x, const std::vector<double>& y, const std::vector<std::uint8_t>& rows,
              ImU32 colour, float size);
  void bars(const BarCounts& bars, ImU32 colour, float part = 1);
  /// A line through the points; NaN makes a gap.
  void line(const std::vector<double>& x, const std::vector<double>& y, ImU32 colour, float width = 1.5f);
  void marker(double x, double y, ImU32 colour, float radius);
  void error_bar(double x, double low, double high, ImU32 colour);
  void text(const std::string& text) const;  ///< into the upper right corner

  /// The box, in the frame in which the button was released.
  [[nodiscard]] std::optional<PlotBox> box() const { return box_; }
  /// Where the plot was clicked without a drag, in this frame.
  [[nodiscard]] std::optional<ImVec2> clicked() const { return clicked_; }
  [[nodiscard]] bool double_clicked() const { return double_clicked_; }
  [[nodiscard]] bool hovered() const { return hovered_; }
  [[nodiscard]] bool adding() const;  ///< Ctrl or Shift: the selection grows

 private:
  /// For scripts: "NAME.x.label" and "NAME.y.label", and each labelled tick as "NAME.x.tick.100".
  void draw_axes(const std::string& name, Widgets& widgets);
  void draw_y_label(const std::string& name, Widgets& widgets);
  void take_mouse();

  PlotView& view_;
  ImDrawList& list_;
  ImVec2 corner_, size_;  ///< of the frame
  bool hovered_ = false, double_clicked_ = false;
  std::optional<PlotBox> box_;
  std::optional<ImVec2> clicked_;
};

}  // namespace reber::gui
