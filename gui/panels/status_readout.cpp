// SPDX-License-Identifier: BSD-3-Clause
// What stands under the cursor, at the left of the status bar, and the frame in which it is told.
#include "gui/panels/status_readout.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "core/live/display_tiles.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/readout_of.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

std::optional<PixelPosition> read_place(const ViewerState& state) {
  const Cursor& cursor = state.cursor;
  if (cursor.on_image) return cursor.at;
  return cursor.crosshair;
}

Readout readout_of(const ViewerState& state, const Document& document, PixelPosition at) {
  const Layer& layer = document.layer();
  const auto x = static_cast<std::int64_t>(std::lround(at.x)), y = static_cast<std::int64_t>(std::lround(at.y));
  const Shape shape = document.header->shape;
  const bool inside = x >= 0 && y >= 0 && x < shape.nx && y < shape.ny;
  const bool of_values = document.shown != LayerKind::snr && document.shown != LayerKind::islands;
  std::optional<LocalNoise> noise;
  const Layer &middle = document.layer(LayerKind::background), &rms = document.layer(LayerKind::rms);
  const bool of_signal = document.shown == LayerKind::input || document.shown == LayerKind::convolved;
  if (of_signal && inside && rms.pixels && middle.pixels && !document.result_stale()) {
    noise = LocalNoise{middle.pixels->value(y, x), rms.pixels->value(y, x), true};
  } else if (of_signal && inside && layer.pixels) {
    noise = noise_around(*layer.pixels, at);
  }
  const float value = layer.pixels ? layer.pixels->value(y, x) : std::nanf("");
  Readout readout = make_readout(*document.header, at, inside, value, noise, state.inspect.style, of_values);
  const bool awaited = inside && layer.pixels && layer.pixels->tiles() && !layer.pixels->tiles()->knows(y, x);
  if (awaited) readout.value = "...";
  return readout;
}

namespace {

/// What a difference or a ratio shows at a place; empty where none is shown.
std::string combined_text(Context& context, const Document& document, PixelPosition at) {
  const Compare& compare = context.state.compare;
  const bool difference = compare.kind == Compare::Kind::difference;
  if (!difference && compare.kind != Compare::Kind::ratio) return "";
  const Document* other = compare.other_document < 0 ? &document : context.state.find(compare.other_document);
  const Pyramid* there = other == nullptr ? nullptr : pixels_on_grid(context, document, *other);
  const auto x = static_cast<std::int64_t>(std::lround(at.x)), y = static_cast<std::int64_t>(std::lround(at.y));
  const Shape shape = document.header->shape;
  if (there == nullptr || x < 0 || y < 0 || x >= shape.nx || y >= shape.ny || !(there->shape() == shape)) return "";
  const double a = static_cast<double>(document.layer().pixels->value(y, x)),
               b = static_cast<double>(there->value(y, x));
  if (!difference) return std::isfinite(a / b) ? fmt::format("ratio {:.4g}", a / b) : "ratio blank";
  return "difference " +
         (std::isfinite(a - b) ? value_text(a - b, shown_unit(document, document.shown)) : std::string("blank"));
}

}  // namespace

void draw_status_readout(Context& context) {
  const Document* document = context.state.document();
  if (document == nullptr) {
    ImGui::TextDisabled("Ctrl+O opens a FITS image; or drop a file on this window");
    return;
  }
  if (!document->header) {
    ImGui::TextDisabled(" ");
    return;
  }
  draw_coordinate_button(context);
  const auto place = read_place(context.state);
  if (!place || !document->layer().pixels) return;
  const Readout r = readout_of(context.state, *document, *place);
  ImGui::SameLine();
  ImGui::PushFont(mono_font());
  std::string text = r.lon.empty() ? "" : fmt::format("{} {}  {} {}   ", r.lon_name, r.lon, r.lat_name, r.lat);
  text += fmt::format("{}   {}", r.pixel, r.value);
  if (!r.sigmas.empty()) text += "   " + r.sigmas;
  const std::string combined = combined_text(context, *document, *place);
  if (!combined.empty())
    text += "   " + combined;
  else if (!r.kelvin.empty())
    text += "   " + r.kelvin;
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  if (context.state.cursor.frozen) {
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
    ImGui::TextUnformatted("frozen (f)");
    ImGui::PopStyleColor();
  }
}

}  // namespace reber::gui
