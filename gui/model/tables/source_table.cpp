// SPDX-License-Identifier: BSD-3-Clause
// Filtering and ordering rows.
#include "gui/model/tables/source_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "gui/model/tables/filter_expression.hpp"
#include "gui/model/tables/row_sort.hpp"

namespace reber::gui {

namespace {

/// The filter for a bare word: rows whose text holds it, or whose Source_id it is. Empty where the text is no bare
/// word.
std::string word_filter(const std::string& text, const Catalogue& catalogue) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (number) return catalogue.find("Source_id") != nullptr ? "Source_id == " + text : std::string();
  if (text.empty() || text.find_first_of("<>=!&|()\"'*/^") != std::string::npos) return {};
  std::string filter;
  for (const Column& column : catalogue.columns) {
    if (!std::holds_alternative<std::vector<std::string>>(column.values)) continue;
    filter += fmt::format("{}{} ~ \"{}\"", filter.empty() ? "" : " || ", column.info.name, text);
  }
  return filter;
}

}  // namespace

void SourceTable::assign(std::shared_ptr<const Catalogue> catalogue) {
  std::string sort_name;
  if (sort_column_) sort_name = catalogue_->columns[*sort_column_].info.name;
  catalogue_ = std::move(catalogue);
  sort_column_.reset();
  for (std::size_t i = 0; i < catalogue_->columns.size(); ++i)
    if (!sort_name.empty() && catalogue_->columns[i].info.name == sort_name) sort_column_ = i;
  decimals_.clear();
  for (const Column& column : catalogue_->columns) decimals_.push_back(decimals_of(column));
  filtered_.assign(static_cast<std::size_t>(catalogue_->rows()), 1);
  hidden_.clear();
  refilter();
  accept();
  reorder();
  collect();
}

void SourceTable::set_filter(const std::string& text) {
  filter_ = text;
  refilter();
  accept();
  collect();
}

void SourceTable::hide(std::vector<std::uint8_t> hidden) {
  if (std::ranges::count(hidden, 0) == std::ssize(hidden)) hidden.clear();
  if (hidden == hidden_) return;
  hidden_ = std::move(hidden);
  accept();
  collect();
}

void SourceTable::accept() {
  accepted_ = filtered_;
  for (std::size_t row = 0; row < std::min(hidden_.size(), accepted_.size()); ++row)
    if (hidden_[row] != 0) accepted_[row] = 0;
}

void SourceTable::refilter() {
  filter_error_.clear();
  const std::string words = word_filter(filter_, *catalogue_);
  try {
    const bool number = words.rfind("Source_id ==", 0) == 0;
    filtered_ = FilterExpression(number ? words : filter_, *catalogue_).evaluate(*catalogue_);
  } catch (const InputError& error) {
    // A word that no row holds is rather a column's name misspelt.
    std::vector<std::uint8_t> found;
    if (!words.empty()) found = FilterExpression(words, *catalogue_).evaluate(*catalogue_);
    if (std::find(found.begin(), found.end(), 1) == found.end()) {
      filter_error_ = error.what();
    } else {
      filtered_ = std::move(found);
    }
  }
}

void SourceTable::sort(std::size_t column, bool descending) {
  if (column >= catalogue_->columns.size()) throw InternalError("source table: sorted by a column that is not there");
  sort_column_ = column;
  sort_descending_ = descending;
  reorder();
  collect();
}

void SourceTable::unsort() {
  sort_column_.reset();
  reorder();
  collect();
}

void SourceTable::reorder() {
  if (sort_column_) {
    order_ = sorted_rows(catalogue_->columns[*sort_column_], sort_descending_);
    return;
  }
  order_.resize(static_cast<std::size_t>(catalogue_->rows()));
  std::iota(order_.begin(), order_.end(), 0U);
}

