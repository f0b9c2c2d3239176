// SPDX-License-Identifier: BSD-3-Clause
// What a person did with the finder's rows: a layer over them that is kept by position when the finder runs again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// Marks and the rows that they stand for, and fits by hand. A mark without a row in this result waits: it is kept for
/// the next one.
class SourceEdits {
 public:
  /// The row of each mark is the nearest of its sign within reach_px; the nearest pairs first, each row once. Rows that
  /// another stands for have none.   hand: of the same result; null: no rows by hand
  void place(const std::vector<Source>& sources, double reach_px, std::shared_ptr<const HandRows> hand = nullptr);

  [[nodiscard]] const std::vector<RowMark>& marks() const { return marks_; }
  /// place() must follow.
  void set_marks(std::vector<RowMark> marks);
  [[nodiscard]] bool empty() const { return marks_.empty() && fits_.empty() && !asked_; }
  /// Fits by hand that are in force, in their order; with what is being tried behind them.
  [[nodiscard]] const std::vector<HandFit>& fits() const { return fits_; }
  [[nodiscard]] std::vector<HandFit> wanted_fits() const;
  void set_fits(std::vector<HandFit> fits);
  /// Tries one more fit: it is kept where a result says that it is in force (settle()).
  void ask(HandFit fit);
  void drop_asked() { asked_.reset(); }
  [[nodiscard]] const std::optional<HandFit>& asked() const { return asked_; }
  /// What became of the fit that is tried, once the result that place() was told of knows: its kind, the rows that came
  /// of it, and why it is not in force; it is tried no more.
  struct Settled {
    HandFit fit;
    std::vector<std::int64_t> rows;
    std::string why_not;
  };
  [[nodiscard]] std::optional<Settled> settle();
  /// Why fits that are kept are not in force now, such as "split: its row is no longer there".
  [[nodiscard]] std::vector<std::string> waiting() const;
  [[nodiscard]] Origin origin(std::int64_t row) const;
  /// Another row stands for it.
  [[nodiscard]] bool replaced(std::int64_t row) const;
  /// Counts up with every change.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Null where the row has none.
  [[nodiscard]] const RowMark* of(std::int64_t row) const;
  [[nodiscard]] bool removed(std::int64_t row) const { return of(row) != nullptr && of(row)->removed; }
  /// Neither in the table nor on the image nor in files.
  [[nodiscard]] bool hidden(std::int64_t row) const { return replaced(row) || removed(row); }
  /// Rows that another stands for.
  [[nodiscard]] std::int64_t replaced_rows() const;
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
  std::vector<HandFit> fits_;
  std::optional<HandFit> asked_;
  std::shared_ptr<const HandRows> hand_;  ///< of the newest result; null: none
  std::uint64_t version_ = 0;
};

/// The catalogue with the columns Origin and, where a row has one, Comment; as it is where nothing was edited.
[[nodiscard]] Catalogue with_edits(Catalogue catalogue, const SourceEdits& edits);

}  // namespace reber::gui
