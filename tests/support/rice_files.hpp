// SPDX-License-Identifier: BSD-3-Clause
// Small images in RICE_1 tiles of every kind, written by CFITSIO.
#pragma once

#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

extern "C" {  // of libcfitsio, in none of its installed headers
int fits_rcomp(int* a, int nx, unsigned char* c, int clen, int nblock);
int fits_rcomp_short(short* a, int nx, unsigned char* c, int clen, int nblock);
int fits_rcomp_byte(signed char* a, int nx, unsigned char* c, int clen, int nblock);
}

namespace reber::rice_files {

/// A RICE_1 stream by CFITSIO.   returns its bytes, negative where there is no room
inline int encode(std::vector<std::uint32_t>& pixels, unsigned char* stream, int room, int block) {
  return fits_rcomp(reinterpret_cast<int*>(pixels.data()), static_cast<int>(pixels.size()), stream, room, block);
}
inline int encode(std::vector<std::uint16_t>& pixels, unsigned char* stream, int room, int block) {
  return fits_rcomp_short(reinterpret_cast<short*>(pixels.data()), static_cast<int>(pixels.size()), stream, room,
                          block);
}
inline int encode(std::vector<std::uint8_t>& pixels, unsigned char* stream, int room, int block) {
  return fits_rcomp_byte(reinterpret_cast<signed char*>(pixels.data()), static_cast<int>(pixels.size()), stream, room,
                         block);
}

/// How CFITSIO is asked to write one image.
struct Case {
  int bitpix = FLOAT_IMG;
  int dither = NO_DITHER;
  long tile[2] = {0, 0};  ///< {0, 0}: rows
  float level = 4;
  bool blanks = true;
  bool wild = true;            ///< rows of floats that cannot be quantised, nor a tile that holds one
  double scale = 1, zero = 0;  ///< BSCALE and BZERO of integers
};

inline constexpr long kNx = 301, kNy = 97;

/// Noise about a source; a quarter without a value, some rows that cannot be quantised, exact zeros.
inline std::vector<double> image_of(const Case& how, std::mt19937& random) {
  std::normal_distribution<double> noise;
  std::vector<double> values(static_cast<std::size_t>(kNx * kNy));
  const double unit = how.bitpix < 0 ? 1e-3 : how.bitpix == BYTE_IMG ? 9 : 120;
  for (long y = 0; y < kNy; ++y)
    for (long x = 0; x < kNx; ++x) {
      double& value = values[static_cast<std::size_t>(y * kNx + x)];
      value = unit *
              (noise(random) + 20 * std::exp(-0.01 * static_cast<double>((x - 90) * (x - 90) + (y - 40) * (y - 40))));
      if (how.bitpix == BYTE_IMG) value = std::clamp(value + 40, 0.0, 250.0);
      if (how.bitpix > 0) value = std::nearbyint(value);
      if (how.bitpix < 0 && (x + y) % 13 == 0) value = 0;
      if (how.bitpix < 0 && how.wild && y % 31 == 7) value = static_cast<double>(y);  // constant: no noise to quantise
      if (how.bitpix < 0 && how.wild && y % 31 == 9) value = x % 3 == 0 ? 1e30 * value : 1e-42;  // nor this
      if (how.blanks && x < 80 && y > 60) value = std::numeric_limits<double>::quiet_NaN();
      if (how.blanks && y % 31 == 11) value = std::numeric_limits<double>::quiet_NaN();
    }
  return values;
}

inline void write(const std::string& path, const Case& how, std::vector<double> values) {
  fitsfile* file = nullptr;
  int status = 0;
  long axes[2] = {kNx, kNy}, tile[2] = {how.tile[0], how.tile[1]};
  fits_create_file(&file, path.c_str(), &status);
  fits_set_compression_type(file, RICE_1, &status);
  if (tile[0] > 0) fits_set_tile_dim(file, 2, tile, &status);
  fits_set_quantize_level(file, how.level, &status);
  if (how.bitpix < 0) fits_set_quantize_method(file, how.dither, &status);
  if (how.bitpix < 0 && how.dither != NO_DITHER) fits_set_dither_seed(file, 4711, &status);
  fits_create_img(file, how.bitpix, 2, axes, &status);
  if (how.bitpix > 0 && how.scale != 1) {
    double scale = how.scale, zero = how.zero;
    fits_update_key(file, TDOUBLE, "BSCALE", &scale, nullptr, &status);
    fits_update_key(file, TDOUBLE, "BZERO", &zero, nullptr, &status);
    fits_set_bscale(file, 1, 0, &status);
  }
  if (how.bitpix > 0) {
    int stored = how.bitpix == BYTE_IMG ? 251 : -32000;
    if (how.blanks) fits_update_key(file, TINT, "BLANK", &stored, nullptr, &status);
    for (double& value : values)
      if (std::isnan(value)) value = stored;
    // CFITSIO converts no types here.
    const std::vector<unsigned char> bytes(values.begin(), how.bitpix == BYTE_IMG ? values.end() : values.begin());
    const std::vector<short> shorts(values.begin(), how.bitpix == SHORT_IMG ? values.end() : values.begin());
    const std::vector<int> ints(values.begin(), values.end());
    const void* const stored_values = how.bitpix == BYTE_IMG    ? static_cast<const void*>(bytes.data())
                                      : how.bitpix == SHORT_IMG ? static_cast<const void*>(shorts.data())
                                                                : ints.data();
    const int type = how.bitpix == BYTE_IMG ? TBYTE : how.bitpix == SHORT_IMG ? TSHORT : TINT;
    fits_write_img(file, type, 1, kNx * kNy, const_cast<void*>(stored_values), &status);
  } else if (how.bitpix == FLOAT_IMG) {
    std::vector<float> floats(values.begin(), values.end());
    float blank = std::numeric_limits<float>::quiet_NaN();
    fits_write_imgnull(file, TFLOAT, 1, kNx * kNy, floats.data(), &blank, &status);
  } else {
    double blank = std::numeric_limits<double>::quiet_NaN();
    fits_write_imgnull(file, TDOUBLE, 1, kNx * kNy, values.data(), &blank, &status);
  }
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0) << path;
}

