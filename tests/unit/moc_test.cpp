// SPDX-License-Identifier: BSD-3-Clause
// Coverage maps read in every form, refused where they are broken, and as masks of images.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/sky/mask/moc_mask.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

constexpr std::int64_t kOfOrder3 = std::int64_t{1} << 52, kOfOrder6 = std::int64_t{1} << 46;

std::string file_of(const std::string& name, const std::string& bytes) {
  std::string path = (std::filesystem::temp_directory_path() / ("reber_moc_" + name)).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

struct Table {
  std::string ordering = "NUNIQ", form = "1K", system = "C", dim = "SPACE";
  int width = 8, fields = 1;
};

std::string table_of(const std::vector<std::int64_t>& numbers, const Table& how = {}) {
  using namespace fits;
  const auto blocks = [](std::string text, char fill) {
    text.resize((text.size() + 2879) / 2880 * 2880, fill);
    return text;
  };
  std::string end = "END";
  end.resize(80, ' ');
  const std::string primary = make_logical_card("SIMPLE", true) + make_card("BITPIX", std::int64_t{8}) +
                              make_card("NAXIS", std::int64_t{0}) + make_logical_card("EXTEND", true) + end;
  const std::int64_t per_row = how.form.front() - '0';
  const std::string cards =
      make_text_card("XTENSION", "BINTABLE") + make_card("BITPIX", std::int64_t{8}) +
      make_card("NAXIS", std::int64_t{2}) + make_card("NAXIS1", std::int64_t{how.width * per_row}) +
      make_card("NAXIS2", static_cast<std::int64_t>(numbers.size()) / per_row) + make_card("PCOUNT", std::int64_t{0}) +
      make_card("GCOUNT", std::int64_t{1}) + make_card("TFIELDS", std::int64_t{how.fields}) +
      make_text_card("TTYPE1", "UNIQ") + make_text_card("TFORM1", how.form) + make_text_card("ORDERING", how.ordering) +
      make_text_card("COORDSYS", how.system) + make_text_card("MOCDIM", how.dim) + end;
  std::string data;
  for (const std::int64_t number : numbers)
    for (int shift = 8 * (how.width - 1); shift >= 0; shift -= 8)
      data += static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xffU);
  return blocks(primary, ' ') + blocks(cards, ' ') + blocks(data, '\0');
}

const SkyRanges kFew{{kOfOrder3, 5 * kOfOrder3}, {6 * kOfOrder3, 6 * kOfOrder3 + kOfOrder6}};

TEST(MocFile, every_form_of_a_map_reads_the_same) {
  EXPECT_EQ(read_moc("3/1-4 6/384"), kFew);
  EXPECT_EQ(read_moc("s3/1,2 4 3 6/384 9/"), kFew);
  EXPECT_EQ(read_moc("{\"3\": [4, 1, 2, 3], \"6\": [384]}"), kFew);
  EXPECT_EQ(read_moc(file_of("text", "3/1-4\n6/384\n")), kFew);
  EXPECT_EQ(read_moc(file_of("json", "\n{\"6\":[384],\"3\":[1,2,3,4]}")), kFew);
  EXPECT_EQ(read_moc(file_of("uniq.fits", table_of({257, 258, 259, 260, 16384 + 384}))), kFew);
  EXPECT_EQ(read_moc(file_of("short.fits", table_of({257, 258, 259, 260, 16384 + 384}, {.form = "1J", .width = 4}))),
            kFew);
  const std::vector<std::int64_t> pairs{kOfOrder3, 5 * kOfOrder3, 6 * kOfOrder3, 6 * kOfOrder3 + kOfOrder6};
  EXPECT_EQ(read_moc(file_of("range.fits", table_of(pairs, {.ordering = "RANGE"}))), kFew);
  EXPECT_EQ(read_moc(file_of("pairs.fits", table_of(pairs, {.ordering = "RANGE", .form = "2K"}))), kFew);
  EXPECT_TRUE(read_moc("5/").empty());
  EXPECT_TRUE(read_moc(file_of("empty.fits", table_of({}))).empty());
  EXPECT_EQ(read_moc("0/0-11"), (SkyRanges{{0, std::int64_t{12} << 58}}));
}

TEST(MocFile, a_broken_map_is_refused_by_name) {
  for (const char* text : {"3/768", "30/1", "3/4-1", "3/-4", "3/1-", "1 2 3/4", "3/99999999999999999999",
                           "{\"3\": [1, 2", "{\"3\": 1}", "{\"a\": [1]}", "{\"3\": [1.5]}", "{\"3\": [-1]}", "/3 4/1"})
    EXPECT_THROW((void)read_moc(text), Error) << text;
  EXPECT_FALSE(is_moc_text("/data/3/4"));
  EXPECT_FALSE(is_moc_text("field.fits"));
  EXPECT_THROW((void)read_moc("/no/such/moc.fits"), DataError);
  for (const std::string& bytes :
       {table_of({3}), table_of({-5}), table_of({std::int64_t{1} << 62}), table_of({257}, {.ordering = "NESTED"}),
        table_of({257}, {.system = "G"}), table_of({257}, {.dim = "TIME"}), table_of({257}, {.form = "1D"}),
        table_of({257}, {.fields = 2}), table_of({1, 2, 3}, {.ordering = "RANGE"}),
        table_of({5, 2}, {.ordering = "RANGE"}), table_of({257, 258}).substr(0, 5770), std::string("no map at all"),
        std::string()})
    EXPECT_THROW((void)read_moc(file_of("broken", bytes)), DataError) << bytes.size();
}

