// SPDX-License-Identifier: BSD-3-Clause
// Every file of the FITS corpus: what must be read is read right, what must be refused is refused with its word.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"

#include "tests/support/testing.hpp"

namespace reber {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCorpus = std::filesystem::path(testing::data_folder()) / "fits_corpus";

Json manifest_files() {
  std::ifstream in(kCorpus / "manifest.json");
  return in ? Json::parse(in).at("files") : Json::array();
}

template <class Stored>
double decode_as(const std::byte* at, const PixelFormat& format) {
  unsigned char bytes[sizeof(Stored)];
  std::memcpy(bytes, at, sizeof(Stored));
  if (format.big_endian) std::reverse(std::begin(bytes), std::end(bytes));
  Stored stored;
  std::memcpy(&stored, bytes, sizeof(Stored));
  if (std::is_integral_v<Stored> && format.blank && static_cast<std::int64_t>(stored) == *format.blank) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return format.zero + format.scale * static_cast<double>(stored);
}

double decode(const std::byte* at, const PixelFormat& format) {
  switch (format.type) {
    case PixelType::u8:
      return decode_as<std::uint8_t>(at, format);
    case PixelType::i16:
      return decode_as<std::int16_t>(at, format);
    case PixelType::i32:
      return decode_as<std::int32_t>(at, format);
    case PixelType::i64:
      return decode_as<std::int64_t>(at, format);
    case PixelType::f32:
      return decode_as<float>(at, format);
    case PixelType::f64:
      return decode_as<double>(at, format);
  }
  return 0;
}

std::vector<double> read_plane(const ImagePlane& image) {
  const auto source = image.pixels();
  const Shape shape = source->shape();
  const PixelFormat format = source->format();
  const auto size = static_cast<std::size_t>(bytes_of(format.type));
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.count()) * size);
  // In two pieces, so that a row offset is tried too.
  const std::int64_t half = shape.ny / 2;
  source->read_rows(0, half, raw.data());
  source->read_rows(half, shape.ny - half, raw.data() + static_cast<std::size_t>(half * shape.nx) * size);
  std::vector<double> values;
  for (std::size_t i = 0; i < raw.size(); i += size) values.push_back(decode(raw.data() + i, format));
  return values;
}

/// All planes of the file, one behind the other.
std::vector<double> read_all(const std::string& path, std::int64_t planes) {
  std::vector<double> all;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    OpenOptions options;
    options.plane = plane;
    const auto one = read_plane(ImagePlane::open(path, options));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void expect_near(double found, const Json& wanted, double relative, double absolute, const char* what) {
  if (wanted.is_null()) return;
  const double value = wanted.get<double>();
  EXPECT_TRUE(std::abs(found - value) <= relative * std::abs(value) + absolute)
      << what << ": " << found << ", not " << value;
}

void check_pixels(const std::vector<double>& values, const Json& image) {
  std::int64_t nans = 0, infinities = 0, count = 0;
  // Relative to one of the pixels: sums of 64-bit integers do not fit a long double.
  const auto first = std::find_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  const double origin = first == values.end() ? 0 : *first;
  long double sum = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : values) {
    if (std::isnan(v)) ++nans;
    if (std::isinf(v)) ++infinities;
    if (!std::isfinite(v)) continue;
    ++count;
    sum += static_cast<long double>(v) - origin;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  EXPECT_EQ(nans, image.at("nan").get<std::int64_t>());
  EXPECT_EQ(infinities, image.at("inf").get<std::int64_t>());
  EXPECT_EQ(count, image.at("finite").get<std::int64_t>());
  if (count == 0) return;
  const double mean = static_cast<double>(origin + sum / static_cast<long double>(count));
  long double squares = 0;
  for (const double v : values) {
    if (std::isfinite(v)) squares += (static_cast<long double>(v) - mean) * (v - mean);
  }
  const double scale = std::max(std::abs(low), std::abs(high));
  const double relative = image.at("bitpix").get<int>() == -32 ? 1e-6 : 1e-12;
  // Positive and negative pixels cancel in a mean: its rounding follows the largest pixel.
  expect_near(mean, image.at("mean"), relative, 1e-17 * scale, "mean");
  if (image.contains("std") && !image.at("std").is_null()) {
    // A mean that is off by its own rounding adds (eps mean)^2 / (2 std); it shows near 2^53.
    const double rounding = std::numeric_limits<double>::epsilon() * mean;
    const auto deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(count)));
    expect_near(deviation, image.at("std"), relative, deviation > 0 ? rounding * rounding / (2 * deviation) : 0, "std");
  }
  expect_near(low, image.at("min"), relative, 0, "min");
  expect_near(high, image.at("max"), relative, 0, "max");
}

