// SPDX-License-Identifier: BSD-3-Clause
// FITS files whose HDUs are no images, and blank values that mean nothing: what is told of them.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::data_blocks;
using testing_files::header;
using testing_files::joined;
using testing_files::save;
using testing_files::sky_cards;
using testing_files::TemporaryFolder;

/// A 3 x 2 image of these pixels with these further cards.
template <class Value>
std::string small_image(int bitpix, const std::vector<Value>& pixels, const std::vector<std::string>& more) {
  return header(
             joined({"SIMPLE  = T", "BITPIX  = " + std::to_string(bitpix), "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2"},
                    more)) +
         data_blocks(pixels);
}

const std::vector<float> kRamp{0, 1, 2, 3, 4, 5};

/// An HDU of this kind without rows.
std::string rows_of_nothing(const std::string& kind) {
  return header({"XTENSION= '" + kind + "'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 0", "NAXIS2  = 0", "PCOUNT  = 0",
                 "GCOUNT  = 1", "TFIELDS = 0"});
}

class FitsKinds : public testing::Test {
 protected:
  ImagePlane open(const std::string& bytes, const OpenOptions& options = {}) {
    save(folder_.file("image.fits"), bytes);
    return ImagePlane::open(folder_.file("image.fits"), options);
  }
  /// Whether opening is refused as `Failure` with all of these words.
  template <class Failure>
  void expect_refused(const std::string& bytes, const OpenOptions& options, const std::vector<std::string>& words) {
    try {
      (void)open(bytes, options);
      ADD_FAILURE() << "was read";
    } catch (const Failure& error) {
      for (const std::string& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(FitsKinds, HdusThatAreNoImagesAreNamedByTheirKind) {
  const std::string file = small_image(-32, kRamp, {}) + rows_of_nothing("BINTABLE") + rows_of_nothing("TABLE   ") +
                           rows_of_nothing("DUMP    ");
  std::vector<std::string> kinds;
  const ImagePlane image = open(file);
  for (const HduInfo& one : image.header().hdus) kinds.push_back(one.kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"image", "binary table", "table", "other"}));
  OpenOptions options;
  for (const auto& [hdu, kind] : {std::pair{1, "(binary table)"}, std::pair{2, "(table)"}, std::pair{3, "(other)"}}) {
    options.hdu = hdu;
    expect_refused<InputError>(file, options, {kind, "--hdu"});
  }
}

TEST_F(FitsKinds, FilesWithoutAnImageAreRefused) {
  const std::string groups = header({"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 3", "NAXIS1  = 0", "NAXIS2  = 3",
                                     "NAXIS3  = 1", "GROUPS  = T", "PCOUNT  = 2", "GCOUNT  = 1"}) +
                             data_blocks(kRamp);
  OpenOptions first;
  first.hdu = 0;
  expect_refused<Error>(groups, first, {"groups"});
  const std::string none = header({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"});
  expect_refused<DataError>(none + rows_of_nothing("BINTABLE"), {}, {"holds no image HDU: 2 HDUs"});
}

TEST_F(FitsKinds, ABlankValueThatMeansNothingIsToldAndNotUsed) {
  const ImagePlane floats = open(small_image(-32, kRamp, joined(sky_cards(), {"BLANK   = 3", "BUNIT   = 'K'"})));
  EXPECT_FALSE(floats.pixels()->format().blank.has_value());
  EXPECT_EQ(decode_doubles(*floats.pixels())[3], 3.0);
  ASSERT_EQ(floats.header().warnings.size(), 1U);
  EXPECT_NE(floats.header().warnings[0].find("BLANK has no meaning"), std::string::npos);
  const ImagePlane integers =
      open(small_image(16, std::vector<std::int16_t>(6), joined(sky_cards(), {"BLANK   = 'none'", "BUNIT   = 'K'"})));
  EXPECT_FALSE(integers.pixels()->format().blank.has_value());
  ASSERT_EQ(integers.header().warnings.size(), 1U);
  EXPECT_NE(integers.header().warnings[0].find("is not an integer"), std::string::npos);
}

}  // namespace
}  // namespace reber
