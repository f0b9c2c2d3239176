// SPDX-License-Identifier: BSD-3-Clause
// Sizes and colours of marks by column.
#include "gui/model/tables/mark_look.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gui/model/mark_look_json.hpp"

namespace reber::gui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Catalogue catalogue_of(std::vector<double> values) {
  Catalogue made;
  made.columns.push_back({{"Total_flux", "Jy", "", ""}, std::move(values)});
  made.columns.push_back({{"Name", "", "", ""}, std::vector<std::string>(5, "a")});
  return made;
}

void expect_parts(const MarkParts& parts, const std::vector<double>& expected) {
  ASSERT_EQ(parts.part.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(parts.part[i])) << i;
    else
      EXPECT_NEAR(parts.part[i], expected[i], 1e-6) << i;
  }
}

TEST(MarkLook, limits_are_the_columns) {
  const Catalogue catalogue = catalogue_of({1, 2, kNan, 5, kInf});
  const MarkParts parts = mark_parts(catalogue, {"Total_flux"});
  EXPECT_EQ(parts.title, "Total_flux (Jy)");
  EXPECT_EQ(parts.low, 1);
  EXPECT_EQ(parts.high, 5);
  expect_parts(parts, {0, 0.25, kNan, 1, kNan});
}

TEST(MarkLook, scalings_go_there_and_back) {
  const Catalogue catalogue = catalogue_of({-1, 0, 1, 10, 100});
  const MarkAxis log{"Total_flux", MarkScaling::log}, root{"Total_flux", MarkScaling::sqrt, true, 0, 100};
  expect_parts(mark_parts(catalogue, log), {kNan, kNan, 0, 0.5, 1});
  expect_parts(mark_parts(catalogue, root), {0, 0, 0.1, std::sqrt(0.1), 1});
  for (const MarkAxis& axis : {log, root, MarkAxis{"Total_flux"}}) {
    const MarkParts parts = mark_parts(catalogue, axis);
    EXPECT_NEAR(mark_value(axis, parts, parts.part[3]), 10, 1e-4);
  }
  // A lower limit that a logarithm has no place for.
  EXPECT_EQ(mark_parts(catalogue, {"Total_flux", MarkScaling::log, true, -5, 10}).low, 1);
}

TEST(MarkLook, a_column_of_one_value_of_none_or_of_text) {
  expect_parts(mark_parts(catalogue_of({3, 3, 3, kNan, 3}), {"Total_flux"}), {0.5, 0.5, 0.5, kNan, 0.5});
  const MarkParts none = mark_parts(catalogue_of({kNan, kNan, kNan, kNan, kNan}), {"Total_flux"});
  EXPECT_TRUE(std::isnan(none.low) && std::isnan(none.high));
  expect_parts(none, {kNan, kNan, kNan, kNan, kNan});
  EXPECT_TRUE(mark_parts(catalogue_of({1}), {"Peak_flux"}).part.empty());
  EXPECT_EQ(number_columns(catalogue_of({1})), std::vector<std::string>{"Total_flux"});
}

TEST(MarkLook, json_keeps_it_and_mends_what_cannot_be) {
  MarkLook look;
  look.size = {"Total_flux", MarkScaling::log, true, 1e-3, 2};
  look.colour.column = "SNR";
  look.most = 25;
  EXPECT_EQ(mark_look_from(JsonObject(to_json(look), "test")), look);
  Json odd = to_json(look);
  odd["radius"] = {9, -1};
  odd["size"]["limits"] = {1};
  const MarkLook mended = mark_look_from(JsonObject(odd, "test"));
  EXPECT_EQ(mended.most, MarkLook().most);
  EXPECT_FALSE(mended.size.own_limits);
  EXPECT_NE(look_key(look), look_key(mended));
  EXPECT_EQ(look_key(MarkLook()), 0U);
}

}  // namespace
}  // namespace reber::gui
