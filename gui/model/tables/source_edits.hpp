// SPDX-License-Identifier: BSD-3-Clause
// What a person did with the finder's rows: a layer over them that is kept by position when the finder runs again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/run/live/live_run.hpp"

namespace reber::gui {

/// What was decided of the row at a place.
struct RowMark {
  double x = 0, y = 0;    ///< where the row stood when it was first marked, 0-based pixels
  bool negative = false;  ///< a negative detection
  bool removed = false;   ///< neither in the table nor on the image nor in files
  bool locked = false;    ///< it cannot be removed
  std::string comment;

  [[nodiscard]] bool empty() const { return !removed && !locked && comment.empty(); }
  bool operator==(const RowMark&) const = default;
};

/// How far a row may move and still be the same: half the beam's minor axis, in pixels; one pixel without a beam.
[[nodiscard]] double same_row_px(const LiveResult& result);

/// Marks and the rows that they stand for. A mark without a row in this result waits: it is kept for the next one.
class SourceEdits {
 public:
  /// The row of each mark is the nearest of its sign within reach_px; the nearest pairs first, each row once.
  void place(const std::vector<Source>& sources, double reach_px);

  [[nodiscard]] const std::vector<RowMark>& marks() const { return marks_; }
  /// place() must follow.
  void set_marks(std::vector<RowMark> marks);
  [[nodiscard]] bool empty() const { return marks_.empty(); }
  /// Counts up with every change.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Null where the row has none.
  [[nodiscard]] const RowMark* of(std::int64_t row) const;
  [[nodiscard]] bool removed(std::int64_t row) const { return of(row) != nullptr && of(row)->removed; }
  /// Rows that are there now and removed.
  [[nodiscard]] std::int64_t removed_rows() const;

  /// Returns why rows were left: "row 7 is locked"; empty where all were removed.
  std::string remove(const std::set<std::int64_t>& rows, const std::vector<Source>& sources);
  /// Takes back every removal, of waiting marks as well.
  void restore_all();
  void lock(const std::set<std::int64_t>& rows, const std::vector<Source>& sources, bool on);
  void comment(std::int64_t row, const std::vector<Source>& sources, const std::string& text);

 private:
  RowMark& mark_of(std::int64_t row, const std::vector<Source>& sources);
  /// Drops marks that say nothing.
  void tidy();
  void index();

  std::vector<RowMark> marks_;
  std::vector<std::int64_t> rows_;          ///< of the marks; -1: waits
  std::map<std::int64_t, std::size_t> at_;  ///< mark by row
  std::uint64_t version_ = 0;
};

/// The catalogue with the columns Origin and, where a row has one, Comment; as it is where nothing was edited.
[[nodiscard]] Catalogue with_edits(Catalogue catalogue, const SourceEdits& edits);

}  // namespace reber::gui
