// SPDX-License-Identifier: BSD-3-Clause
// The source table: which rows of a catalogue are shown, and in which order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber::gui {

/// A catalogue as shown. Sorting and filtering never touch the catalogue.
class SourceTable {
 public:
  /// Filter and order stay where the new catalogue has their columns; a filter that no longer fits is dropped and
  /// filter_error() says why.
  void assign(std::shared_ptr<const Catalogue> catalogue);
  [[nodiscard]] const Catalogue& catalogue() const { return *catalogue_; }

  /// A filter that cannot be understood leaves the rows as they are and says why in filter_error().
  /// A bare word is looked for in every column of text, a bare whole number is a Source_id.
  void set_filter(const std::string& text);
  [[nodiscard]] const std::string& filter() const { return filter_; }
  [[nodiscard]] const std::string& filter_error() const { return filter_error_; }

  /// Rows that are not shown whatever the filter; empty: none.
  void hide(std::vector<std::uint8_t> hidden);

  /// Stable: rows of equal value keep the order they had. Rows without a value come last in both directions.
  void sort(std::size_t column, bool descending);
  void unsort();
  [[nodiscard]] std::optional<std::size_t> sort_column() const { return sort_column_; }
  [[nodiscard]] bool sort_descending() const { return sort_descending_; }

  /// Rows of the catalogue in the order shown.
  [[nodiscard]] const std::vector<std::uint32_t>& shown() const { return shown_; }
  [[nodiscard]] bool passes(std::size_t row) const { return row < accepted_.size() && accepted_[row] != 0; }
  [[nodiscard]] const std::vector<std::uint8_t>& accepted() const { return accepted_; }
  /// Place of a row in shown(), or none where the filter hides it.
  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t row) const;
  /// The row `step` places after `row` in the order shown; the first (last) one where there is none before.
  [[nodiscard]] std::optional<std::size_t> neighbour(std::optional<std::size_t> row, int step) const;
  /// Of cell_text(), by column.
  [[nodiscard]] int decimals(std::size_t column) const { return decimals_.at(column); }
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// The rows shown, in their order, as a catalogue; its history says how they were chosen.
  [[nodiscard]] Catalogue subset() const;

 private:
  void refilter();
  void accept();
  void reorder();
  void collect();

  std::shared_ptr<const Catalogue> catalogue_ = std::make_shared<Catalogue>();
  std::vector<int> decimals_;
  std::string filter_, filter_error_;
  std::optional<std::size_t> sort_column_;
  bool sort_descending_ = false;
  std::vector<std::uint8_t> filtered_, hidden_;  ///< rows that pass the filter; rows taken away, or empty
  std::vector<std::uint8_t> accepted_;           ///< filtered and not hidden
  std::vector<std::uint32_t> order_, shown_;
  std::uint64_t version_ = 0;
};

/// These rows, in this order; one line is added to its history.
[[nodiscard]] Catalogue rows_of(const Catalogue& catalogue, const std::vector<std::uint32_t>& rows,
                                const std::string& note);

/// Digits behind the point with which the middle one of a column's values, by size, has five: all rows then have them,
/// and stand point below point. -1 for text, whole numbers, and columns without a value but 0.
[[nodiscard]] int decimals_of(const Column& column);
/// One value as the table shows it: positions to 1e-6 degrees, other numbers with so many digits behind the point (-1:
/// to five digits), nothing for NaN.
[[nodiscard]] std::string cell_text(const Column& column, std::size_t row, int decimals = -1);
/// As a number; NaN for text.
[[nodiscard]] double cell_number(const Column& column, std::size_t row);

}  // namespace reber::gui
