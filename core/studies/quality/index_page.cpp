// SPDX-License-Identifier: BSD-3-Clause
// Columns, ranks and outliers of an index.
#include "core/studies/quality/index_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/studies/match.hpp"
#include "core/studies/quality/markup.hpp"
#include "core/studies/quality/page_style.hpp"
#include "core/studies/quality/words.hpp"

namespace reber {
namespace {

using Status = Metric::Status;

struct Column {
  const MetricRow* row;
  std::string of;
};

const IndexEntry::Cell* cell_of(const IndexEntry& entry, const MetricRow* row, const std::string& of) {
  for (const IndexEntry::Cell& cell : entry.cells)
    if (cell.row == row && cell.of == of) return &cell;
  return nullptr;
}

/// Those of the table's order that any image has.
std::vector<Column> columns_of(const std::vector<IndexEntry>& entries) {
  std::vector<std::string> sets;
  for (const IndexEntry& entry : entries)
    for (const IndexEntry::Cell& cell : entry.cells)
      if (std::ranges::find(sets, cell.of) == sets.end()) sets.push_back(cell.of);
  std::vector<Column> columns;
  for (const std::string& of : sets)
    for (const MetricRow& row : kMetrics)
      if (std::ranges::any_of(entries, [&](const IndexEntry& entry) { return cell_of(entry, &row, of) != nullptr; }))
        columns.push_back({&row, of});
  return columns;
}

/// Places of the entries when they are sorted by key(entry), smallest first.
template <class Key>
std::vector<std::size_t> ranks(const std::vector<IndexEntry>& entries, Key key) {
  std::vector<std::size_t> order(entries.size()), ranks(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return key(entries[i]); });
  for (std::size_t k = 0; k < order.size(); ++k) ranks[order[k]] = k;
  return ranks;
}

std::string class_of(Status status) {
  return status == Status::uncertain ? "uncertain"
         : status == Status::fail    ? "fail"
         : status == Status::pass    ? "pass"
                                     : "none";
}

class Index {
 public:
  Index(const std::vector<IndexEntry>& entries, std::string program)
      : entries_(entries), program_(std::move(program)), columns_(columns_of(entries)) {}
  std::string written();

 private:
  [[nodiscard]] std::string sheet() const;
  void outliers();
  void table();
  void row(std::size_t which, const std::vector<std::vector<std::size_t>>& order);

