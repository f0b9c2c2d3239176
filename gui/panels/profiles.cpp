// SPDX-License-Identifier: BSD-3-Clause
// Panel: cuts along x and y through the cursor, and along the line drawn in profile mode.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/image/profiles.hpp"
#include "gui/model/sky/compass.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/plot_area.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

/// How many values lie where: bars from the left edge of an area that has the profile's values upwards.
void draw_spread(ImDrawList& list, const PlotArea& plot, const ProfileSpread& spread) {
  const auto most = static_cast<float>(*std::ranges::max_element(spread.counts));
  const double step = (spread.high - spread.low) / static_cast<double>(spread.counts.size());
  list.PushClipRect(plot.from, plot.to, true);
  for (std::size_t i = 0; i < spread.counts.size(); ++i) {
    const double low = spread.low + step * static_cast<double>(i);
    const float length = 0.94f * (plot.to.x - plot.from.x) * static_cast<float>(spread.counts[i]) / most;
    const float foot = plot.y(low), top = std::min(plot.y(low + step), foot - 1);
    list.AddRectFilled({plot.from.x, top}, {plot.from.x + length, foot - (foot - top > 3 ? 1.0f : 0.0f)},
                       palette().accent);
  }
  for (const auto& [value, colour] : {std::pair(spread.mean, palette().warn), {spread.median, palette().text}})
    list.AddLine({plot.from.x, plot.y(value)}, {plot.to.x, plot.y(value)}, colour);
  list.PopClipRect();
  list.AddRect(plot.from, plot.to, palette().text_dim);
}

/// "512 values   mean 1.2 (orange)   median 1.1 (white)   sigma 0.3   -2 to 9 mJy/beam"
std::string told_spread(const ProfileSpread& spread, const Unit& unit) {
  const auto [name, factor] = unit.readable(std::max(std::abs(spread.low), std::abs(spread.high)));
  return fmt::format(
      "{} values\nmean {:.4g} (the orange line)\nmedian {:.4g} (the other line)\nsigma {:.4g}\n{:.4g} to {:.4g} {}",
      spread.values, factor * spread.mean, factor * spread.median, factor * spread.sigma, factor * spread.low,
      factor * spread.high, name);
}

/// One plot of the panel, of the given width; with_spread: the histogram of its values at its right.
void draw_profile(const char* title, const Profile& profile, double mark, const Unit& unit, float width, double offset,
                  bool with_spread = false) {
  const float em = ImGui::GetFontSize();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size{width, std::max(5 * em, ImGui::GetContentRegionAvail().y)};
  ImGui::InvisibleButton(title, size);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText({from.x + 4 * em, from.y}, palette().text_dim, title);
  if (profile.values.size() < 2) {
    list.AddText({from.x + 4 * em, from.y + 2 * em}, palette().text_dim, "one pixel");
    return;
  }
  const float spread_width = with_spread ? std::clamp(0.25f * width, 4 * em, 9 * em) : 0;
  const auto columns = decimate(profile, std::max(2, static_cast<int>(width - spread_width - 5 * em)));
  float low = std::nanf(""), high = low;
  for (const ProfileColumn& c : columns) {
    if (!(low <= c.low) && std::isfinite(c.low)) low = c.low;
    if (!(high >= c.high) && std::isfinite(c.high)) high = c.high;
  }
  if (!std::isfinite(low)) {
    list.AddText({from.x + 4 * em, from.y + 2 * em}, palette().text_dim, "no finite pixel here");
    return;
  }
  // A constant lies in the middle.
  const double range = static_cast<double>(high) - low;
  const double room = range > 0 ? 0.06 * range : std::max(0.5 * std::abs(static_cast<double>(high)), 1e-30);
  const double last = profile.first + profile.step * static_cast<double>(profile.values.size() - 1);
  const PlotArea plot{{from.x + 4 * em, from.y + 1.2f * em},
                      {from.x + size.x - em - spread_width, from.y + size.y - 1.4f * em},
                      profile.first + offset,
                      last + offset,
                      low - room,
                      high + room};
  list.PushClipRect(plot.from, plot.to, true);
  if (plot.y0 < 0 && plot.y1 > 0) {
    list.AddLine({plot.from.x, plot.y(0)}, {plot.to.x, plot.y(0)}, palette().accent_soft);
  }
  if (std::isfinite(mark)) {
    list.AddLine({plot.x(mark + offset), plot.from.y}, {plot.x(mark + offset), plot.to.y}, palette().warn);
  }
  const auto n = profile.values.size();
  const bool dense = n > static_cast<std::size_t>(plot.to.x - plot.from.x);
  for (std::size_t i = 0; dense && i < columns.size(); ++i) {
    if (!std::isfinite(columns[i].low)) continue;
    const float x =
        plot.from.x + (plot.to.x - plot.from.x) * (static_cast<float>(i) + 0.5f) / static_cast<float>(columns.size());
    // Up or down to where the column before ends: a steep flank has no gaps.
    const ProfileColumn& before = columns[i == 0 || !std::isfinite(columns[i - 1].low) ? i : i - 1];
    const float foot = std::min(columns[i].low, before.high), top = std::max(columns[i].high, before.low);
    list.AddLine({x, plot.y(foot) + 0.5f}, {x, plot.y(top) - 0.5f}, palette().text);
  }
  // Few pixels: steps, each as wide as its pixel.
  for (std::size_t i = 0; !dense && i < n; ++i) {
    const double at = profile.first + offset + profile.step * static_cast<double>(i);
    if (!std::isfinite(profile.values[i])) continue;
    const float y = plot.y(profile.values[i]);
    list.AddLine({plot.x(at - 0.5 * profile.step), y}, {plot.x(at + 0.5 * profile.step), y}, palette().text);
    if (i + 1 < n && std::isfinite(profile.values[i + 1])) {
      const float x = plot.x(at + 0.5 * profile.step);
      list.AddLine({x, y}, {x, plot.y(profile.values[i + 1])}, palette().text);
    }
  }
  list.PopClipRect();
  const auto [name, factor] = unit.readable(std::max(std::abs(low), std::abs(high)));
  draw_plot_axes(list, plot, true, 1, factor);
  // Beside the title where there is room, else within.
  const float wide = ImGui::CalcTextSize(name.c_str()).x;
  const bool beside = from.x + 5 * em + ImGui::CalcTextSize(title).x + wide < plot.to.x;
  list.AddText({plot.to.x - wide - (beside ? 0 : 0.3f * em), beside ? from.y : plot.from.y + 0.2f * em},
               palette().text_dim, name.c_str());
  if (with_spread) {
    PlotArea bars = plot;
    bars.from.x = plot.to.x + 0.4f * em;
    bars.to.x = from.x + size.x - em;
    // As many bars as the values fill, and none thinner than can be seen.
    const double most = std::max(4.0, (plot.to.y - plot.from.y) / 5.0);
    const double steps = std::clamp(2 * std::sqrt(static_cast<double>(n)), 4.0, most);
    const ProfileSpread spread = spread_of(profile, static_cast<int>(steps));
    draw_spread(list, bars, spread);
    if (hovered && ImGui::GetIO().MousePos.x > plot.to.x) {
      ImGui::SetTooltip("%s", told_spread(spread, unit).c_str());
      return;
    }
  }
  if (!hovered) return;
  const double at = plot.x_value(ImGui::GetIO().MousePos.x) - offset;
  const auto i = static_cast<std::int64_t>(std::lround((at - profile.first) / profile.step));
  if (i < 0 || i >= static_cast<std::int64_t>(n)) return;
  const float value = profile.values[static_cast<std::size_t>(i)];
  ImGui::SetTooltip("%.2f: %s", profile.first + offset + profile.step * static_cast<double>(i),
                    std::isfinite(value) ? value_text(value, unit).c_str() : "blank");
}

