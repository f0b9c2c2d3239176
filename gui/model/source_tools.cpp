// SPDX-License-Identifier: BSD-3-Clause
// Centring, stepping, flagging, removing, selecting.
#include "gui/model/source_tools.hpp"

#include <algorithm>
#include <cmath>

#include "core/run/request/command_line.hpp"

namespace reber::gui {

void follow_result(Document& document) {
  if (!document.result) return;
  std::vector<std::int64_t> selected;
  document.sources.follow(*document.result, selected);
  for (const std::int64_t row : selected) document.selection.toggle(row);
}

void centre_on(Document& document, std::int64_t row) {
  if (!document.result || row < 0 || row >= static_cast<std::int64_t>(document.result->sources.size())) return;
  const Source& source = document.result->sources[static_cast<std::size_t>(row)];
  if (!std::isfinite(source.x) || !std::isfinite(source.y)) return;
  document.view.centre = {source.x, source.y};
  constexpr double kShown = 30;
  double across = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, source.npix)));
  if (row < static_cast<std::int64_t>(document.shapes.size())) {
    const double major = axes_of(document.shapes[static_cast<std::size_t>(row)].fwhm2).major;
    if (std::isfinite(major) && major > 0) across = major;
  }
  document.view.zoom = std::clamp(std::max(document.view.zoom, kShown / across), kLeastZoom, kMostZoom);
}

void step_source(Document& document, int step) {
  follow_result(document);
  std::optional<std::size_t> row;
  if (document.selection.focus >= 0) row = static_cast<std::size_t>(document.selection.focus);
  const auto next = document.sources.table.neighbour(row, step);
  if (!next) return;
  document.selection.select_only(static_cast<std::int64_t>(*next));
  centre_on(document, static_cast<std::int64_t>(*next));
}

void flag_selected(Document& document, bool on) {
  for (const std::int64_t row : document.selection.rows) {
    if (on) document.sources.flagged.insert(row);
    if (!on) document.sources.flagged.erase(row);
  }
}

void place_edits(Document& document) {
  if (document.result)
    document.sources.edits.place(document.result->sources, same_row_px(*document.result), document.result->hand);
}

std::string remove_selected(Document& document) {
  if (!document.result) return {};
  follow_result(document);
  const std::int64_t from = document.selection.focus;
  const auto next = from < 0 ? std::nullopt : document.sources.table.place_of(static_cast<std::size_t>(from));
  std::string why = document.sources.edits.remove(document.selection.rows, document.result->sources);
  follow_result(document);
  std::erase_if(document.selection.rows, [&](std::int64_t row) { return document.sources.edits.removed(row); });
  if (!document.sources.edits.removed(from)) return why;
  document.selection.clear();
  const auto& shown = document.sources.table.shown();
  if (next && !shown.empty())
    document.selection.select_only(static_cast<std::int64_t>(shown[std::min(*next, shown.size() - 1)]));
  return why;
}

bool chosen_locked(const Document& document) {
  const RowMark* mark = document.sources.edits.of(document.selection.focus);
  return mark != nullptr && mark->locked;
}

void toggle_lock(Document& document) {
  if (!document.result) return;
  follow_result(document);
  document.sources.edits.lock(document.selection.rows, document.result->sources, !chosen_locked(document));
}

void select_rows(Document& document, const std::vector<std::uint8_t>& rows, bool add) {
  Selection& selection = document.selection;
  if (!add) selection.rows.clear();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != 0) selection.rows.insert(selection.rows.end(), static_cast<std::int64_t>(i));
  if (selection.rows.count(selection.focus) == 0)
    selection.focus = selection.rows.empty() ? -1 : *selection.rows.begin();
  ++selection.version;
}

bool has_command(const Document& document) {
  return !document.in_memory && document.request.detect.has_value() && why_no_search(document).empty();
}

std::string command_of(const Document& document, const std::string& backend) {
  Request request = document.request;
  request.input = document.path;
  request.open = document.open;
  if (document.header && document.header->planes > 1) request.open.plane = document.header->plane;
  return quoted_for_shell(command_words(request, {backend, document.extended.wanted}));
}

std::vector<std::uint8_t> selected_rows(const Document& document) {
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(document.sources.table.catalogue().rows()), 0);
  for (const std::int64_t row : document.selection.rows)
    if (row >= 0 && row < static_cast<std::int64_t>(rows.size())) rows[static_cast<std::size_t>(row)] = 1;
  return rows;
}

}  // namespace reber::gui