  const std::vector<IndexEntry>& entries_;
  std::string program_;
  std::vector<Column> columns_;
  Markup out_;
};

std::string Index::sheet() const {
  std::string text = fmt::format(
      ".scroll{{overflow-x:auto}}table.index{{width:max-content;display:block}}.index thead,.index tbody{{display:flex;"
      "flex-direction:column}}.index tr{{display:grid;grid-template-columns:16rem repeat({},10rem)}}"
      ".index td.pass,.index td.none{{background:none}}.index td.uncertain{{color:var(--uncertain);background:"
      "var(--uncertain-bg)}}.index td.fail{{color:var(--fail);background:var(--fail-bg)}}.index td,.index "
      "th{{padding:8px}}"
      "@media print{{.scroll{{overflow:visible}}.index{{font-size:7pt}}}}",
      columns_.size());
  for (std::size_t k = 0; k <= columns_.size(); ++k)
    text += fmt::format("body:has(#sort{0}:checked) .index tbody tr{{order:var(--by{0})}}", k);
  return text;
}

void Index::outliers() {
  out_.open("section", {{"id", "outliers"}}).leaf("h2", "Images that stand out");
  bool any = false;
  for (const IndexEntry& entry : entries_) {
    std::string text;
    for (const std::string& one : what_stands_out(entry, entries_)) text += (text.empty() ? "" : "; ") + one;
    if (entry.failed) text = entry.verdict;
    if (text.empty()) continue;
    if (!any) out_.open("ul", {{"class", "warnings"}});
    any = true;
    out_.open("li").leaf("strong", entry.name + ": ").text(text).close();
  }
  if (any)
    out_.close();
  else
    out_.leaf("p", "None.");
  out_.close();
}

void Index::row(std::size_t which, const std::vector<std::vector<std::size_t>>& order) {
  const IndexEntry& entry = entries_[which];
  std::string places;
  for (std::size_t k = 0; k < order.size(); ++k) places += fmt::format("--by{}:{};", k, order[k][which]);
  out_.open("tr", {{"style", places}}).open("th", {{"scope", "row"}});
  if (entry.link.empty())
    out_.text(entry.name);
  else
    out_.leaf("a", entry.name, {{"href", entry.link}});
  out_.leaf("span", entry.verdict, {{"class", "how"}}).close();
  for (const Column& column : columns_) {
    const IndexEntry::Cell* const cell = cell_of(entry, column.row, column.of);
    if (cell == nullptr)
      out_.leaf("td", "-");
    else
      out_.leaf("td",
                (cell->status == Status::fail        ? "\u2717 "
                 : cell->status == Status::uncertain ? "? "
                                                     : "") +
                    cell->shown,
                {{"class", "number " + class_of(cell->status)}});
  }
  out_.close();
}

void Index::table() {
  std::vector<std::vector<std::size_t>> order{ranks(entries_, [](const IndexEntry& entry) { return entry.name; })};
  for (const Column& column : columns_)
    order.push_back(ranks(entries_, [&](const IndexEntry& entry) {
      const IndexEntry::Cell* const cell = cell_of(entry, column.row, column.of);
      return cell != nullptr && std::isfinite(cell->value) ? -cell->value : INFINITY;
    }));
  out_.open("section", {{"id", "table"}}).leaf("h2", "Metrics of every image");
  out_.leaf("p", "Choose a column to sort by it, largest first.");
  out_.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Metrics"}});
  out_.open("table", {{"class", "index"}}).open("thead").open("tr");
  const auto head = [&](std::size_t k, const std::string& title) {
    out_.open("th", {{"scope", "col"}}).open("label");
    out_.empty("input", {{"type", "radio"}, {"name", "sort"}, {"id", fmt::format("sort{}", k)}});
    out_.text(" " + title).close().close();
  };
  head(0, "Image");
  for (std::size_t k = 0; k < columns_.size(); ++k)
    head(k + 1, std::string(columns_[k].row->title) + (columns_[k].of.empty() ? "" : ", " + columns_[k].of));
  out_.close().close().open("tbody");
  for (std::size_t k = 0; k < entries_.size(); ++k) row(k, order);
  out_.close().close().close().close();
}

std::string Index::written() {
  const auto flagged = std::ranges::count_if(entries_, [](const IndexEntry& entry) {
    return entry.failed || std::ranges::any_of(entry.cells, [](const IndexEntry::Cell& cell) {
             return cell.status == Status::fail || cell.status == Status::uncertain;
           });
  });
  out_.open("html", {{"lang", "en"}}).open("head").empty("meta", {{"charset", "utf-8"}});
  out_.empty("meta", {{"name", "viewport"}, {"content", "width=device-width,initial-scale=1"}});
  out_.leaf("title", "Quality of images").style(kPageStyle).style(sheet()).close().open("body");
  out_.open("header").leaf("p", "Quality reports", {{"class", "kicker"}});
  out_.leaf("h1", fmt::format("{} images", entries_.size()));
  out_.leaf("p", flagged == 0 ? "Nothing is flagged." : fmt::format("Flagged, or without a report: {}.", flagged),
            {{"class", flagged == 0 ? "verdict pass" : "verdict uncertain"}});
  out_.close().open("main");
  outliers();
  table();
  out_.close().open("footer").leaf("p", "Made by " + program_ + ".").close().close().close();
  return out_.finished("<!DOCTYPE html>");
}

}  // namespace

IndexEntry index_entry(const Quality& quality, const std::string& link) {
  IndexEntry entry{std::filesystem::path(quality.input).filename().string(), link, verdict_of(quality), {}, false};
  for (const Metric& metric : quality.metrics)
    if (metric.status != Status::unmeasured)
      entry.cells.push_back({metric.row, metric.of, value_words(metric, quality), metric.value, metric.status});
  return entry;
}

std::vector<std::string> what_stands_out(const IndexEntry& entry, const std::vector<IndexEntry>& all) {
  constexpr std::int64_t kFewest = 5;
  constexpr double kScatters = 6, kPart = 0.1;
  // Those that good images already spread over factors of ten.
  static constexpr std::array<std::string_view, 3> kTailed{"ripple_amplitude", "counts_chi2", "dynamic_range"};
  std::vector<std::string> out;
  for (const IndexEntry::Cell& cell : entry.cells) {
    if (std::ranges::find(kTailed, cell.row->name) != kTailed.end()) continue;
    std::vector<double> values;
    for (const IndexEntry& other : all)
      if (const IndexEntry::Cell* const its = cell_of(other, cell.row, cell.of); its != nullptr)
        values.push_back(its->value);
    const Spread spread = spread_of(std::move(values));
    const double off = std::abs(cell.value - spread.median);
    if (spread.count < kFewest || !(off > kScatters * spread.scatter) || !(off > kPart * std::abs(spread.median)))
      continue;
    const std::string times =
        spread.median != 0 ? fmt::format(", {:.3g} times the median", cell.value / spread.median) : ", 0 in the median";
    out.push_back(std::string(cell.row->title) + (cell.of.empty() ? "" : " against " + cell.of) + " " + cell.shown +
                  times);
  }
  return out;
}

std::string index_page(const std::vector<IndexEntry>& entries, const std::string& program) {
  return Index(entries, program).written();
}

}  // namespace reber