/// Has the descriptors of these tiles of a file's bytes say half of their streams' bytes.
inline void halve_streams(std::string& bytes, std::initializer_list<std::size_t> tiles) {
  const std::size_t table = bytes.find("END     ", 2880) / 2880 * 2880 + 2880;
  for (const std::size_t tile : tiles) {
    const std::size_t at = table + 8 * tile;
    const unsigned length = static_cast<unsigned char>(bytes[at + 2]) << 8 | static_cast<unsigned char>(bytes[at + 3]);
    ASSERT_GT(length, 40U);
    bytes[at + 2] = static_cast<char>(length / 2 >> 8);
    bytes[at + 3] = static_cast<char>(length / 2);
  }
}

/// Calls check(Case) for every kind of pixel, shape of tile, dither, with blanks and without.
template <class Check>
void for_each_case(const Check& check) {
  int number = 0;
  for (const int bitpix : {BYTE_IMG, SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG})
    for (const auto& tile : {std::pair{0L, 0L}, {kNx, 16L}, {64L, 1L}, {100L, 33L}, {kNx, kNy}})
      for (const int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2})
        for (const bool blanks : {false, true}) {
          if (bitpix > 0 && dither != NO_DITHER) continue;
          Case how;
          how.bitpix = bitpix;
          how.dither = dither;
          how.tile[0] = tile.first;
          how.tile[1] = tile.second;
          how.blanks = blanks;
          how.wild = tile.second < kNy;  // else the random numbers come to their end and begin anew
          how.level = static_cast<float>(1 << number % 5);
          if (bitpix > 0 && number % 2 == 0) how.scale = 0.37, how.zero = 32768;
          ++number;
          SCOPED_TRACE(::testing::Message() << "bitpix " << bitpix << ", tile " << tile.first << " x " << tile.second
                                            << ", dither " << dither << ", blanks " << blanks);
          check(how);
          if (::testing::Test::HasFatalFailure()) return;
        }
}

}  // namespace reber::rice_files
