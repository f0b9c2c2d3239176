// SPDX-License-Identifier: BSD-3-Clause
// Columns of the same name become one.
#include "core/run/cube/joined_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/measure/sources/plane_columns.hpp"

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Makes the column as long as `rows`, with no values.
void lengthen(Column& column, std::size_t rows) {
  if (auto* real = std::get_if<std::vector<double>>(&column.values))
    real->resize(rows, kNaN);
  else
    std::visit([&](auto& values) { values.resize(rows); }, column.values);
}

Column without_rows(const Column& like, std::size_t rows) {
  Column column{like.info, {}};
  std::visit([&](const auto& values) { column.values = std::remove_cvref_t<decltype(values)>(); }, like.values);
  lengthen(column, rows);
  return column;
}

/// Adds `from` below `onto`: its columns are found by name, new ones take the place that they have in `from`.
void append(Catalogue& onto, Catalogue&& from, std::size_t rows_before, std::size_t rows_after) {
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    Column& more = from.columns[i];
    auto found = std::ranges::find(onto.columns, more.info.name, [](const Column& c) { return c.info.name; });
    if (found == onto.columns.end())
      found = onto.columns.insert(onto.columns.begin() + static_cast<std::ptrdiff_t>(std::min(i, onto.columns.size())),
                                  without_rows(more, rows_before));
    std::visit(
        [&](auto& values) {
          auto& own = std::get<std::remove_cvref_t<decltype(values)>>(found->values);
          own.insert(own.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
        },
        more.values);
  }
  for (Column& column : onto.columns) lengthen(column, rows_after);
}

}  // namespace

void JoinedCatalogue::add(const ImageHeader& header, const std::optional<Beam>& beam, Catalogue catalogue) {
  const auto rows = static_cast<std::size_t>(catalogue.rows());
  const double frequency = header.wcs.frequency_hz();
  add_plane_columns(header, beam, catalogue);
  histories_.emplace_back(header.plane, std::move(catalogue.history));
  if (histories_.size() == 1) {
    joined_.frame = catalogue.frame;
    joined_.equinox = catalogue.equinox;
    joined_.frequency_hz = frequency;
  } else if (!(joined_.frequency_hz == frequency)) {
    joined_.frequency_hz = kNaN;
  }
  const auto before = static_cast<std::size_t>(rows_);
  append(joined_, std::move(catalogue), before, before + rows);
  rows_ += static_cast<std::int64_t>(rows);
}

Catalogue JoinedCatalogue::take() {
  std::map<std::string, std::size_t> times;
  for (const auto& [plane, lines] : histories_)
    for (const std::string& line : lines) ++times[line];
  const auto shared = [&](const std::string& line) { return times[line] >= histories_.size(); };
  if (!histories_.empty()) std::ranges::copy_if(histories_.front().second, std::back_inserter(joined_.history), shared);
  for (const auto& [plane, lines] : histories_)
    for (const std::string& line : lines)
      if (!shared(line)) joined_.history.push_back(fmt::format("plane {}: {}", plane, line));
  histories_.clear();
  rows_ = 0;
  return std::exchange(joined_, {});
}

}  // namespace reber