Wcs wcs_of(Shape shape, const std::string& lon, const std::string& lat, double lon0, double lat0, double step) {
  std::string text;
  for (const std::string& card :
       {std::string("NAXIS   =                    2"), fmt::format("NAXIS1  = {:20d}", shape.nx),
        fmt::format("NAXIS2  = {:20d}", shape.ny), fmt::format("CTYPE1  = '{}'", lon),
        fmt::format("CTYPE2  = '{}'", lat), fmt::format("CRVAL1  = {:20}", lon0), fmt::format("CRVAL2  = {:20}", lat0),
        fmt::format("CRPIX1  = {:20}", 0.5 * static_cast<double>(shape.nx + 1)),
        fmt::format("CRPIX2  = {:20}", 0.5 * static_cast<double>(shape.ny + 1)), fmt::format("CDELT1  = {:20}", -step),
        fmt::format("CDELT2  = {:20}", step), std::string("END")})
    text += fmt::format("{:<80}", card);
  return Wcs::parse(text, 0, 1, {}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
}

/// Each pixel by itself.
Mask one_by_one(const SkyRanges& sky, const Wcs& wcs, Shape shape) {
  Mask mask(shape);
  const SkyConverter to_icrs(*system_of(wcs), SkySystem{});
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x)
      if (const auto at = wcs.to_sky(static_cast<double>(x), static_cast<double>(y))) {
        const SkyPosition place = to_icrs(*at);
        const bool inside = covers(sky, healpix_cell(place.lon_deg, place.lat_deg, kDeepestOrder));
        mask.pixels[static_cast<std::size_t>(y * shape.nx + x)] = inside ? 1 : 0;
      }
  return mask;
}

TEST(MocMask, tiles_give_what_single_pixels_give) {
  struct Case {
    const char *lon, *lat;
    double lon0, lat0, step;
  };
  constexpr Shape kShape{190, 230};
  for (const Case& one : {Case{"RA---SIN", "DEC--SIN", 60, -30, 0.01},
                          {"RA---TAN", "DEC--TAN", 10, 89.5, 0.02},
                          {"GLON-CAR", "GLAT-CAR", 30, 0, 0.05},
                          {"GLON-AIT", "GLAT-AIT", 0, 0, 2},
                          {"RA---ZEA", "DEC--ZEA", 135, 41.8, 0.3},
                          {"RA---HPX", "DEC--HPX", 0, 0, 1.7},
                          {"RA---SIN", "DEC--SIN", 0, 0, 0.7}}) {
    const Wcs wcs = wcs_of(kShape, one.lon, one.lat, one.lon0, one.lat0, one.step);
    ASSERT_TRUE(wcs.celestial()) << one.lon << ' ' << wcs.why_not();
    testing::Random random(7);
    for (const int order : {0, 2, 4, 6, 8, 11}) {
      SkyRanges sky;
      // About half of the cells that pixels lie in.
      const SkyConverter to_icrs(*system_of(wcs), SkySystem{});
      std::vector<std::int64_t> cells;
      for (std::int64_t y = 0; y < kShape.ny; ++y)
        for (std::int64_t x = 0; x < kShape.nx; ++x)
          if (const auto at = wcs.to_sky(static_cast<double>(x), static_cast<double>(y))) {
            const SkyPosition place = to_icrs(*at);
            cells.push_back(healpix_cell(place.lon_deg, place.lat_deg, order));
          }
      std::ranges::sort(cells);
      cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
      std::string text = fmt::format("{}/", order);
      for (const std::int64_t cell : cells)
        if (random.normal() > 0) text += fmt::format("{} ", cell);
      sky = read_moc(text);
      const Mask mask = mask_of(sky, wcs, kShape);
      EXPECT_EQ(mask, one_by_one(sky, wcs, kShape)) << one.lon << " order " << order;
      if (order == 6 && cells.size() > 20) {
        EXPECT_GT(mask.count(), 0);
        EXPECT_LT(mask.count(), kShape.count());
      }
    }
  }
}

TEST(MocMask, reading_and_drawing_can_be_stopped) {
  const std::atomic<bool> stop = true;
  const Progress stopped({}, &stop);
  EXPECT_THROW((void)read_moc("3/1-4 6/384", stopped), Cancelled);
  EXPECT_THROW((void)read_moc("{\"3\": [1, 2]}", stopped), Cancelled);
  EXPECT_THROW((void)read_moc(file_of("uniq.fits", table_of({257, 258})), stopped), Cancelled);
  constexpr Shape kShape{80, 90};
  const Wcs wcs = wcs_of(kShape, "RA---SIN", "DEC--SIN", 120, 20, 0.02);
  EXPECT_THROW((void)mask_of(kFew, wcs, kShape, stopped), Cancelled);
}

TEST(MocMask, a_map_made_of_a_mask_holds_it) {
  constexpr Shape kShape{80, 90};
  const Wcs wcs = wcs_of(kShape, "GLON-SIN", "GLAT-SIN", 120, 20, 0.02);
  Mask mask(kShape);
  for (std::int64_t y = 20; y < 40; ++y)
    for (std::int64_t x = 30; x < 70; ++x) mask.pixels[static_cast<std::size_t>(y * kShape.nx + x)] = 1;
  const std::string path = (std::filesystem::temp_directory_path() / "reber_moc_round.fits").string();
  write_moc(moc_of(mask, wcs, 14), path, true);
  const Mask back = mask_of(read_moc(path), wcs, kShape);
  Mask missing = mask;
  subtract(missing, back);
  EXPECT_EQ(missing.count(), 0);
  EXPECT_LT(back.count(), 1.1 * static_cast<double>(mask.count()));
  EXPECT_THROW((void)mask_of(read_moc("0/0"), Wcs(), kShape), InputError);
}

}  // namespace
}  // namespace reber
