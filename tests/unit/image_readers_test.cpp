// SPDX-License-Identifier: BSD-3-Clause
// Which reader opens what; FITS by CFITSIO in a caged child, and the comparison of the two readers of FITS.
#include "core/files/readers/image_readers.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/fits/decoder_cage.hpp"
#include "core/files/foreign/cfitsio_image.hpp"
#include "core/files/foreign/foreign_file.hpp"
#include "core/files/image/image_file.hpp"
#include "core/studies/second_opinion.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

constexpr long kNx = 40, kNy = 30;

/// A file by CFITSIO, of integers or floats, in tiles of this algorithm where it is not 0; a blank pixel in its midst.
void write_image(const std::string& path, int bitpix, int algorithm = 0, double scale = 1) {
  std::remove(path.c_str());
  fitsfile* file = nullptr;
  int status = 0;
  std::array<long, 2> axes{kNx, kNy};
  fits_create_diskfile(&file, path.c_str(), &status);
  if (algorithm != 0) fits_set_compression_type(file, algorithm, &status);
  fits_create_img(file, bitpix, 2, axes.data(), &status);
  std::mt19937 random(7);
  std::vector<double> values(kNx * kNy);
  for (double& value : values) value = static_cast<double>(random() % 200) * (bitpix < 0 ? 0.37 : 1.0);
  std::string unit = "Jy/beam", object = "FIELD";
  fits_write_key_str(file, "BUNIT", unit.c_str(), nullptr, &status);
  fits_write_key_str(file, "OBJECT", object.c_str(), nullptr, &status);
  if (bitpix < 0) values[kNx * kNy / 2] = std::nan("");
  // Tiles are written of their own type alone.
  const auto write_as = [&](int type, auto pixel) {
    std::vector<decltype(pixel)> pixels(values.begin(), values.end());
    fits_write_img(file, type, 1, kNx * kNy, pixels.data(), &status);
  };
  if (bitpix == BYTE_IMG) write_as(TBYTE, static_cast<unsigned char>(0));
  if (bitpix == SHORT_IMG) write_as(TSHORT, static_cast<short>(0));
  if (bitpix == LONG_IMG) write_as(TINT, 0);
  if (bitpix == FLOAT_IMG) write_as(TFLOAT, 0.0F);
  if (bitpix == DOUBLE_IMG) write_as(TDOUBLE, 0.0);
  if (scale != 1) fits_write_key_dbl(file, "BSCALE", scale, 15, nullptr, &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
}

void zip(const std::string& from, const std::string& to) {
  const std::string bytes = load(from);
  const gzFile file = gzopen(to.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

TEST(ImageReaders, TilesInsideOfGzipAreReadByCfitsio) {
  const TemporaryFolder folder;
  const std::string plain = folder.file("a.fits"), packed = folder.file("a.fits.gz");
  for (const int bitpix : {SHORT_IMG, FLOAT_IMG}) {
    write_image(plain, bitpix, GZIP_1);
    zip(plain, packed);
    const ImagePlane one = ImagePlane::open(plain), other = ImagePlane::open(packed);
    EXPECT_EQ(other.header().unit.text, "Jy/beam");
    EXPECT_EQ(other.header().bitpix, bitpix);
    EXPECT_EQ(other.header().hdu, 1);
    EXPECT_TRUE(other.in_memory());
    const auto a = decode_doubles(*one.pixels()), b = decode_doubles(*other.pixels());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << i << " " << a[i] << " " << b[i];
  }
}

TEST(ImageReaders, WhatNoReaderKnowsIsRefusedInTheFirstWords) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x");
  for (const auto& [bytes, words] : {std::pair{std::string("\xfd"
                                                           "7zXZ\0 and more",
                                                           15),
                                               "an xz file"},
                                     std::pair{std::string("PK\3\4 and no more", 16), "a zip archive"},
                                     std::pair{std::string("\x1f\x9d\x90 damaged"), "a compress (.Z) file"},
                                     std::pair{std::string("some text that is long enough for a look"), "SIMPLE"}}) {
    save(path, bytes);
    try {
      (void)ImagePlane::open(path);
      ADD_FAILURE() << words << " was read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(ImageReaders, BothReadersOfFitsAgree) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.fits");
  for (const int bitpix : {BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG})
    for (const int algorithm : {0, RICE_1, GZIP_1})
      for (const double scale : {1.0, 0.3}) {
        if (bitpix == DOUBLE_IMG && algorithm != 0) continue;
        if (bitpix == BYTE_IMG && scale != 1) continue;
        write_image(path, bitpix, algorithm, scale);
        Request request;
        request.input = path;
        const VerificationReport report = second_opinion(request, {});
        EXPECT_TRUE(report.passed()) << bitpix << " " << algorithm << " " << scale << "\n" << to_text(report);
        EXPECT_EQ(report.checks.size(), 5U);
      }
}

TEST(ImageReaders, ADifferenceBetweenTwoReadersIsFound) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.fits");
  write_image(path, FLOAT_IMG);
  const auto read = [&](const std::string& bytes) {
    save(folder.file("b.fits"), bytes);
    const auto one = open_image_file(path, {}, Planes::one),
               other = open_image_file(folder.file("b.fits"), {}, Planes::one);
    std::string failed;
    for (const StageCheck& check : compare_readers(*one, *other, 0, {}))
      if (!check.passed) failed += check.metric + "; ";
    return failed;
  };
  const std::string bytes = load(path);
  EXPECT_EQ(read(bytes), "");
  std::string changed = bytes;
  changed[2880 + 4 * 100 + 3] ^= 1;  // the last bit of a pixel
  EXPECT_EQ(read(changed), "largest relative difference; ");
  changed = bytes;
  std::memcpy(changed.data() + 2880 + 4 * 200, "\x7f\xc0\0\0", 4);
  EXPECT_EQ(read(changed), "blank for one of them alone; ");
  changed = bytes;
  changed.replace(changed.find("FIELD"), 5, "OTHER");
  EXPECT_EQ(read(changed), "facts that differ; keywords whose value differs; ");
}

/// A library that misbehaves.
class Hostile final : public ForeignReader {
 public:
  explicit Hostile(std::function<ForeignImage(CardSink&)> what) : what_(std::move(what)) {}
  [[nodiscard]] std::string name() const override { return "hostile 1"; }
  [[nodiscard]] ForeignImage describe(const std::string&, int, CardSink& cards,
                                      const std::function<void()>&) const override {
    return what_(cards);
  }
  void read(const std::string&, int, const ForeignBox&, void*, const std::function<void()>&) const override {}

 private:
  std::function<ForeignImage(CardSink&)> what_;
};

TEST(ImageReaders, NothingThatAChildSaysIsBelieved) {
  const auto words_of = [](const std::function<ForeignImage(CardSink&)>& what) -> std::string {
    const Hostile reader(what);
    ForeignSource source{reader, "/nowhere", "nowhere", nullptr, 1 << 20};
    try {
      (void)open_foreign(source, {}, Planes::one, {});
    } catch (const DataError& error) {
      return error.what();
    }
    return "was read";
  };
  const auto with_axes = [](std::vector<std::int64_t> axes, int bitpix = -32) {
    return [axes, bitpix](CardSink&) { return ForeignImage{"image", 0, axes, bitpix, {}}; };
  };
  const auto expect_in = [](const std::string& words, const char* part) {
    EXPECT_NE(words.find(part), std::string::npos) << words;
  };
  expect_in(words_of([](CardSink&) -> ForeignImage { throw std::runtime_error("no table"); }), "no table (hostile 1)");
  expect_in(words_of([](CardSink&) -> ForeignImage { std::abort(); }), "crashed");
  expect_in(words_of([](CardSink&) -> ForeignImage { std::_Exit(0); }), "stopped");
  if (!fits::kSanitized)  // AddressSanitizer's operator new ends the process instead
    expect_in(words_of([](CardSink&) -> ForeignImage {
                std::vector<char> all(std::size_t{1} << 40);
                return ForeignImage{std::string(all.data()), 0, {}, -32, {}};
              }),
              "more memory");
  expect_in(words_of([](CardSink& cards) {
              for (int i = 0; i < 2'000'000; ++i) cards.number("CRVAL1", i);
              return ForeignImage{};
            }),
            "too long");
  expect_in(words_of(with_axes({1000, 1000})), "truncated");
  expect_in(words_of(with_axes({INT64_MAX, 4})), "truncated");
  expect_in(words_of(with_axes({-5, 4})), "truncated");
  expect_in(words_of(with_axes({0, 4})), "truncated");
  expect_in(words_of(with_axes({100})), "1 axes");
  expect_in(words_of(with_axes(std::vector<std::int64_t>(12, 1))), "too long");
  expect_in(words_of(with_axes({10, 10}, 24)), "24 bits");
  expect_in(words_of(with_axes({10, 10})), "was read");
}

}  // namespace
}  // namespace reber
