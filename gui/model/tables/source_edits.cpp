// SPDX-License-Identifier: BSD-3-Clause
// Marks are placed on rows, changed, and written into catalogues.
#include "gui/model/tables/source_edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/measure/sources/source.hpp"

namespace reber::gui {

namespace {

/// "edited by hand: 2 removed, 1 locked, 1 with a comment"
std::string edits_note(const SourceEdits& edits) {
  std::int64_t locked = 0, commented = 0;
  for (const RowMark& mark : edits.marks()) {
    locked += mark.locked ? 1 : 0;
    commented += mark.comment.empty() ? 0 : 1;
  }
  std::string fits;
  for (const Origin kind : {Origin::added, Origin::merged, Origin::split, Origin::moved}) {
    const auto of = [&](const HandFit& fit) { return fit.kind == kind; };
    if (const auto count = std::ranges::count_if(edits.fits(), of); count > 0)
      fits += fmt::format("; fits: {} {}", count, to_string(kind));
  }
  return fmt::format("edited by hand: {} removed, {} locked, {} with a comment{}", edits.removed_rows(), locked,
                     commented, fits);
}

}  // namespace

double same_row_px(const LiveResult& result) {
  return result.header ? reber::same_row_px(*result.header, result.beam) : 1;
}
void SourceEdits::place(const std::vector<Source>& sources, double reach_px, std::shared_ptr<const HandRows> hand) {
  hand_ = std::move(hand);
  rows_.assign(marks_.size(), -1);
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  std::multimap<double, std::size_t> by_y;
  if (!marks_.empty())
    for (std::size_t row = 0; row < sources.size(); ++row)
      if (!replaced(static_cast<std::int64_t>(row))) by_y.emplace(sources[row].y, row);
  for (std::size_t m = 0; m < marks_.size(); ++m)
    for (auto near = by_y.lower_bound(marks_[m].y - reach_px);
         near != by_y.end() && near->first < marks_[m].y + reach_px; ++near) {
      const std::size_t row = near->second;
      const double away = std::hypot(sources[row].x - marks_[m].x, sources[row].y - marks_[m].y);
      if (sources[row].negative == marks_[m].negative && away < reach_px) pairs.emplace_back(away, m, row);
    }
  std::ranges::sort(pairs);
  std::set<std::size_t> taken;
  for (const auto& [away, m, row] : pairs)
    if (rows_[m] < 0 && taken.insert(row).second) rows_[m] = static_cast<std::int64_t>(row);
  index();
}

void SourceEdits::index() {
  at_.clear();
  for (std::size_t m = 0; m < rows_.size(); ++m)
    if (rows_[m] >= 0) at_[rows_[m]] = m;
  ++version_;
}

void SourceEdits::set_marks(std::vector<RowMark> marks) {
  marks_ = std::move(marks);
  rows_.assign(marks_.size(), -1);
  index();
}

std::vector<HandFit> SourceEdits::wanted_fits() const {
  std::vector<HandFit> all = fits_;
  if (asked_) all.push_back(*asked_);
  return all;
}

void SourceEdits::set_fits(std::vector<HandFit> fits) {
  asked_.reset();
  fits_ = std::move(fits);
  ++version_;
}

void SourceEdits::ask(HandFit fit) {
  asked_ = std::move(fit);
  ++version_;
}

std::optional<SourceEdits::Settled> SourceEdits::settle() {
  if (!asked_ || !hand_ || hand_->fits != wanted_fits()) return std::nullopt;
  Settled settled{*asked_, {}, hand_->why_not.back()};
  if (settled.why_not.empty()) {
    fits_.push_back(*asked_);
    for (std::size_t row = hand_->found; row < hand_->sources.size(); ++row)
      if (hand_->replaced[row] == 0 && hand_->fit[row - hand_->found] + 1 == hand_->fits.size() &&
          hand_->origin[row] == settled.fit.kind)
        settled.rows.push_back(static_cast<std::int64_t>(row));
  }
  asked_.reset();
  ++version_;
  return settled;
}

std::vector<std::string> SourceEdits::waiting() const {
  std::vector<std::string> those;
  if (!hand_) return those;
  for (std::size_t k = 0; k < std::min(fits_.size(), hand_->why_not.size()); ++k)
    if (!hand_->why_not[k].empty()) those.push_back(fmt::format("{}: {}", to_string(fits_[k].kind), hand_->why_not[k]));
  return those;
}

Origin SourceEdits::origin(std::int64_t row) const {
  return hand_ && row >= 0 && row < std::ssize(hand_->origin) ? hand_->origin[static_cast<std::size_t>(row)]
                                                              : Origin::found;
}

bool SourceEdits::replaced(std::int64_t row) const {
  return hand_ && row >= 0 && row < std::ssize(hand_->replaced) && hand_->replaced[static_cast<std::size_t>(row)] != 0;
}

std::int64_t SourceEdits::replaced_rows() const {
  return hand_ ? std::ranges::count_if(hand_->replaced, [](std::uint8_t one) { return one != 0; }) : 0;
}

const RowMark* SourceEdits::of(std::int64_t row) const {
  const auto found = at_.find(row);
  return found == at_.end() ? nullptr : &marks_[found->second];
}

std::int64_t SourceEdits::removed_rows() const {
  std::int64_t count = 0;
  for (const auto& [row, m] : at_) count += marks_[m].removed ? 1 : 0;
  return count;
}

RowMark& SourceEdits::mark_of(std::int64_t row, const std::vector<Source>& sources) {
  if (const RowMark* known = of(row); known != nullptr) return marks_[static_cast<std::size_t>(known - marks_.data())];
  const Source& source = sources.at(static_cast<std::size_t>(row));
  marks_.push_back({source.x, source.y, source.negative, false, false, {}});
  rows_.push_back(row);
  at_[row] = marks_.size() - 1;
  return marks_.back();
}

void SourceEdits::tidy() {
  std::vector<RowMark> marks;
  std::vector<std::int64_t> rows;
  for (std::size_t m = 0; m < marks_.size(); ++m) {
    if (marks_[m].empty()) continue;
    marks.push_back(std::move(marks_[m]));
    rows.push_back(rows_[m]);
  }
  marks_ = std::move(marks);
  rows_ = std::move(rows);
  index();
}

std::string SourceEdits::remove(const std::set<std::int64_t>& rows, const std::vector<Source>& sources) {
  std::string locked;
  std::size_t count = 0;
  for (const std::int64_t row : rows) {
    RowMark& mark = mark_of(row, sources);
    mark.removed = !mark.locked;
    if (!mark.locked) continue;
    locked += fmt::format("{}{}", locked.empty() ? "" : ", ", row);
    ++count;
  }
  tidy();
  return locked.empty() ? "" : fmt::format("{} {} locked", locked, count == 1 ? "is" : "are");
}

void SourceEdits::restore_all() {
  for (RowMark& mark : marks_) mark.removed = false;
  tidy();
}

void SourceEdits::lock(const std::set<std::int64_t>& rows, const std::vector<Source>& sources, bool on) {
  for (const std::int64_t row : rows) mark_of(row, sources).locked = on;
  tidy();
}

void SourceEdits::comment(std::int64_t row, const std::vector<Source>& sources, const std::string& text) {
  mark_of(row, sources).comment = text;
  tidy();
}

Catalogue with_edits(Catalogue catalogue, const SourceEdits& edits) {
  if (edits.empty()) return catalogue;
  const auto rows = static_cast<std::size_t>(catalogue.rows());
  std::vector<std::string> comments(rows);
  bool any = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const RowMark* mark = edits.of(static_cast<std::int64_t>(row));
    if (mark == nullptr || mark->comment.empty()) continue;
    comments[row] = mark->comment;
    any = true;
  }
  std::vector<std::string> origins(rows);
  for (std::size_t row = 0; row < rows; ++row) origins[row] = to_string(edits.origin(static_cast<std::int64_t>(row)));
  catalogue.columns.push_back({{"Origin", "", "meta.note",
                                "How the row came into the list: found by the finder; added, merged, split or moved by "
                                "hand; refitted beside such a row"},
                               std::move(origins)});
  if (any)
    catalogue.columns.push_back(
        {{"Comment", "", "meta.note", "Words of a person who looked at the source"}, std::move(comments)});
  catalogue.history.push_back(edits_note(edits));
  return catalogue;
}

}  // namespace reber::gui
