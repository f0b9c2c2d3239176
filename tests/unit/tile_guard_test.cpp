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

/// Why an image of one tile cannot be read; empty where it can.   cards: instead of those of the same keyword, or more
std::string problem_of(const std::vector<std::int64_t>& axes, const std::vector<std::string>& cards = {}) {
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
  for (const std::string& other : cards) {
    std::erase_if(lines, [&](const std::string& line) { return line.compare(0, 8, other, 0, 8) == 0; });
    lines.push_back(other);
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

struct Odd {
  std::vector<std::string> cards;
  const char* words;  ///< of the reason
};

TEST(TileGuard, EachStatementOfAHeaderIsChecked) {
  for (const Odd& odd : {Odd{{"TFIELDS = 0"}, "TFIELDS is missing"},
                         Odd{{"TFIELDS = 1000"}, "TFIELDS is missing"},
                         Odd{{"TFORM1  = ''"}, "TFORM1='' is not understood"},
                         Odd{{"TFORM1  = '8'"}, "is not understood"},
                         Odd{{"TFORM1  = '3PB(0)'"}, "is not understood"},
                         Odd{{"TFORM1  = '1P'"}, "is not understood"},
                         Odd{{"TFORM1  = '1QZ'"}, "is not understood"},
                         Odd{{"TFORM1  = '1Z'"}, "is not understood"},
                         Odd{{"TFORM1  = '9999999999B'"}, "is not understood"},
                         Odd{{"TFORM1  = '1QB(0)'"}, "is not the width"},
                         Odd{{"NAXIS1  = 12"}, "NAXIS1=12 is not the width of the 1 columns (8)"},
                         Odd{{"TFORM1  = '8A'"}, "no column of tiles"},
                         Odd{{"TFORM1  = '64X'"}, "no column of tiles"},
                         Odd{{"TFORM1  = '4I'"}, "no column of tiles"},
                         Odd{{"TFORM1  = '2E'"}, "no column of tiles"},
                         Odd{{"TFORM1  = '1D'"}, "no column of tiles"},
                         Odd{{"TFORM1  = '1M'", "NAXIS1  = 16"}, "no column of tiles"},
                         Odd{{"ZBITPIX = 12"}, "ZBITPIX=12 is none of"},
                         Odd{{"ZBITPIX = 65"}, "is not an integer in [-64, 64]"},
                         Odd{{"ZBITPIX = 'x'"}, "is not an integer in [-64, 64]"},
                         Odd{{"ZNAXIS  = 0"}, "is not an integer in"},
                         Odd{{"ZNAXIS  = 1"}, "ZNAXIS=1 (2-D image wanted)"},
                         Odd{{"ZNAXIS  = 3"}, "ZNAXIS3=(missing) is not an integer in"},
                         Odd{{"ZNAXIS1 = 0"}, "is not an integer in"},
                         Odd{{"ZTILE1  = 0"}, "ZTILE1=0 is not an integer in"},
                         Odd{{"ZNAXIS1 = 9223372036854775807"}, "ZNAXIS overflow"},
                         Odd{{"ZNAXIS1 = 2305843009213693952", "ZNAXIS2 = 1"}, "ZNAXIS overflow"},
                         Odd{{"ZTILE2  = 2"}, "make 2 tiles, but the table has 1 rows"},
                         Odd{{"NAXIS2  = 2"}, "make 1 tiles, but the table has 2 rows"},
                         Odd{{"ZCMPTYPE= 'MAGIC'"}, "ZCMPTYPE='MAGIC' is not a known compression"},
                         Odd{{"THEAP   = 4"}, "THEAP lies outside"},
                         Odd{{"THEAP   = 'x'"}, "THEAP lies outside"},
                         Odd{{"PCOUNT  = 8", "THEAP   = 17"}, "THEAP lies outside"}}) {
    const std::string problem = problem_of({16, 4}, odd.cards);
    EXPECT_NE(problem.find(odd.words), std::string::npos) << odd.cards.front() << ": " << problem;
  }
  for (const char* card : {"ZCMPTYPE= 'RICE_1'", "ZCMPTYPE= 'RICE_ONE'", "ZCMPTYPE= 'GZIP_2'", "ZCMPTYPE= 'PLIO_1'",
                           "ZCMPTYPE= 'HCOMPRESS_1'", "ZCMPTYPE= 'NOCOMPRESS'", "ZBITPIX = -64", "TFORM1  = 'PJ'"})
    EXPECT_EQ(problem_of({16, 4}, {card}), "") << card;
  EXPECT_EQ(problem_of({16, 4}, {"TFORM1  = '1QK(0)'", "NAXIS1  = 16"}), "");
  EXPECT_EQ(problem_of({16, 4}, {"PCOUNT  = 8", "THEAP   = 16"}), "");
}

}  // namespace
}  // namespace reber::fits
