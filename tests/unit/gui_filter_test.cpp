// SPDX-License-Identifier: BSD-3-Clause
// The filter of the source table: what it accepts, what it refuses, how fast it is; sorting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "core/base/error.hpp"
#include "gui/model/tables/filter_expression.hpp"
#include "gui/model/tables/row_sort.hpp"
#include "gui/model/tables/source_table.hpp"
#include "tests/support/slower.hpp"
#include "tests/support/testing.hpp"

namespace reber::gui {
namespace {

using Bytes = std::vector<std::uint8_t>;

Catalogue small() {
  Catalogue catalogue;
  catalogue.columns.push_back({{"Source_id", "", "", ""}, std::vector<std::int64_t>{0, 1, 2, 3, 4}});
  catalogue.columns.push_back({{"SNR", "", "", ""}, std::vector<double>{5, 9, 12, NAN, 9}});
  catalogue.columns.push_back({{"Maj", "deg", "", ""}, std::vector<double>{0.005, 0.009, 0.008, 0.001, 0.02}});
  catalogue.columns.push_back({{"S_Code", "", "", ""}, std::vector<std::string>{"S", "C", "C", "S", "C"}});
  catalogue.columns.push_back({{"Flag", "", "", ""}, std::vector<std::int64_t>{0, 1, 9, 8, 16}});
  catalogue.columns.push_back({{"RA", "deg", "pos.eq.ra;meta.main", ""}, std::vector<double>{10, 20, 30, 40, 50}});
  return catalogue;
}

Bytes accepted(const std::string& text) {
  const Catalogue catalogue = small();
  return FilterExpression(text, catalogue).evaluate(catalogue);
}

std::string refusal(const std::string& text) {
  try {
    (void)accepted(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GuiFilter, TakesTheExampleOfTheManual) {
  EXPECT_EQ(accepted("SNR > 7 && Maj*3600 < 30 && S_Code == \"C\""), (Bytes{0, 0, 1, 0, 0}));
  EXPECT_EQ(accepted("snr > 7 and maj*3600 < 40 and s_code = 'C'"), (Bytes{0, 1, 1, 0, 0}));
}

TEST(GuiFilter, BindsAsArithmeticAndLogicDo) {
  EXPECT_EQ(accepted("1 + 2*3 == 7"), (Bytes{1, 1, 1, 1, 1}));
  EXPECT_EQ(accepted("-2^2 == -4 && 2^-1 == 0.5 && 2^3^2 == 512"), (Bytes{1, 1, 1, 1, 1}));
  EXPECT_EQ(accepted("8/4/2 == 1 && 8 - 4 - 2 == 2"), (Bytes{1, 1, 1, 1, 1}));
  EXPECT_EQ(accepted("Source_id == 0 || Source_id == 1 && SNR > 100"), (Bytes{1, 0, 0, 0, 0}));
  EXPECT_EQ(accepted("(Source_id == 0 || Source_id == 1) && SNR > 6"), (Bytes{0, 1, 0, 0, 0}));
  EXPECT_EQ(accepted("!(Source_id < 3)"), (Bytes{0, 0, 0, 1, 1}));
  EXPECT_EQ(accepted("not Source_id < 3"), (Bytes{0, 0, 0, 1, 1}));
  EXPECT_EQ(accepted("Flag & 8"), (Bytes{0, 0, 1, 1, 0}));
  EXPECT_EQ(accepted("Flag & 1 == 0"), (Bytes{1, 0, 0, 1, 1})) << "& binds closer than ==, unlike in C";
  EXPECT_EQ(accepted("sqrt(abs(-4)) == 2 && log10(100) == 2 && ln(exp(1)) == 1"), (Bytes{1, 1, 1, 1, 1}));
}

TEST(GuiFilter, AMissingValueFailsEveryComparison) {
  EXPECT_EQ(accepted("SNR > 0"), (Bytes{1, 1, 1, 0, 1}));
  EXPECT_EQ(accepted("SNR != 5"), (Bytes{0, 1, 1, 0, 1}));
  EXPECT_EQ(accepted("isnan(SNR)"), (Bytes{0, 0, 0, 1, 0}));
  EXPECT_EQ(accepted("SNR"), (Bytes{1, 1, 1, 0, 1}));
}

TEST(GuiFilter, ComparesText) {
  EXPECT_EQ(accepted("S_Code != \"C\""), (Bytes{1, 0, 0, 1, 0}));
  EXPECT_EQ(accepted("\"C\" == S_Code"), (Bytes{0, 1, 1, 0, 1}));
  EXPECT_EQ(accepted("S_Code ~ \"\""), (Bytes{1, 1, 1, 1, 1}));
  EXPECT_EQ(accepted(""), (Bytes{1, 1, 1, 1, 1}));
}

std::string many(char c) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text.push_back(c);
  return text;
}

TEST(GuiFilter, SaysWhatItExpectedAndWhere) {
  EXPECT_EQ(refusal("SNT > 7"), "filter, character 1: there is no column SNT; did you mean SNR?");
  EXPECT_NE(refusal("SNR > "), "accepted");
  EXPECT_NE(refusal("SNR > 7 &&").find("missing at the end"), std::string::npos);
  EXPECT_NE(refusal("(SNR > 7").find("character 1: this parenthesis is not closed"), std::string::npos);
  EXPECT_NE(refusal("SNR > 7)").find("left over"), std::string::npos);
  EXPECT_NE(refusal("S_Code > 7").find("compared"), std::string::npos);
  EXPECT_NE(refusal("S_Code").find("holds text"), std::string::npos);
  EXPECT_NE(refusal("S_Code + 1 > 0").find("holds text"), std::string::npos);
  EXPECT_NE(refusal("SNR == \"C\"").find("text is compared"), std::string::npos);
  EXPECT_NE(refusal("S_Code < \"C\"").find("compared by =="), std::string::npos);
  EXPECT_NE(refusal("S_Code == \"C").find("has no end"), std::string::npos);
  EXPECT_NE(refusal("sqrt 4").find("parentheses"), std::string::npos);
  EXPECT_NE(refusal(many('(')).find("within each other"), std::string::npos);
  EXPECT_NE(refusal(many('-')).find("within each other"), std::string::npos);
  EXPECT_NE(refusal(many('!')).find("within each other"), std::string::npos);
  EXPECT_NE(refusal("SNR ; 1").find("left over"), std::string::npos);
}

SourceTable table() {
  SourceTable table;
  table.assign(std::make_shared<Catalogue>(small()));
  return table;
}

TEST(GuiTable, SortsStablyWithMissingValuesLast) {
  SourceTable t = table();
  t.sort(1, false);
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{0, 1, 4, 2, 3}));
  t.sort(1, true);
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{2, 1, 4, 0, 3}));
  t.sort(3, false);
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{1, 2, 4, 0, 3}));
  t.unsort();
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(GuiTable, SortsNumbersAndTextOfEverySize) {
  const Column numbers{{"v", "", "", ""},
                       std::vector<double>{0.0, -0.0, -1, INFINITY, -INFINITY, 1e-300, NAN, -1e300, 5}};
  EXPECT_EQ(sorted_rows(numbers, false), (std::vector<std::uint32_t>{4, 7, 2, 0, 1, 5, 8, 3, 6}));
  const Column whole{{"v", "", "", ""}, std::vector<std::int64_t>{3, INT64_MIN, -1, INT64_MAX, 0}};
  EXPECT_EQ(sorted_rows(whole, true), (std::vector<std::uint32_t>{3, 0, 4, 2, 1}));
  const Column text{{"v", "", "", ""},
                    std::vector<std::string>{"J1200-4312345b", "J1200-4312345a", "J12", "", "J1200-4312345ab"}};
  EXPECT_EQ(sorted_rows(text, false), (std::vector<std::uint32_t>{3, 2, 1, 4, 0}));
  EXPECT_EQ(sorted_rows(text, true), (std::vector<std::uint32_t>{0, 4, 1, 2, 3}));
}

