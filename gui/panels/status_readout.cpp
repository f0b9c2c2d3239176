// SPDX-License-Identifier: BSD-3-Clause
// What stands under the cursor, at the left of the status bar, and the frame in which it is told.
#include "gui/panels/status_readout.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>

#include "core/run/live/display_tiles.hpp"
#include "gui/model/cube/cube_images.hpp"
#include "gui/panels/coordinate_menu.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/fields.hpp"
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
  // Maps of an earlier run may be of another background.
  const std::uint64_t newest = document.result ? document.result->generation : 0;
  const bool of_newest = rms.pixels && middle.pixels && rms.generation == newest && middle.generation == newest;
  if (of_signal && inside && of_newest && !document.result_stale()) {
    noise = LocalNoise{middle.pixels->value(y, x), rms.pixels->value(y, x), true};
  } else if (of_signal && inside && layer.pixels) {
    noise = noise_around(*layer.pixels, at);
  }
  const float value = layer.pixels ? layer.pixels->value(y, x) : std::nanf("");
  const LayerValues told{of_values ? std::optional(shown_unit(document, document.shown)) : std::nullopt,
                         layer_beam(document, document.shown)};
  Readout readout = make_readout(*document.header, at, inside, value, noise, state.inspect.style, &told);
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
  const Pyramid* there = other == nullptr ? nullptr : pixels_on_grid(context, document, *other, compare.other_layer);
  const auto x = static_cast<std::int64_t>(std::lround(at.x)), y = static_cast<std::int64_t>(std::lround(at.y));
  const Shape shape = document.header->shape;
  if (there == nullptr || x < 0 || y < 0 || x >= shape.nx || y >= shape.ny || !(there->shape() == shape)) return "";
  const double a = static_cast<double>(document.layer().pixels->value(y, x)),
               b = static_cast<double>(there->value(y, x));
  if (!difference) return std::isfinite(a / b) ? fmt::format("ratio {:.4g}", a / b) : "ratio blank";
  return "difference " + (std::isfinite(a - b) ? value_text(a - b, context.state.unit()) : std::string("blank"));
}

constexpr std::array<std::size_t, 5> kValueFirst{2, 0, 3, 1, 4}, kCombinedFirst{4, 2, 0, 3, 1};

/// The parts that have room, taken in the order of `first`, written in their own.
std::string fitting(const std::array<std::string, 5>& parts, const std::array<std::size_t, 5>& first, float room) {
  std::array<bool, 5> taken{};
  std::string text;
  for (const std::size_t next : first) {
    if (parts.at(next).empty()) continue;
    taken.at(next) = true;
    std::string longer;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (taken.at(i)) longer += (longer.empty() ? "" : "   ") + parts.at(i);
    if (text.empty() || ImGui::CalcTextSize(longer.c_str()).x <= room)
      text = longer;
    else
      taken.at(next) = false;
  }
  return text;
}

}  // namespace

float draw_status_readout(Context& context, float room) {
  const Document* document = context.state.document();
  const auto used = [] { return ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x; };
  if (document == nullptr) {
    ImGui::TextDisabled("%s", elided("Ctrl+O opens a FITS image; or drop a file on this window", room).c_str());
    return used();
  }
  if (!document->header) {
    ImGui::TextDisabled(" ");
    return used();
  }
  draw_coordinate_button(context);
  const auto place = read_place(context.state);
  if (!place || !document->layer().pixels) return used();
  const Readout r = readout_of(context.state, *document, *place);
  const std::string combined = combined_text(context, *document, *place);
  const std::string frozen = context.state.cursor.frozen ? "frozen (f)" : "";
  room -= used() + 2 * ImGui::GetStyle().ItemSpacing.x + ImGui::CalcTextSize(frozen.c_str()).x;
  ImGui::SameLine();
  ImGui::PushFont(mono_font());
  const std::string made = document->made_of ? place_text(*document->made_of, *place) : "";
  const std::string position = r.lon.empty() ? made : fmt::format("{} {}  {} {}", r.lon_name, r.lon, r.lat_name, r.lat);
  const std::array<std::string, 5> parts{position, r.pixel, r.value, r.sigmas, combined.empty() ? r.kelvin : combined};
  const std::string text = fitting(parts, combined.empty() ? kValueFirst : kCombinedFirst, room);
  ImGui::TextUnformatted(elided(text, room).c_str());
  ImGui::PopFont();
  if (frozen.empty()) return used();
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, palette().warn);
  ImGui::TextUnformatted(frozen.c_str());
  ImGui::PopStyleColor();
  return used();
}

}  // namespace reber::gui
