// SPDX-License-Identifier: BSD-3-Clause
// DATASUM and CHECKSUM of files that are read: those that astropy wrote, damaged ones, rows of odd lengths, cubes.
#include "core/files/fits/file_sums.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/files/image/image_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::data_blocks;
using testing_files::header;
using testing_files::save;
using testing_files::TemporaryFolder;

template <class Value>
std::string ramp(std::size_t count, int first) {
  std::vector<Value> values(count);
  std::iota(values.begin(), values.end(), static_cast<Value>(first));
  return data_blocks(values);
}

/// A header as astropy writes it with sums.
std::string stated(int bitpix, const std::string& checksum, const std::string& datasum, const std::vector<int>& axes) {
  std::vector<std::string> cards{"SIMPLE  =                    T / conforms to FITS standard",
                                 fmt::format("BITPIX  = {:20} / array data type", bitpix),
                                 fmt::format("NAXIS   = {:20} / number of array dimensions", axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) cards.push_back(fmt::format("NAXIS{}  = {:20}", i + 1, axes[i]));
  cards.insert(cards.end(), {"EXTEND  =                    T", fmt::format("CHECKSUM= '{}'   / x", checksum),
                             fmt::format("{:31}/ x", fmt::format("DATASUM = '{:8}'", datasum))});
  return header(cards);
}

class FileSums : public testing::Test {
 protected:
  /// The verdict after the plane was read in pieces of `rows`, and again; "none" where nothing is stated.
  std::string verdict(const std::string& bytes, std::int64_t rows, const OpenOptions& options = {}) {
    save(folder_.file("image.fits"), bytes);
    const ImagePlane image = ImagePlane::open(folder_.file("image.fits"), options);
    const auto sums = image.sums();
    if (!sums) return "none";
    cheap_ = sums->cheap();
    const auto pixels = image.pixels();
    const auto watched = sums->watch(*pixels);
    const PixelSource& source = watched ? *watched : *pixels;
    const Shape shape = source.shape();
    std::vector<std::byte> out(static_cast<std::size_t>(shape.count() * 8));
    for (int round = 0; round < 2; ++round)
      for (std::int64_t y = 0; y < shape.ny; y += rows) source.read_rows(y, std::min(rows, shape.ny - y), out.data());
    return sums->verdict({});
  }
  TemporaryFolder folder_;
  bool cheap_ = false;
};

struct Written {
  std::string head, data;
};

/// Files with sums by astropy, of rows that are whole words and of rows that are not.
std::vector<Written> written_by_astropy() {
  return {{stated(-32, "AFiWAChUAChUAChU", "1088421889", {3, 2}), ramp<float>(6, 0)},
          {stated(16, "HZeaJXdWHXdaHXdW", "196612", {3, 5}), ramp<std::int16_t>(15, -7)},
          {stated(8, "7IUJAISH0ISH7ISH", "1009594935", {7, 3}), ramp<std::uint8_t>(21, 0)}};
}

TEST_F(FileSums, agree_with_those_of_astropy_however_rows_are_read) {
  for (const Written& file : written_by_astropy())
    for (const std::int64_t rows : {1, 2, 5}) {
      EXPECT_EQ(verdict(file.head + file.data, rows), "") << file.head.substr(80, 40) << ", pieces of " << rows;
      EXPECT_TRUE(cheap_);
    }
}

TEST_F(FileSums, notice_every_byte_of_the_data) {
  for (const Written& file : written_by_astropy())
    for (std::size_t at = 0; at < 24; ++at) {
      std::string data = file.data;
      data[at] = static_cast<char>(data[at] + 1);
      EXPECT_NE(verdict(file.head + data, 2).find("but the data sum to"), std::string::npos) << "byte " << at;
    }
}

TEST_F(FileSums, notice_a_changed_card) {
  Written file = written_by_astropy().front();
  file.head.replace(file.head.find("conforms"), 8, "deforms ");
  const std::string said = verdict(file.head + file.data, 2);
  EXPECT_NE(said.find("CHECKSUM does not fit the HDU's bytes, though DATASUM fits the data"), std::string::npos)
      << said;
}

TEST_F(FileSums, of_a_header_without_them_or_with_none_stated) {
  const Written file = written_by_astropy().front();
  EXPECT_EQ(
      verdict(header({"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2"}) + file.data, 2),
      "none");
  EXPECT_EQ(verdict(stated(-32, "", "", {3, 2}) + file.data, 2), "none");
}

TEST_F(FileSums, that_are_no_number_are_named) {
  const std::string said = verdict(stated(-32, "", "12x", {3, 2}) + written_by_astropy().front().data, 2);
  EXPECT_EQ(said, "DATASUM '12x' is not a sum of 32 bits, written in decimal digits");
}

TEST_F(FileSums, of_a_cube_are_those_of_all_its_planes) {
  OpenOptions plane;
  plane.plane = 1;
  const std::string head = stated(-32, "", "3642753029", {3, 4, 2});
  std::string data = ramp<float>(24, 0);
  EXPECT_EQ(verdict(head + data, 2, plane), "");
  data[0] = 1;  // of the other plane
  EXPECT_NE(verdict(head + data, 2, plane), "");
}

}  // namespace
}  // namespace reber
