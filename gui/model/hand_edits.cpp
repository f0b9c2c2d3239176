// SPDX-License-Identifier: BSD-3-Clause
// Requests of fits by hand: rows become places.
#include "gui/model/hand_edits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gui/model/source_tools.hpp"

namespace reber::gui {
namespace {

/// Why a row cannot be replaced; empty where it can.
std::string why_kept(const Document& document, std::int64_t row) {
  if (row < 0 || row >= std::ssize(document.result->sources)) return "choose a source first";
  const Source& source = document.result->sources[static_cast<std::size_t>(row)];
  if (source.negative) return "negative detections are not fitted by hand";
  if (const RowMark* mark = document.sources.edits.of(row); mark != nullptr && mark->locked)
    return fmt::format("source {} is locked", row);
  if (!std::isfinite(source.x) || !std::isfinite(source.y)) return fmt::format("source {} has no place", row);
  return {};
}

HandPlace place_of(const Document& document, std::int64_t row) {
  const Source& source = document.result->sources[static_cast<std::size_t>(row)];
  return {source.x, source.y};
}

/// A fit that stands for the chosen row.
std::string ask_of_chosen(Document& document, HandFit fit) {
  if (std::string why = why_no_hand_fit(document); !why.empty()) return why;
  follow_result(document);
  const std::int64_t row = document.selection.focus;
  if (std::string why = why_kept(document, row); !why.empty()) return why;
  fit.replaces = {place_of(document, row)};
  document.sources.edits.ask(std::move(fit));
  return {};
}

}  // namespace

std::string why_no_hand_fit(const Document& document) {
  if (!document.live_run || !document.result) return "run the pipeline first";
  if (document.result_stale()) return "wait until the fits of the run are done";
  if (document.sources.edits.asked()) return "another fit is under way";
  return {};
}

std::string ask_to_add(Document& document, PixelPosition at) {
  if (std::string why = why_no_hand_fit(document); !why.empty()) return why;
  document.sources.edits.ask({Origin::added, {}, HandPlace{at.x, at.y}});
  return {};
}

std::string ask_to_merge(Document& document) {
  if (std::string why = why_no_hand_fit(document); !why.empty()) return why;
  follow_result(document);
  if (document.selection.rows.size() < 2) return "select two or more sources of an island";
  HandFit fit{Origin::merged, {}, {}};
  const std::int64_t first = *document.selection.rows.begin();
  for (const std::int64_t row : document.selection.rows) {
    if (std::string why = why_kept(document, row); !why.empty()) return why;
    const auto& sources = document.result->sources;
    if (sources[static_cast<std::size_t>(row)].island != sources[static_cast<std::size_t>(first)].island)
      return fmt::format("sources {} and {} are of different islands", first, row);
    fit.replaces.push_back(place_of(document, row));
  }
  document.sources.edits.ask(std::move(fit));
  return {};
}

std::string ask_to_split(Document& document, std::int64_t parts) {
  return ask_of_chosen(document, {Origin::split, {}, {}, parts});
}

std::string ask_to_move(Document& document, PixelPosition at) {
  return ask_of_chosen(document, {Origin::moved, {}, HandPlace{at.x, at.y}});
}

std::string settle_hand_fit(Document& document) {
  if (!document.sources.edits.asked()) return {};
  follow_result(document);
  const auto settled = document.sources.edits.settle();
  if (!settled) return {};
  if (!settled->why_not.empty()) {
    const Origin kind = settled->fit.kind;
    return fmt::format("Not {}: {}", to_string(kind), settled->why_not);
  }
  document.selection.clear();
  for (const std::int64_t row : settled->rows) document.selection.toggle(row);
  return {};
}

}  // namespace reber::gui