void check_position(const Wcs& wcs, double x, double y, const Json& wanted, const char* what) {
  if (wanted.is_null() || wanted.at(0).is_null()) return;
  const auto sky = wcs.to_sky(x, y);
  ASSERT_TRUE(sky.has_value()) << what;
  const double turn = std::remainder(sky->lon_deg - wanted.at(0).get<double>(), 360.0);
  EXPECT_TRUE(std::abs(turn) <= 1e-8) << what << ": longitude " << sky->lon_deg << ", not " << wanted.at(0);
  EXPECT_TRUE(std::abs(sky->lat_deg - wanted.at(1).get<double>()) <= 1e-8) << what;
}

void check_header(const ImageHeader& header, const Json& file) {
  const Json& image = file.at("image");
  EXPECT_EQ(header.hdu, file.at("hdu").get<int>());
  EXPECT_EQ(header.bitpix, image.at("bitpix").get<int>());
  auto shape = image.at("shape_squeezed").get<std::vector<std::int64_t>>();
  EXPECT_EQ(header.shape.nx, shape.back());
  EXPECT_EQ(header.shape.ny, shape[shape.size() - 2]);
  const bool warns = file.at("expect") == "accept_warn";
  const std::string word = file.at("names");
  EXPECT_EQ(header.warnings.size(), warns ? 1U : 0U) << (header.warnings.empty() ? "" : header.warnings.front());
  if (warns && !header.warnings.empty()) {
    EXPECT_NE(header.warnings.front().find(word), std::string::npos) << header.warnings.front();
  }
  const bool beam_is_bad = warns && word == "BMAJ";
  if (beam_is_bad || word == "duplicate keyword") {
    EXPECT_FALSE(header.beam.has_value());
  } else if (image.contains("beam_deg") && !image.at("beam_deg").is_null()) {
    ASSERT_TRUE(header.beam.has_value()) << header.beam_note;
    EXPECT_DOUBLE_EQ(header.beam->major_deg, image.at("beam_deg").at(0).get<double>());
    EXPECT_DOUBLE_EQ(header.beam->minor_deg, image.at("beam_deg").at(1).get<double>());
    EXPECT_DOUBLE_EQ(header.beam->pa_deg, image.at("beam_deg").at(2).get<double>());
  }
  if (!image.contains("wcs") || image.at("wcs").contains("astropy_error")) return;
  const Json& wcs = image.at("wcs");
  // Files whose system is refused on purpose: the reader of the manifest took a value that is not in the header.
  const bool refused = word == "CD" || word == "CRVAL1" || word == "CDELT1";
  EXPECT_EQ(header.wcs.celestial(), wcs.at("celestial").get<bool>() && !refused) << header.wcs.why_not();
  if (!header.wcs.celestial()) return;
  check_position(header.wcs, wcs.at("crpix").at(0).get<double>() - 1, wcs.at("crpix").at(1).get<double>() - 1,
                 wcs.value("lonlat_at_crpix_deg", Json()), "reference pixel");
  check_position(header.wcs, 0.5 * static_cast<double>(header.shape.nx - 1),
                 0.5 * static_cast<double>(header.shape.ny - 1), wcs.value("lonlat_at_image_centre_deg", Json()),
                 "centre");
  check_position(header.wcs, 0, 0, wcs.value("lonlat_at_pixel_0_0_deg", Json()), "first pixel");
}

class FitsCorpus : public ::testing::TestWithParam<Json> {};

