// SPDX-License-Identifier: BSD-3-Clause
// Carries the table's settings and the user's flags from one result to the next.
#include "gui/model/tables/source_view.hpp"

#include <cmath>

#include "core/measure/sources/source.hpp"
#include "core/measure/sources/source_columns.hpp"

namespace reber::gui {

std::vector<std::string> default_columns() {
  return {"Source_id", "RA",  "DEC", "Peak_flux", "E_Peak_flux", "Total_flux", "E_Total_flux", "SNR",
          "Maj",       "Min", "PA",  "DC_Maj",    "Npix",        "S_Code",     "Flag"};
}

SourceView::SourceView() : columns(default_columns()) {}

bool SourceView::follow(const LiveResult& result, std::vector<std::int64_t>& selected, double reach) {
  if (generation == result.generation && edition == result.edition &&
      table.catalogue().rows() == static_cast<std::int64_t>(result.sources.size()))
    return hide_removed();
  std::vector<std::pair<double, double>> now;
  now.reserve(result.sources.size());
  for (const Source& source : result.sources) now.emplace_back(source.x, source.y);
  std::set<std::int64_t> kept;
  for (const std::int64_t row : flagged) {
    if (row < 0 || row >= static_cast<std::int64_t>(places_.size())) continue;
    const auto [x, y] = places_[static_cast<std::size_t>(row)];
    double least = reach;
    std::int64_t best = -1;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double distance = std::hypot(now[i].first - x, now[i].second - y);
      if (!(distance <= least) || (result.hand && result.hand->replaced[i] != 0)) continue;
      least = distance;
      best = static_cast<std::int64_t>(i);
    }
    if (best >= 0) kept.insert(best);
  }
  flagged = std::move(kept);
  places_ = std::move(now);
  table.assign(std::make_shared<Catalogue>(make_catalogue(result.sources, *result.header, result.history)));
  generation = result.generation;
  edition = result.edition;
  edits.place(result.sources, same_row_px(result), result.hand);
  hide_removed();
  if (awaited) {
    table.set_filter(filter_text);
    for (std::size_t i = 0; i < table.catalogue().columns.size(); ++i)
      if (table.catalogue().columns[i].info.name == awaited->sort_column) table.sort(i, awaited->descending);
    const auto rows = table.catalogue().rows();
    for (const std::int64_t row : awaited->selected)
      if (row >= 0 && row < rows) selected.push_back(row);
    for (const std::int64_t row : awaited->flagged)
      if (row >= 0 && row < rows) flagged.insert(row);
    awaited.reset();
  }
  return true;
}

bool SourceView::hide_removed() {
  if (edits_seen_ == edits.version()) return false;
  edits_seen_ = edits.version();
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(table.catalogue().rows()), 0);
  for (std::size_t row = 0; row < hidden.size(); ++row)
    if (edits.hidden(static_cast<std::int64_t>(row))) hidden[row] = 1;
  table.hide(std::move(hidden));
  return true;
}

Catalogue with_flags(const Catalogue& catalogue, const std::set<std::int64_t>& flagged) {
  Catalogue marked = catalogue;
  std::vector<std::string> words(static_cast<std::size_t>(catalogue.rows()));
  for (const std::int64_t row : flagged)
    if (row >= 0 && row < catalogue.rows()) words[static_cast<std::size_t>(row)] = "flagged";
  marked.columns.push_back(
      {{"Review", "", "meta.note", "Mark of a person who looked at the source"}, std::move(words)});
  return marked;
}

Catalogue rows_to_write(const SourceView& view) {
  Catalogue subset = view.table.subset();
  if (view.flagged.empty() && view.edits.empty()) return subset;
  Catalogue marked = with_edits(view.table.catalogue(), view.edits);
  if (!view.flagged.empty()) marked = with_flags(marked, view.flagged);
  const bool chosen = subset.history.size() > view.table.catalogue().history.size();
  return rows_of(marked, view.table.shown(), chosen ? subset.history.back() : "");
}

}  // namespace reber::gui
