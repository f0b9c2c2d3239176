// SPDX-License-Identifier: BSD-3-Clause
// Rows of a PNG file by zlib alone.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>

namespace reber {

inline std::uint32_t png_number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The rows of a PNG, each with its filter's byte, by zlib's own inflate; checks every chunk's sum.
inline std::string png_rows(const std::string& png, std::size_t expected) {
  std::string body;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = png_number(png, at);
    const auto* const start = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(png_number(png, at + 8 + length), crc32(0, start, static_cast<uInt>(length + 4)));
    if (png.compare(at + 4, 4, "IDAT") == 0) body += png.substr(at + 8, length);
    at += length + 12;
  }
  std::string rows(expected + 1, '\0');
  auto size = static_cast<uLongf>(rows.size());
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(body.data()),
                       static_cast<uLong>(body.size())),
            Z_OK);
  rows.resize(size);
  return rows;
}

}  // namespace reber