TEST(GuiTable, FilterAndOrderGoTogetherAndOutliveANewCatalogue) {
  SourceTable t = table();
  t.sort(2, true);
  t.set_filter("SNR > 7");
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{4, 1, 2}));
  EXPECT_EQ(t.place_of(1), 1U);
  EXPECT_FALSE(t.place_of(0).has_value());
  EXPECT_EQ(t.neighbour(4, 1), 1U);
  EXPECT_EQ(t.neighbour(2, 1), 2U);
  EXPECT_EQ(t.neighbour(std::nullopt, -1), 2U);
  Catalogue next = small();
  std::get<std::vector<double>>(next.columns[1].values)[0] = 100;
  t.assign(std::make_shared<Catalogue>(next));
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{4, 1, 2, 0}));
}

TEST(GuiTable, ABadFilterChangesNothingAndSaysWhy) {
  SourceTable t = table();
  t.set_filter("SNR > 7");
  t.set_filter("SNR > 7 && Mja < 1");
  EXPECT_EQ(t.shown().size(), 3U);
  EXPECT_NE(t.filter_error().find("did you mean Maj?"), std::string::npos);
  t.set_filter("SNRR");
  EXPECT_NE(t.filter_error().find("did you mean SNR?"), std::string::npos);
  t.set_filter("2");
  EXPECT_TRUE(t.filter_error().empty());
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{2}));
  t.set_filter("C");
  EXPECT_EQ(t.shown(), (std::vector<std::uint32_t>{1, 2, 4}));
}

