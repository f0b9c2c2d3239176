// SPDX-License-Identifier: BSD-3-Clause
// Panel: regions, what is in them, and their files.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_parsers.hpp"
#include "core/sky/regions/region_writers.hpp"
#include "gui/model/region_copies.hpp"
#include "gui/model/regions/region_statistics.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/path_field.hpp"
#include "gui/ui/readout_of.hpp"

namespace reber::gui {
namespace {

/// The next item stands behind the last one where `width` is left there, else below it.
void go_on(float width, float gap = -1) {
  ImGui::SameLine(0, gap);
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

float button_width(const char* text) { return ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x; }

void draw_tools(Context& context) {
  ViewerState& state = context.state;
  for (const Region::Kind kind :
       {Region::Kind::ellipse, Region::Kind::box, Region::Kind::polygon, Region::Kind::line, Region::Kind::point}) {
    if (kind != Region::Kind::ellipse) go_on(button_width(name_of(kind)));
    const bool on = state.mode == Mode::region && state.inspect.tool == kind;
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_TabActive]);
    if (ImGui::Button(name_of(kind))) {
      state.inspect.tool = kind;
      state.mode = on ? Mode::browse : Mode::region;
      state.overlay_on["regions"] = true;
    }
    if (on) ImGui::PopStyleColor();
    tip(kind == Region::Kind::polygon ? "Click the corners, double-click the last one. Esc leaves."
                                      : "Drag on the image. Esc leaves.");
    context.widgets.item(std::string("regions.tool.") + name_of(kind));
  }
}

std::string cell(double v, const char* format) {
  return std::isfinite(v) ? fmt::format(fmt::runtime(format), v) : "--";
}

/// Units of a table's columns, each for all rows: told in the heads, and numbers compare.
struct ColumnUnits {
  std::string value, flux;
  double per_value = 1, per_jy = 1;
};

ColumnUnits units_for(const RegionResults* found, const Unit& unit) {
  double value = 0, jy = 0;
  const auto most = [](double& so_far, double v) {
    if (std::isfinite(v)) so_far = std::max(so_far, std::abs(v));
  };
  for (std::size_t i = 0; found != nullptr && i < found->regions.size(); ++i) {
    const auto& s = found->regions[i];
    if (!s) continue;
    most(value, s->pixels.max);
    most(value, s->pixels.min);
    if (s->flux_jy) most(jy, *s->flux_jy);
  }
  ColumnUnits units;
  std::tie(units.value, units.per_value) = unit.readable(value);
  units.flux = (jy >= 1 || jy == 0 ? "" : jy >= 1e-3 ? "m" : "\xC2\xB5") + unit.total_name();
  units.per_jy = jy >= 1 || jy == 0 ? 1 : jy >= 1e-3 ? 1e3 : 1e6;
  return units;
}

void draw_row(Context& context, Document& document, std::size_t i, const RegionStatistics* s,
              const ColumnUnits& units) {
  Region& region = document.inspect.regions[i];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(i));
  std::string name = region.name.empty() ? name_of(region.kind) : region.name;
  if (region.excluded) name = "- " + name;
  if (ImGui::Selectable(name.c_str(), document.inspect.selected == static_cast<int>(i),
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    document.inspect.selected = static_cast<int>(i);
    if (ImGui::IsMouseDoubleClicked(0)) document.view.centre = centre_of(region);
  }
  context.widgets.item(fmt::format("regions.row.{}", i));
  ImGui::PopID();
  const PixelPosition c = centre_of(region);
  const Readout r = readout_of(context.state, document, c);
  const auto text = [](const std::string& t) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(t.c_str());
  };
  text(r.position().empty() ? r.pixel : r.position());
  if (s == nullptr) {
    text(region.has_area() ? "..." : "");
    return;
  }
  const auto value = [&](double v) { return cell(v * units.per_value, "{:.6g}"); };
  const auto flux = [&](double jy) { return cell(jy * units.per_jy, "{:.4g}"); };
  text(s->flux_jy ? flux(*s->flux_jy) : s->no_flux);
  text(s->flux_error_jy ? flux(*s->flux_error_jy) : "--");
  text(s->flux_above_jy ? flux(*s->flux_above_jy) : "--");
  text(fmt::format("{}{}", s->pixels.finite, s->pixels.blank > 0 ? fmt::format(" +{} blank", s->pixels.blank) : ""));
  text(s->beams ? cell(*s->beams, "{:.2f}") : "--");
  text(value(s->pixels.mean()));
  text(value(s->median));
  text(value(s->std));
  text(value(s->sigma));
  text(value(s->pixels.min));
  text(value(s->pixels.max));
}