TEST_P(FitsCorpus, IsReadOrRefusedAsTheManifestSays) {
  if (GetParam().is_null()) GTEST_SKIP() << "no corpus: " << testing::no_data();
  const Json& file = GetParam();
  const std::string path = (kCorpus / file.at("file").get<std::string>()).string();
  const auto start = std::chrono::steady_clock::now();
  if (file.at("expect") == "refuse") {
    try {
      read_plane(ImagePlane::open(path));
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      const std::string words = file.at("names");
      bool named = false;
      for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(" / ", at), words.size());
        named = named || std::string(error.what()).find(words.substr(at, end - at)) != std::string::npos;
        at = end + 3;
      }
      EXPECT_TRUE(named) << "'" << words << "' is not in: " << error.what();
    }
  } else {
    OpenOptions options;
    options.plane = 0;
    const ImagePlane image = ImagePlane::open(path, options);
    check_header(image.header(), file);
    check_pixels(read_all(path, image.header().planes), file.at("image"));
    if (image.header().planes > 1) {
      EXPECT_THROW(ImagePlane::open(path), InputError);
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 5.0);
}

std::string test_name(const ::testing::TestParamInfo<Json>& info) {
  std::string name = info.param.is_null() ? "none" : info.param.at("file").get<std::string>();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_" + std::to_string(info.index);
}

std::vector<Json> cases() {
  const Json files = manifest_files();
  return files.empty() ? std::vector<Json>{Json()} : std::vector<Json>(files.begin(), files.end());
}

INSTANTIATE_TEST_SUITE_P(Files, FitsCorpus, ::testing::ValuesIn(cases()), test_name);

std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Opens the bytes as a file and reads all pixels of plane 0.   returns false where they are refused
bool reads(const std::string& bytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("reber-corpus-" + std::to_string(::getpid()))).string();
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bool good = true;
  try {
    OpenOptions options;
    options.plane = 0;
    options.max_inflated_bytes = std::int64_t{1} << 28;
    read_plane(ImagePlane::open(path, options));
  } catch (const Error&) {
    good = false;
  }
  std::filesystem::remove(path);
  return good;
}

// A crash or a hang would end this test program.
TEST(FitsCorpusDamage, ChangedBytesAreReadOrRefused) {
  const Json files = manifest_files();
  if (files.empty()) GTEST_SKIP() << "no corpus: " << testing::no_data();
  std::uint32_t random = 12345;
  const auto next = [&random] { return random = 1664525U * random + 1013904223U; };
  for (const Json& file : files) {
    const std::string whole = load(kCorpus / file.at("file").get<std::string>());
    const bool compressed = file.at("group") == "compressed";
    for (int round = 0; !whole.empty() && round < (compressed ? 20 : 6); ++round) {
      std::string bytes = whole;
      for (int change = 0; change < 3; ++change) {
        // Headers and tile tables lie in the first blocks.
        const std::size_t range = next() % 4 != 0 ? std::min<std::size_t>(bytes.size(), 8640) : bytes.size();
        bytes[(next() >> 4) % range] = "\xff\0' 9-T1"[(next() >> 8) % 8];
      }
      reads(bytes);
    }
  }
}

TEST(FitsCorpusDamage, CutFilesAreReadOnlyWhereAllPixelsAreThere) {
  const Json files = manifest_files();
  if (files.empty()) GTEST_SKIP() << "no corpus: " << testing::no_data();
  for (const Json& file : files) {
    if (file.at("expect") == "refuse" || file.at("group") == "compressed") continue;
    const std::string whole = load(kCorpus / file.at("file").get<std::string>());
    const Json& image = file.at("image");
    const std::int64_t pixels = image.at("npix").get<std::int64_t>() * std::abs(image.at("bitpix").get<int>()) / 8;
    const auto padding = (2880 - pixels % 2880) % 2880;
    for (std::size_t part = 0; part < 20; ++part) {
      const std::size_t size = whole.size() * part / 20;
      // What is cut off is more than padding and what follows the image.
      const bool lacks = static_cast<std::int64_t>(whole.size() - size) > padding + 2880;
      if (lacks) {
        EXPECT_FALSE(reads(whole.substr(0, size))) << file.at("file") << " cut at " << size;
      }
    }
  }
}

}  // namespace
}  // namespace reber