void SourceTable::collect() {
  shown_.resize(order_.size());
  std::size_t count = 0;
  // Without a branch: which rows pass is as good as random.
  for (const std::uint32_t row : order_) {
    shown_[count] = row;
    count += accepted_[row];
  }
  shown_.resize(count);
  ++version_;
}

std::optional<std::size_t> SourceTable::place_of(std::size_t row) const {
  if (!passes(row)) return std::nullopt;
  const auto found = std::find(shown_.begin(), shown_.end(), static_cast<std::uint32_t>(row));
  if (found == shown_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shown_.begin());
}

std::optional<std::size_t> SourceTable::neighbour(std::optional<std::size_t> row, int step) const {
  if (shown_.empty()) return std::nullopt;
  const auto last = static_cast<std::int64_t>(shown_.size()) - 1;
  const auto place = row ? place_of(*row) : std::nullopt;
  if (!place) return shown_[step >= 0 ? 0 : static_cast<std::size_t>(last)];
  return shown_[static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(*place) + step, 0, last))];
}

Catalogue SourceTable::subset() const {
  const auto kept = order_.size() - static_cast<std::size_t>(std::ranges::count(hidden_, 1));
  const bool all = shown_.size() == kept;
  return rows_of(*catalogue_, shown_,
                 all ? std::string() : fmt::format("{} of {} rows, filter: {}", shown_.size(), kept, filter_));
}

Catalogue rows_of(const Catalogue& catalogue, const std::vector<std::uint32_t>& rows, const std::string& note) {
  Catalogue subset;
  subset.frame = catalogue.frame;
  subset.equinox = catalogue.equinox;
  subset.frequency_hz = catalogue.frequency_hz;
  subset.history = catalogue.history;
  if (!note.empty()) subset.history.push_back(note);
  for (const Column& column : catalogue.columns) {
    Column chosen{column.info, {}};
    std::visit(
        [&](const auto& values) {
          std::decay_t<decltype(values)> taken;
          taken.reserve(rows.size());
          for (const std::uint32_t row : rows) taken.push_back(values[row]);
          chosen.values = std::move(taken);
        },
        column.values);
    subset.columns.push_back(std::move(chosen));
  }
  return subset;
}

int decimals_of(const Column& column) {
  constexpr std::size_t kMost = 1000;
  constexpr int kDigits = 5, kMostDecimals = 9;
  const auto* values = std::get_if<std::vector<double>>(&column.values);
  if (values == nullptr) return -1;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < values->size(); i += 1 + values->size() / kMost)
    if (std::isfinite((*values)[i]) && (*values)[i] != 0) sizes.push_back(std::abs((*values)[i]));
  if (sizes.empty()) return -1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return std::clamp(kDigits - 1 - static_cast<int>(std::floor(std::log10(*middle))), 0, kMostDecimals);
}

std::string cell_text(const Column& column, std::size_t row, int decimals) {
  if (const auto* text = std::get_if<std::vector<std::string>>(&column.values)) return (*text)[row];
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values))
    return fmt::format("{}", (*whole)[row]);
  const double value = std::get<std::vector<double>>(column.values)[row];
  if (std::isnan(value)) return {};
  const bool position = column.info.unit == "deg" && column.info.ucd.rfind("pos.", 0) == 0 &&
                        column.info.ucd.find("posAng") == std::string::npos;
  if (position) return fmt::format("{:.6f}", value);
  // What would be too long, or zero, is written by itself.
  const bool fits = std::abs(value) < 1e9 && !(value != 0 && std::abs(value) < 0.5 * std::pow(10, -decimals));
  return decimals < 0 || !fits ? fmt::format("{:.5g}", value) : fmt::format("{:.{}f}", value, decimals);
}

double cell_number(const Column& column, std::size_t row) {
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values))
    return static_cast<double>((*whole)[row]);
  if (const auto* real = std::get_if<std::vector<double>>(&column.values)) return (*real)[row];
  return NAN;
}

}  // namespace reber::gui