void draw_table(Context& context, Document& document) {
  constexpr const char* kHeads[] = {"Name", "Centre", "Flux", "Error", "Flux - ring", "Pixels", "Beams",
                                    "Mean", "Median", "Std",  "Sigma", "Min",         "Max"};
  static const std::string kNone;
  const RegionResults* const found = region_results(context);
  const ColumnUnits units = units_for(found, shown_unit(document, document.shown));
  if (!ImGui::BeginTable("##regions", 13,
                         ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                             ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupScrollFreeze(1, 1);
  // Widths do not grow with what comes into the cells later.
  const float unit_width = ImGui::GetFontSize();
  for (std::size_t i = 0; i < std::size(kHeads); ++i) {
    const float least = i == 0 ? 6 : i == 1 ? 15 : i >= 7 ? 9.5f : 6.5f;
    const std::string& unit = i >= 2 && i <= 4 ? units.flux : i >= 7 ? units.value : kNone;
    const std::string head = unit.empty() ? kHeads[i] : fmt::format("{} ({})###{}", kHeads[i], unit, kHeads[i]);
    ImGui::TableSetupColumn(
        head.c_str(), ImGuiTableColumnFlags_WidthFixed,
        std::max(least * unit_width, ImGui::CalcTextSize(head.c_str(), nullptr, true).x + unit_width));
  }
  ImGui::TableHeadersRow();
  for (std::size_t i = 0; i < document.inspect.regions.size(); ++i) {
    const bool there = found != nullptr && i < found->regions.size() && found->regions[i];
    draw_row(context, document, i, there ? &*found->regions[i] : nullptr, units);
  }
  ImGui::EndTable();
}

/// One number of the chosen region. True where it was changed.
bool field(Context& context, const char* text, const char* name, double& value) {
  const float width = 5.5f * ImGui::GetFontSize();
  go_on(ImGui::CalcTextSize(text).x + ImGui::GetStyle().ItemSpacing.x + width);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(name);
  ImGui::InputDouble("##number", &value, 0, 0, "%.6g");
  const bool changed = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::PopID();
  context.widgets.item(name);
  return changed;
}

/// Place, size and angle of the chosen region, in pixels and degrees.
void draw_numbers(Context& context, Document& document) {
  DocumentInspect& d = document.inspect;
  Region region = d.regions[static_cast<std::size_t>(d.selected)];
  const PixelPosition before = centre_of(region);
  const double base = context.state.inspect.style.one_based ? 1 : 0;
  PixelPosition at{before.x + base, before.y + base};
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", region.name.empty() ? name_of(region.kind) : region.name.c_str());
  bool changed = field(context, "x", "regions.x", at.x);
  changed = field(context, "y", "regions.y", at.y) || changed;
  if (region.kind == Region::Kind::ellipse || region.kind == Region::Kind::box) {
    double width = 2 * region.half_x, height = 2 * region.half_y;
    changed = field(context, "width", "regions.width", width) || changed;
    changed = field(context, "height", "regions.height", height) || changed;
    changed = field(context, "angle", "regions.angle", region.angle_deg) || changed;
    if (width > 0 && height > 0) {
      region.half_x = 0.5 * width;
      region.half_y = 0.5 * height;
    }
  }
  if (region.has_area()) {
    go_on(button_width("Excluded") + ImGui::GetFrameHeight());
    changed = ImGui::Checkbox("Excluded", &region.excluded) || changed;
    context.widgets.item("regions.excluded");
    tip("The finder finds no source here. The background is measured on all of the image.");
  }
  if (const auto measure = line_measure(region, document.header->wcs)) {
    const std::string text = to_text(*measure);
    go_on(ImGui::CalcTextSize(text.c_str()).x);
    ImGui::TextUnformatted(text.c_str());
    context.widgets.item("regions.measure");
    tip("Its length on the sky, and its position angle at the first point, north through east.");
  }
  if (!changed || !std::isfinite(at.x + at.y + region.angle_deg)) return;
  d.regions[static_cast<std::size_t>(d.selected)] = moved(region, at.x - base - before.x, at.y - base - before.y);
  ++d.version;
}

void save_regions(Context& context, const Document& document, const std::string& file_name, bool in_pixels) {
  const RegionFormat format = region_format(file_name, "");
  const std::string text = regions_text(document.inspect.regions, document.header->wcs, format,
                                        context.state.inspect.style.system, !in_pixels);
  AtomicFile file(file_name, true);
  file.write(text);
  file.commit(static_cast<std::int64_t>(text.size()));
  context.state.say(fmt::format(
      "{} written to {}", counted(static_cast<std::int64_t>(document.inspect.regions.size()), "region"), file_name));
}

class RegionsPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  void draw_files(Context& context, Document& document);

  std::string file_name_;
  PathField field_;
  bool in_pixels_ = false;
};

}  // namespace

void RegionsPanel::draw_files(Context& context, Document& document) {
  ImGui::BeginGroup();
  field_.draw(context, "regions.file", "regions.reg (DS9) or .crtf (CASA)", file_name_,
              std::max(0.0f, ImGui::GetContentRegionAvail().x - 20 * ImGui::GetFontSize()));
  ImGui::EndGroup();
  go_on(button_width("Read"));
  const auto attempt = [&](auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      context.state.say(error.what(), true);
    }
  };
  if (ImGui::Button("Read") && !file_name_.empty()) attempt([&] { read_regions(context.state, document, file_name_); });
  context.widgets.item("regions.read");
  go_on(button_width("Write"));
  if (ImGui::Button("Write") && !file_name_.empty())
    attempt([&] { save_regions(context, document, file_name_, in_pixels_); });
  context.widgets.item("regions.write");
  go_on(button_width("in pixels") + ImGui::GetFrameHeight());
  ImGui::Checkbox("in pixels", &in_pixels_);
  context.widgets.item("regions.in_pixels");
}

void RegionsPanel::draw(Context& context) {
  Document& document = *context.state.document();
  if (!document.header) return;
  DocumentInspect& d = document.inspect;
  draw_tools(context);
  go_on(32 * ImGui::GetFontSize(), 2 * ImGui::GetFontSize());
  draw_files(context, document);
  const bool chosen = d.selected >= 0 && d.selected < static_cast<int>(d.regions.size());
  go_on(button_width("Delete"), 2 * ImGui::GetFontSize());
  ImGui::BeginDisabled(!chosen);
  if (ImGui::Button("Delete")) document.inspect.delete_selected();
  context.widgets.item("regions.delete");
  ImGui::EndDisabled();
  if (d.regions.empty()) {
    ImGui::TextDisabled("No regions: choose a shape and drag on the image, or read a file.");
    return;
  }
  if (chosen) draw_numbers(context, document);
  draw_table(context, document);
}

std::unique_ptr<Panel> make_regions_panel() { return std::make_unique<RegionsPanel>(); }

}  // namespace reber::gui