TEST(GuiTable, TheSubsetIsWhatIsShown) {
  SourceTable t = table();
  t.sort(2, true);
  t.set_filter("S_Code == \"C\"");
  const Catalogue subset = t.subset();
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(subset.find("Source_id")->values),
            (std::vector<std::int64_t>{4, 1, 2}));
  ASSERT_EQ(subset.history.size(), 1U);
  EXPECT_EQ(subset.history[0], "3 of 5 rows, filter: S_Code == \"C\"");
}

TEST(GuiTable, CellsReadAsNumbersOfTheirKind) {
  const Catalogue catalogue = small();
  EXPECT_EQ(cell_text(*catalogue.find("RA"), 1), "20.000000");
  EXPECT_EQ(cell_text(*catalogue.find("SNR"), 3), "");
  EXPECT_EQ(cell_text(*catalogue.find("Maj"), 0), "0.005");
  EXPECT_EQ(cell_text(*catalogue.find("S_Code"), 0), "S");
  EXPECT_TRUE(std::isnan(cell_number(*catalogue.find("S_Code"), 0)));
}

TEST(GuiTable, ColumnsHaveTheirPointsBelowEachOther) {
  Column column;
  column.info.name = "Total_flux";
  column.values = std::vector<double>{0.00037925, 7.4133e-05, 0.0012, NAN, 0};
  const int decimals = decimals_of(column);
  EXPECT_EQ(decimals, 8);
  EXPECT_EQ(cell_text(column, 0, decimals), "0.00037925");
  EXPECT_EQ(cell_text(column, 1, decimals), "0.00007413");
  EXPECT_EQ(cell_text(column, 2, decimals), "0.00120000");
  EXPECT_EQ(cell_text(column, 3, decimals), "");
  column.values = std::vector<double>{12.5, 1e20, 13};
  EXPECT_EQ(cell_text(column, 1, decimals_of(column)), "1e+20");
  column.values = std::vector<double>{0, NAN};
  EXPECT_EQ(decimals_of(column), -1);
}

Catalogue million() {
  constexpr std::size_t kRows = 1'000'000;
  testing::Random random(5);
  std::vector<double> snr(kRows), major(kRows);
  std::vector<std::string> code(kRows), name(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    snr[i] = 5 / (random.uniform() + 1e-6);
    major[i] = random.uniform() * 0.02;
    code[i] = std::string(1, random.uniform() < 0.3 ? 'C' : 'S');
    name[i] = fmt::format("J{:06.0f}-{:06.0f}", random.uniform() * 240000, random.uniform() * 900000);
  }
  Catalogue catalogue;
  catalogue.columns.push_back({{"SNR", "", "", ""}, std::move(snr)});
  catalogue.columns.push_back({{"Maj", "deg", "", ""}, std::move(major)});
  catalogue.columns.push_back({{"S_Code", "", "", ""}, std::move(code)});
  catalogue.columns.push_back({{"Name", "", "", ""}, std::move(name)});
  return catalogue;
}

/// Least time of three, milliseconds.
template <class Work>
double milliseconds(const Work& work) {
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(GuiTable, AMillionRowsAreSortedAndFilteredInATenthOfASecond) {
  SourceTable t;
  t.assign(std::make_shared<Catalogue>(million()));
  const double sort_ms = milliseconds([&] { t.sort(0, !t.sort_descending()); });
  const double filter_ms = milliseconds([&] { t.set_filter("SNR > 7 && Maj*3600 < 30 && S_Code == \"C\""); });
  const double text_ms = milliseconds([&] { t.sort(2, !t.sort_descending()); });
  const double name_ms = milliseconds([&] { t.sort(3, !t.sort_descending()); });
  RecordProperty("sort_ms", fmt::format("{:.1f}", sort_ms));
  RecordProperty("filter_ms", fmt::format("{:.1f}", filter_ms));
  fmt::print("10^6 rows: sort {:.1f} ms, filter {:.1f} ms, text sort {:.1f} ms, name sort {:.1f} ms\n", sort_ms,
             filter_ms, text_ms, name_ms);
  // The promise is 100 ms on a machine that does nothing else; a shared one may be four times slower.
  EXPECT_LE(sort_ms, 400 * testing::kSlower);
  EXPECT_LE(filter_ms, 400 * testing::kSlower);
  const auto& shown = t.shown();
  const auto& snr = std::get<std::vector<double>>(t.catalogue().columns[0].values);
  t.sort(0, true);
  ASSERT_GT(shown.size(), 1000U);
  for (std::size_t i = 1; i < shown.size(); ++i) ASSERT_GE(snr[shown[i - 1]], snr[shown[i]]);
}

}  // namespace
}  // namespace reber::gui
