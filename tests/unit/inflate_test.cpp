// SPDX-License-Identifier: BSD-3-Clause
// Files of several compressed members, and compressed files that end too soon or are none.
#include "core/files/io/inflate.hpp"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::fits {
namespace {

using testing_files::save;
using testing_files::TemporaryFolder;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib's byte type
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());  // zlib's byte type
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string bzipped(const std::string& text) {
  std::string out(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

/// The file's bytes, or the message of the refusal.
std::string inflated(const std::string& packed, std::int64_t most = 1 << 24) {
  const TemporaryFolder folder;
  save(folder.file("f"), packed);
  try {
    const auto bytes = open_bytes(folder.file("f"), most, {});
    std::string out(static_cast<std::size_t>(bytes->size()), '\0');
    bytes->read(0, out.data(), bytes->size());
    EXPECT_TRUE(bytes->reopen_path().empty());
    EXPECT_THROW(bytes->read(1, out.data(), bytes->size()), DataError);
    return out;
  } catch (const DataError& error) {
    return error.what();
  }
}

/// Longer than the pieces that files are read in, and not to be made much smaller.
std::string noise(std::size_t size) {
  std::string out(size, '\0');
  std::uint32_t state = 1;
  for (char& c : out) {
    state = state * 1664525U + 1013904223U;
    c = static_cast<char>(state >> 24U);
  }
  return out;
}

TEST(Inflate, MembersFollowEachOther) {
  const std::string one = noise(3 << 20), two = "and more";
  for (const auto pack : {&gzipped, &bzipped}) {
    EXPECT_TRUE(inflated(pack(one) + pack(two)) == one + two);
    EXPECT_EQ(inflated(pack(two) + pack(two) + pack(two)), two + two + two);
    EXPECT_TRUE(inflated(pack(two) + pack(one)) == two + one);
  }
}

TEST(Inflate, AMemberMayEndWhereAPieceDoes) {
  // Stored blocks: the compressed size moves with the text's, so that one of them ends at 1 MiB exactly.
  constexpr std::size_t kPiece = 1 << 20;
  std::string text = noise(kPiece);
  std::string packed = gzipped(text);
  while (packed.size() > kPiece) {
    text.resize(text.size() - (packed.size() - kPiece));
    packed = gzipped(text);
  }
  if (packed.size() != kPiece) GTEST_SKIP() << "this zlib has no such size";
  EXPECT_TRUE(inflated(packed + gzipped("tail")) == text + "tail");
  EXPECT_TRUE(inflated(packed + std::string(100, '\0')) == text);
}

TEST(Inflate, WhatEndsTooSoonOrIsDamagedOrTooLargeIsRefused) {
  const std::string text = noise(100000);
  for (const std::string kind : {"gzip", "bzip2"}) {
    const std::string packed = kind == "gzip" ? gzipped(text) : bzipped(text);
    EXPECT_NE(inflated(packed.substr(0, packed.size() / 2)).find(kind + " data are truncated"), std::string::npos);
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
    damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 0x55);
    EXPECT_NE(inflated(damaged).find(kind + " data are damaged"), std::string::npos);
    EXPECT_NE(inflated(packed, 5000).find("limit of 5000 bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace reber::fits
