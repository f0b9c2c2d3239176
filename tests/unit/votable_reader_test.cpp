// SPDX-License-Identifier: BSD-3-Clause
// VOTables: every type of cell as text and in binary rows, and what is refused of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_readers.hpp"

namespace reber {
namespace {

std::string base64(const std::string& bytes) {
  static const char* const kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// An integer of so many bytes, the highest first.
std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

std::string number(double value) { return big_endian(std::bit_cast<std::uint64_t>(value), 8); }
std::string number(float value) { return big_endian(std::bit_cast<std::uint32_t>(value), 4); }

std::string document(const std::string& fields, const std::string& rows) {
  return "<VOTABLE><RESOURCE><TABLE>" + fields + "<DATA>" + rows + "</DATA></TABLE></RESOURCE></VOTABLE>";
}

std::string binary(const std::string& fields, const std::string& bytes, const std::string& tag = "BINARY") {
  return document(fields, "<" + tag + "><STREAM encoding='base64'>" + base64(bytes) + "</STREAM></" + tag + ">");
}

Catalogue read(const std::string& text) { return read_catalogue_votable(text, "t.vot", {}); }

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "it was taken";
}

std::string field(const std::string& name, const std::string& type, const std::string& size = "") {
  return "<FIELD name='" + name + "' datatype='" + type + "'" + (size.empty() ? "" : " arraysize='" + size + "'") +
         "/>";
}

const std::string kFields =
    field("flag", "boolean") + field("byte", "unsignedByte") + field("short", "short") + field("int", "int") +
    field("long", "long") + field("float", "float") + field("double", "double", "1") + field("word", "char", "3") +
    field("any", "char", "*") + field("wide", "unicodeChar", "*") + field("bits", "bit", "11") +
    field("pair", "double", "2") + field("waves", "floatComplex") + field("waves2", "doubleComplex") +
    field("matrix", "float", "2x2") + field("list", "short", "*");

/// 2x2 says its number of elements in a row, as a list without a length does.
std::string row_of_every_type() {
  return "T" + big_endian(200, 1) + big_endian(0xFFFE, 2) + big_endian(70'000, 4) +
         big_endian(std::uint64_t{1} << 40, 8) + number(0.5F) + number(2.25) + "abc" + big_endian(2, 4) + "de" +
         big_endian(3, 4) + std::string("\0f\0g\1h", 6) + "bb" + number(1.0) + number(2.0) + number(1.0F) +
         number(2.0F) + number(1.0) + number(2.0) + big_endian(4, 4) + number(1.0F) + number(2.0F) + number(3.0F) +
         number(4.0F) + big_endian(2, 4) + "xxyy";
}

void expect_row_of_every_type(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Column& column : catalogue.columns) names.push_back(column.info.name);
  ASSERT_EQ(names, (std::vector<std::string>{"flag", "byte", "short", "int", "long", "float", "double", "word", "any",
                                             "wide"}));
  const auto whole = [&](std::size_t i) {
    return std::get<std::vector<std::int64_t>>(catalogue.columns[i].values).at(0);
  };
  const auto real = [&](std::size_t i) { return std::get<std::vector<double>>(catalogue.columns[i].values).at(0); };
  const auto text = [&](std::size_t i) {
    return std::get<std::vector<std::string>>(catalogue.columns[i].values).at(0);
  };
  EXPECT_EQ(whole(0), 1);
  EXPECT_EQ(whole(1), 200);
  EXPECT_EQ(whole(2), -2);
  EXPECT_EQ(whole(3), 70'000);
  EXPECT_EQ(whole(4), std::int64_t{1} << 40);
  EXPECT_EQ(real(5), 0.5);
  EXPECT_EQ(real(6), 2.25);
  EXPECT_EQ(text(7), "abc");
  EXPECT_EQ(text(8), "de");
  EXPECT_EQ(text(9), "fg?");
}

TEST(VotableReader, BinaryRowsOfEveryType) {
  expect_row_of_every_type(read(binary(kFields, row_of_every_type())));
  expect_row_of_every_type(read(binary(kFields, std::string("\0\0", 2) + row_of_every_type(), "BINARY2")));
}

/// Wherever they are cut, and whatever a cell says of its own length.
TEST(VotableReader, BinaryRowsThatEndWithinARowAreRefused) {
  const std::string row = row_of_every_type();
  for (std::size_t size = 1; size < row.size(); ++size)
    EXPECT_NE(refusal(binary(kFields, row.substr(0, size))).find("end within a row"), std::string::npos) << size;
  EXPECT_NE(refusal(binary(field("a", "char", "*"), "\xFF\xFF\xFF\xFF")).find("end within a row"), std::string::npos);
  EXPECT_NE(refusal(binary(field("a", "bit", "16777215"), "x")).find("end within a row"), std::string::npos);
  EXPECT_NE(refusal(binary(field("a", "double"), "", "BINARY2")).find("it was taken"), std::string::npos);
}

TEST(VotableReader, BinaryRowsThatCannotBeReadAreRefusedWithTheReason) {
  const auto stream = [](const std::string& fields, const std::string& text) {
    return refusal(document(fields, "<BINARY><STREAM encoding='base64'" + text + "</STREAM></BINARY>"));
  };
  EXPECT_NE(stream(field("a", "double"), ">AAAA*AAA").find("not base 64"), std::string::npos);
  EXPECT_NE(stream(field("a", "double"), " href='http://x.org/rows'>").find("another file (http://x.org/rows)"),
            std::string::npos);
  EXPECT_NE(stream(field("a", "char", "0"), ">AAAA").find("rows of no bytes"), std::string::npos);
  EXPECT_EQ(stream(field("a", "unsignedByte"), "> AQ\t\r\nID = = junk"), "it was taken");
  EXPECT_NE(refusal(document(field("a", "double"), "<FITS><STREAM href='x'/></FITS>")).find("FITS file within it"),
            std::string::npos);
}

TEST(VotableReader, RowsOfTextHaveAsManyCellsAsThereAreFields) {
  const std::string two = field("flag", "boolean") + "<FIELD ID='b' datatype='int'/>";
  const auto rows = [&](const std::string& text) { return document(two, "<TABLEDATA>" + text + "</TABLEDATA>"); };
  const Catalogue catalogue =
      read(rows("<TR><TD>True</TD><TD>1</TD></TR><TR><TD>1</TD></TR><TR><TD>f</TD><TD> 3 </TD></TR><TR/>"));
  ASSERT_EQ(catalogue.columns.size(), 2U);
  EXPECT_EQ(catalogue.columns[1].info.name, "b");
  EXPECT_EQ(catalogue.rows(), 4);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(catalogue.columns[0].values), (std::vector<std::int64_t>{1, 1, 0, 0}));
  const auto& values = std::get<std::vector<double>>(catalogue.columns[1].values);
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_NE(refusal(rows("<TR><TD>T</TD><TD>1</TD><TD>2</TD></TR>")).find("more cells than there are FIELDs (2)"),
            std::string::npos);
  EXPECT_NE(refusal("<VOTABLE><TABLE>" + two + "<DATA><TABLEDATA><TR><TD>T</TD></TR>").find("truncated"),
            std::string::npos);
}

/// Until its rows are whole; what follows them says nothing more of the table.
TEST(VotableReader, ADocumentThatIsCutAnywhereBeforeItsLastRowIsRefused) {
  const std::string texts = "<TABLEDATA><TR><TD>1</TD></TR><TR><TD>2</TD></TR></TABLEDATA>";
  const std::string column = field("a", "double");
  for (const std::string& whole :
       {document(column, texts), binary(column, number(1.0) + number(2.0)),
        binary(column, std::string(1, '\0') + number(1.0), "BINARY2"), document(column, "")}) {
    const std::size_t rows = std::min({whole.find("</TABLEDATA>"), whole.find("</STREAM>"), whole.find("</VOTABLE>")});
    for (std::size_t size = 1; size <= rows; ++size) {
      const std::string words = refusal(whole.substr(0, size));
      EXPECT_TRUE(words.find("truncated") != std::string::npos || size < sizeof("<VOTABLE>")) << size << ": " << words;
      EXPECT_NE(words, "it was taken") << whole.substr(0, size);
    }
    EXPECT_EQ(refusal(whole), "it was taken");
  }
}

TEST(VotableReader, ATableWithoutRowsHasItsColumns) {
  for (const char* size : {"", "-1", "3x", "99999999", "99999999999999999999"}) {
    const Catalogue catalogue =
        read("<VOTABLE><TABLE>" + field("word", "char", size) + field("x", "double") + "</TABLE></VOTABLE>");
    ASSERT_EQ(catalogue.columns.size(), 2U) << size;
    EXPECT_EQ(catalogue.rows(), 0) << size;
  }
}

}  // namespace
}  // namespace reber
