// SPDX-License-Identifier: BSD-3-Clause
// Layouts of tile-compressed images, from headers alone.
#include "core/files/fits/tile_guard.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::fits {
namespace {

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(text_.size()); }
  void read(std::int64_t offset, void* out, std::int64_t count) const override {
    if (offset < 0 || count < 0 || count > size() - offset) throw DataError("the file ends there");
    std::memcpy(out, text_.data() + offset, static_cast<std::size_t>(count));
  }
  [[nodiscard]] std::string reopen_path() const override { return {}; }

 private:
  std::string text_;
};

/// Why an image of one tile cannot be read; empty where it can.
std::string problem_of(const std::vector<std::int64_t>& axes) {
  using testing_files::card;
  std::vector<std::string> lines{"XTENSION= 'BINTABLE'",
                                 "BITPIX  = 8",
                                 "NAXIS   = 2",
                                 "NAXIS1  = 8",
                                 "NAXIS2  = 1",
                                 "PCOUNT  = 0",
                                 "GCOUNT  = 1",
                                 "TFIELDS = 1",
                                 "TTYPE1  = 'COMPRESSED_DATA'",
                                 "TFORM1  = '1PB(0)'",
                                 "ZIMAGE  = T",
                                 "ZCMPTYPE= 'GZIP_1'",
                                 "ZBITPIX = 8",
                                 "ZNAXIS  = " + std::to_string(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (const char* keyword : {"ZNAXIS", "ZTILE"}) {
      std::string word = keyword + std::to_string(i + 1);
      word.resize(8, ' ');
      lines.push_back(word + "= " + std::to_string(axes[i]));
    }
  const std::string primary = testing_files::header({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T"});
  const TextBytes file(primary + testing_files::header(lines) + std::string(2880, '\0'));
  const Scan found = scan(file, "t");
  EXPECT_EQ(found.hdus.size(), 2U);
  return found.hdus.back().problem;
}

/// CFITSIO counts the bits of a tile in 32.
TEST(TileGuard, TheLargestTileIsWhatCfitsioCanDecode) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 28) - 1;
  EXPECT_EQ(problem_of({kMost, 1}), "");
  EXPECT_EQ(problem_of({1, kMost}), "");
  EXPECT_EQ(problem_of({16383, 16384}), "");
  for (const auto& axes : {std::vector<std::int64_t>{kMost + 1, 1},
                           {1, kMost + 1},
                           {16384, 16384},
                           {1024, 1024, 256},
                           {std::int64_t{1} << 33, 2},
                           {65536, 65536}})
    EXPECT_NE(problem_of(axes).find("a tile holds more than 268435455 pixels"), std::string::npos) << problem_of(axes);
}

}  // namespace
}  // namespace reber::fits
