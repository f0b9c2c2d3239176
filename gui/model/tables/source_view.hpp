// SPDX-License-Identifier: BSD-3-Clause
// What table and plots keep of one image's sources: the catalogue of the newest result and how it is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/run/live/live_run.hpp"
#include "gui/model/tables/mark_look.hpp"
#include "gui/model/tables/source_edits.hpp"
#include "gui/model/tables/source_table.hpp"

namespace reber::gui {

struct SourceView {
  SourceTable table;
  std::vector<std::string> columns;  ///< shown, in this order; those that a catalogue lacks are passed over
  std::set<std::int64_t> flagged;    ///< rows marked by the user
  MarkLook marks;                    ///< of the rows on the image, by column
  SourceEdits edits;                 ///< what the user did with rows
  std::string filter_text;           ///< as typed; in force once it can be understood
  std::uint64_t generation = 0;      ///< of the result that the catalogue was made of; 0: none
  std::uint64_t edition = 0;         ///< of the same
  std::uint64_t scrolled_to = 0;     ///< version of the selection that the table has been scrolled to

  /// From a session file: put in force with the first result.
  struct Awaited {
    std::string sort_column;
    bool descending = false;
    std::vector<std::int64_t> selected, flagged;
  };
  std::optional<Awaited> awaited;

  SourceView();
  /// Makes the catalogue anew where the result is another one. Flags follow sources that stay within `reach` pixels of
  /// their place. Returns whether anything changed. `selected` receives the rows that a session file asked for.
  bool follow(const LiveResult& result, std::vector<std::int64_t>& selected, double reach = 3);

 private:
  /// Takes removed rows out of the table.
  bool hide_removed();

  std::uint64_t edits_seen_ = 0;                   ///< version of the edits that the table shows
  std::vector<std::pair<double, double>> places_;  ///< of the sources, pixels
};

/// The columns that a fresh table shows.
[[nodiscard]] std::vector<std::string> default_columns();

/// The catalogue's rows and one more column, Review: "flagged" for these rows, else empty. For export.
[[nodiscard]] Catalogue with_flags(const Catalogue& catalogue, const std::set<std::int64_t>& flagged);
/// The rows that the table shows, in its order, all columns, with Review where a row is flagged.
[[nodiscard]] Catalogue rows_to_write(const SourceView& view);

}  // namespace reber::gui
