// SPDX-License-Identifier: BSD-3-Clause
// Catalogues in FITS tables of every form, binary and ASCII, and those whose columns cannot be.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::header;
using testing_files::save;
using testing_files::TemporaryFolder;

/// A file whose first extension is a table of these rows.
std::string table(const char* kind, int row_bytes, int rows, const std::vector<std::string>& columns,
                  std::string data) {
  std::vector<std::string> cards{
      std::string("XTENSION= '") + kind + "'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = " + std::to_string(row_bytes),
      "NAXIS2  = " + std::to_string(rows),     "PCOUNT  = 0", "GCOUNT  = 1"};
  data.resize((data.size() + 2879) / 2880 * 2880, *kind == 'T' ? ' ' : '\0');
  return header({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"}) + header(testing_files::joined(cards, columns)) + data;
}

Catalogue read(const std::string& bytes) {
  const TemporaryFolder folder;
  save(folder.file("t.fits"), bytes);
  return read_catalogue(folder.file("t.fits"));
}

std::vector<double> numbers(const Catalogue& catalogue, const char* name) {
  const Column* const column = catalogue.find(name);
  EXPECT_NE(column, nullptr) << name;
  if (column == nullptr) return {};
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column->values))
    return {whole->begin(), whole->end()};
  return std::get<std::vector<double>>(column->values);
}

TEST(CatalogueTables, AsciiTablesAreReadByTheirPlaces) {
  //                         1234567890123456789012345
  const std::string first = "NGC 1   10.25  -1.5D+01  7";
  const std::string second = "        359.5   2.0E-01   ";
  const Catalogue catalogue =
      read(table("TABLE", 26, 2,
                 {"TFIELDS = 4", "TTYPE1  = 'Name'", "TFORM1  = 'A7'", "TBCOL1  = 1", "TTYPE2  = 'RA'",
                  "TFORM2  = 'F6.2'", "TBCOL2  = 9", "TUNIT2  = 'deg'", "TTYPE3  = 'DEC'", "TFORM3  = 'D9.1'",
                  "TBCOL3  = 16", "TFORM4  = 'I2'", "TBCOL4  = 25"},
                 first + second));
  ASSERT_EQ(catalogue.rows(), 2);
  EXPECT_EQ(std::get<std::vector<std::string>>(catalogue.find("Name")->values),
            (std::vector<std::string>{"NGC 1", ""}));
  EXPECT_EQ(numbers(catalogue, "RA"), (std::vector<double>{10.25, 359.5}));
  EXPECT_EQ(numbers(catalogue, "DEC"), (std::vector<double>{-15, 0.2}));
  EXPECT_EQ(catalogue.find("RA")->info.unit, "deg");
  const std::vector<double> unnamed = numbers(catalogue, "col4");
  ASSERT_EQ(unnamed.size(), 2U);
  EXPECT_EQ(unnamed[0], 7);
  EXPECT_TRUE(std::isnan(unnamed[1]));
}

TEST(CatalogueTables, BinaryColumnsOfEveryType) {
  // L B I J K E D, two bytes of bits, a pair, 3 of text: 1+1+2+4+8+4+8+2+16+3 bytes.
  const std::string row(
      "T\xff\xff\xfe\0\0\0\x07\0\0\0\0\0\0\0\x09\x3f\x80\0\0\x40\0\0\0\0\0\0\0\0\0"
      "0123456789abcdefxyz",
      49);
  const std::string other(
      "F\x01\x80\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0\x7f\xc0\0\0\0\0\0\0\0\0\0\0\0\0"
      "0123456789abcdef\0  ",
      49);
  std::vector<std::string> cards{"TFIELDS = 10"};
  const char* forms[] = {"1L", "B", "1I", "1J", "1K", "1E", "1D", "9X", "1M", "3A"};
  for (int i = 1; i <= 10; ++i) {
    cards.push_back("TTYPE" + std::to_string(i) + (i < 10 ? "  = 'c" : " = 'c") + std::to_string(i) + "'");
    cards.push_back("TFORM" + std::to_string(i) + (i < 10 ? "  = '" : " = '") + forms[i - 1] + "'");
  }
  cards.push_back("TNULL3  = -32768");
  cards.push_back("TSCAL4  = 0.5");
  cards.push_back("TZERO4  = 10");
  const Catalogue catalogue = read(table("BINTABLE", 49, 2, cards, row + other));
  EXPECT_EQ(numbers(catalogue, "c1"), (std::vector<double>{1, 0}));
  EXPECT_EQ(numbers(catalogue, "c2"), (std::vector<double>{255, 1}));
  EXPECT_EQ(numbers(catalogue, "c3")[0], -2);
  EXPECT_TRUE(std::isnan(numbers(catalogue, "c3")[1]));
  EXPECT_EQ(numbers(catalogue, "c4"), (std::vector<double>{13.5, 9.5}));
  EXPECT_EQ(numbers(catalogue, "c5"), (std::vector<double>{9, 0}));
  EXPECT_EQ(numbers(catalogue, "c6")[0], 1);
  EXPECT_TRUE(std::isnan(numbers(catalogue, "c6")[1]));
  EXPECT_EQ(numbers(catalogue, "c7"), (std::vector<double>{2, 0}));
  EXPECT_EQ(catalogue.find("c8"), nullptr);
  EXPECT_EQ(catalogue.find("c9"), nullptr);
  EXPECT_EQ(std::get<std::vector<std::string>>(catalogue.find("c10")->values), (std::vector<std::string>{"xyz", ""}));
}

TEST(CatalogueTables, ColumnsThatCannotBeAreRefused) {
  const auto message = [](const std::string& bytes) -> std::string {
    try {
      (void)read(bytes);
    } catch (const DataError& error) {
      return error.what();
    }
    return "was read";
  };
  const auto ascii = [&](const char* form, const char* start) {
    return message(
        table("TABLE", 10, 1, {"TFIELDS = 1", std::string("TFORM1  = '") + form + "'", start}, "1234567890"));
  };
  EXPECT_NE(ascii("I11", "TBCOL1  = 1").find("lies outside the rows of 10 bytes"), std::string::npos);
  EXPECT_NE(ascii("I5", "TBCOL1  = 7").find("lies outside"), std::string::npos);
  EXPECT_NE(ascii("I5", "TBCOL1  = 0").find("lies outside"), std::string::npos);
  EXPECT_NE(ascii("I", "TBCOL1  = 1").find("lies outside"), std::string::npos);
  EXPECT_EQ(ascii("I5", "TBCOL1  = 6"), "was read");
  EXPECT_NE(message(table("BINTABLE", 8, 1, {"TFIELDS = 1000"}, "12345678")).find("TFIELDS=1000"), std::string::npos);
}

}  // namespace
}  // namespace reber