/// A strip that is too narrow for three plots shows two while no line is drawn; the panel's help tells of the line.
bool line_has_room(const Document& document) {
  return document.inspect.line || ImGui::GetContentRegionAvail().x > 45 * ImGui::GetFontSize();
}

void draw_line_profile(Context& context, const Pyramid& pixels, const Unit& unit, float width) {
  const Document& document = *context.state.document();
  const auto& line = document.inspect.line;
  if (!line) {
    ImGui::TextWrapped(
        "Press Shift+P and drag a line on the image: the values along it are shown here, with their histogram.");
    return;
  }
  const Wcs& wcs = document.header->wcs;
  const auto a = wcs.to_sky(line->first.x, line->first.y), b = wcs.to_sky(line->second.x, line->second.y);
  const double length = std::hypot(line->second.x - line->first.x, line->second.y - line->first.y);
  const std::string title =
      fmt::format("line: {:.1f} pixels{}", length, a && b ? ", " + angle_text(separation_deg(*a, *b)) : "");
  draw_profile(title.c_str(), line_profile(pixels, line->first, line->second), std::nan(""), unit, width, 0, true);
}

class ProfilesPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void ProfilesPanel::draw(Context& context) {
  const Document& document = *context.state.document();
  const auto pixels = document.layer().pixels;
  if (!pixels || !document.header) return;
  const auto place = read_place(context.state);
  const Unit unit = shown_unit(document, document.shown);
  const ScreenRect* const area = context.widgets.find("canvas");
  Rect seen{0, 0, pixels->shape().ny, pixels->shape().nx};
  if (area != nullptr) {
    const Rect visible = CanvasTransform(document.view, *area).visible(pixels->shape());
    if (visible.nx > 1 && visible.ny > 1) seen = visible;
  }
  const int plots = line_has_room(document) ? 3 : 2;
  const float gap = ImGui::GetStyle().ItemSpacing.x,
              width =
                  (ImGui::GetContentRegionAvail().x - static_cast<float>(plots - 1) * gap) / static_cast<float>(plots);
  const double offset = context.state.inspect.style.one_based ? 1 : 0;
  const PixelPosition at = place.value_or(PixelPosition{std::nan(""), std::nan("")});
  if (place) {
    const auto x = static_cast<std::int64_t>(std::lround(at.x)), y = static_cast<std::int64_t>(std::lround(at.y));
    draw_profile("along x", row_profile(*pixels, y, seen.x0, seen.x0 + seen.nx - 1), at.x, unit, width, offset);
    context.widgets.item("profiles.x");
    ImGui::SameLine();
    draw_profile("along y", column_profile(*pixels, x, seen.y0, seen.y0 + seen.ny - 1), at.y, unit, width, offset);
    context.widgets.item("profiles.y");
    ImGui::SameLine();
  } else {
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 2 * width);
    ImGui::TextDisabled("Move over the image, or click to set the crosshair: the row and column through it.");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({2 * width, 1});
    ImGui::EndGroup();
    ImGui::SameLine();
  }
  if (plots < 3) return;
  ImGui::BeginGroup();
  draw_line_profile(context, *pixels, unit, width);
  ImGui::EndGroup();
  context.widgets.item("profiles.line");
}

std::unique_ptr<Panel> make_profiles_panel() { return std::make_unique<ProfilesPanel>(); }

}  // namespace reber::gui
