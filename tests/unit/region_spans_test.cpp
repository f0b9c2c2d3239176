// SPDX-License-Identifier: BSD-3-Clause
// Pixels of regions: counts of funtools' funcnts and of casatasks' imstat, and shapes that tile.
#include "core/sky/regions/region_spans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/progress.hpp"
#include "core/sky/mask/region_mask.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_parsers.hpp"

namespace reber {
namespace {

constexpr Shape kShape{200, 220};

struct Counted {
  std::int64_t pixels = 0, x = 0, y = 0;  ///< sums of 1-based places
  friend bool operator==(const Counted&, const Counted&) = default;
};

Counted counted(const Region& region, Shape shape = kShape) {
  Counted sum;
  for_each_span(region, shape, [&](const RegionSpan& span) {
    for (std::int64_t x = span.x0; x < span.x1; ++x) {
      ++sum.pixels;
      sum.x += x + 1;
      sum.y += span.y + 1;
    }
  });
  return sum;
}

Region ds9(const std::string& shape) { return to_region(parse_ds9("image;" + shape).regions.at(0), Wcs()); }
Region casa(const std::string& shape) { return to_region(parse_crtf("#CRTFv0\n" + shape).regions.at(0), Wcs()); }

TEST(RegionSpans, Ds9CountsAsFuntoolsDoes) {
  const std::vector<std::pair<const char*, std::int64_t>> counts = {
      {"box(60,60,10,10,0)", 100},  {"box(60.5,60.5,10,10,0)", 100}, {"box(60,60,10,10,90)", 100},
      {"box(60,60,10,10,45)", 113}, {"box(1,1,10,10,0)", 36},        {"circle(60,60,5)", 69},
      {"circle(60,60,15)", 697},    {"ellipse(60,60,5,3,0)", 41},    {"annulus(60,60,5,10)", 236},
      {"annulus(60,60,0,5)", 69},   {"annulus(60,60,2,4,6)", 100},   {"polygon(10,10,20,10,20,20,10,20)", 100}};
  for (const auto& [shape, pixels] : counts) EXPECT_EQ(counted(ds9(shape)).pixels, pixels) << shape;
  EXPECT_EQ(counted(ds9("box(60,60,10,10,0)")), (Counted{100, 6050, 6050}));
  EXPECT_EQ(counted(ds9("polygon(10,10,20,10,20,20,10,20)")), (Counted{100, 1550, 1550}));
}

TEST(RegionSpans, CasaCountsAsImstatDoes) {
  const std::vector<std::pair<const char*, std::int64_t>> counts = {
      {"box[[10pix,10pix],[20pix,20pix]]", 121},
      {"box[[10.4pix,10.4pix],[20.6pix,20.4pix]]", 100},
      {"centerbox[[20.5pix,20.5pix],[10pix,10pix]]", 100},
      {"rotbox[[20pix,20pix],[10pix,10pix],30deg]", 101},
      {"circle[[20pix,20pix],5pix]", 81},
      {"circle[[20.5pix,20pix],5pix]", 78},
      {"circle[[0pix,20pix],5pix]", 46},
      {"ellipse[[20pix,20pix],[5pix,3pix],0deg]", 45},
      {"ellipse[[20pix,20pix],[5pix,3pix],30deg]", 47},
      {"annulus[[20pix,20pix],[5pix,10pix]]", 236},
      {"poly[[10pix,10pix],[20pix,10pix],[20pix,20pix],[10pix,20pix]]", 121}};
  for (const auto& [shape, pixels] : counts) EXPECT_EQ(counted(casa(shape)).pixels, pixels) << shape;
}

TEST(RegionSpans, Ds9PolygonsRoundAsFuntoolsDoes) {
  // Sides that pass through centres, where exact crossings hold other pixels.
  const std::vector<std::pair<const char*, Counted>> counts = {
      {"polygon(178,132,19,40,115,187)", {7271, 756114, 870068}},
      {"polygon(92.0,137.0,110.0,38.0,187.0,88.0)", {4265, 552984, 373803}},
      {"polygon(157,168,5,135,68,97,143,11,81,107)", {4879, 393845, 592946}},
      {"polygon(182.0,15.0,28.0,166.0,192.5,52.5,116.0,15.0,82.5,65.0,68.5,167.5)", {5788, 677624, 420075}},
      {"polygon(121,112,130,130,71,70,86,102,121,167,86,88,176,185,55,140)", {3068, 343493, 432742}}};
  for (const auto& [shape, expected] : counts) EXPECT_EQ(counted(ds9(shape)), expected) << shape;
}

TEST(RegionSpans, Ds9PandasCountAsFuntoolsDoes) {
  const std::vector<std::pair<const char*, Counted>> counts = {
      {"panda(66,47,90,180,1,5,15,1)", {157, 9340, 8496}},
      {"panda(158,91,0,270,1,7,58,1)", {7800, 1166849, 773719}},
      {"panda(93,97,220,400,1,56,101,1)", {10908, 1380036, 639624}},
      {"epanda(176,120,122,302,1,7,53,14,106,1,30)", {1540, 303629, 122163}},
      {"epanda(154.5,110.0,90,228.5,1,28.5,51.5,57.0,103.0,1,0)", {4471, 543283, 619413}},
      {"bpanda(75,58,287,628,1,6,23,12,46,1,0)", {352, 26457, 21782}},
      {"bpanda(62.5,72.5,45,225,1,21.5,50.5,43.0,101.0,1,30)", {1629, 74222, 154270}}};
  for (const auto& [shape, expected] : counts) EXPECT_EQ(counted(ds9(shape)), expected) << shape;
}

TEST(RegionSpans, CasaCountsInSinglePrecision) {
  // Sides and rims that pass by centres at 1e-5 of their places.
  const std::vector<std::pair<const char*, Counted>> counts = {
      {"ellipse[[94.558pix,115.728pix],[38.845pix,26.381pix],0deg]", {3212, 303695, 371744}},
      {"annulus[[164.207pix,129.623pix],[19.474pix,31.249pix]]", {1876, 307988, 243041}},
      {"poly[[87.5pix,24.0pix],[81.5pix,126.0pix],[116.5pix,106.0pix],[178.0pix,139.0pix]]", {3773, 424839, 331025}},
      {"poly[[142.0pix,159.5pix],[43.5pix,8.0pix],[159.5pix,95.5pix]]", {4474, 514417, 392140}},
      {"poly[[88.5pix,90.5pix],[25.5pix,149.0pix],[137.5pix,134.0pix],[171.5pix,159.0pix],[125.5pix,103.0pix],"
       "[161.5pix,107.0pix]]",
       {3834, 367387, 468824}}};
  for (const auto& [shape, expected] : counts) {
    const Counted got = counted(casa(shape));
    EXPECT_EQ(got, (Counted{expected.pixels, expected.x + expected.pixels, expected.y + expected.pixels})) << shape;
  }
}

TEST(RegionSpans, AStopIsHeardInEveryRow) {
  // All its rows lie beside the image, where no span is given.
  std::atomic<bool> stop{true};
  const Progress progress({}, &stop);
  EXPECT_THROW(for_each_span(
                   ds9("box(900,100,50,50,0)"), kShape, [](const RegionSpan&) {}, progress),
               Cancelled);
}

/// How often each pixel is in one of the regions.
std::vector<int> times_in(const std::vector<Region>& regions, Shape shape) {
  std::vector<int> times(static_cast<std::size_t>(shape.count()));
  for (const Region& region : regions)
    for_each_span(region, shape, [&](const RegionSpan& span) {
      for (std::int64_t x = span.x0; x < span.x1; ++x) ++times[static_cast<std::size_t>(span.y * shape.nx + x)];
    });
  return times;
}

TEST(RegionSpans, BoxesSideBySideHoldEveryPixelOnce) {
  for (const double angle : {0.0, 30.0, 45.0, 53.13010235415598, 90.0, 135.0, 222.0}) {
    for (const double size : {10.0, 7.5, std::sqrt(50.0)}) {
      const double a = angle * 3.14159265358979323846 / 180;
      std::vector<Region> boxes;
      for (int i = -20; i <= 20; ++i)
        for (int j = -20; j <= 20; ++j) {
          const double u = i * size, v = j * size;
          Region box;
          box.kind = Region::Kind::box;
          box.centre = {50 + u * std::cos(a) - v * std::sin(a), 50 + u * std::sin(a) + v * std::cos(a)};
          box.half_x = box.half_y = size / 2;
          box.angle_deg = angle;
          boxes.push_back(box);
        }
      const std::vector<int> times = times_in(boxes, {100, 100});
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << angle << " " << size;
    }
  }
}

TEST(RegionSpans, PolygonsThatTileASquareHoldEveryPixelOnce) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 40; ++turn) {
    // Corners of a grid, moved at random inside.
    constexpr int n = 6;
    std::uniform_real_distribution<double> shift(-7, 7);
    PixelPosition at[n + 1][n + 1];
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        const auto moved_to = [&](int k, double whole) { return k == 0 || k == n ? whole : whole + shift(random); };
        at[j][i] = {moved_to(i, 20.0 * i) - 1, moved_to(j, 20.0 * j) - 1};
      }
    std::vector<Region> cells;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        Region cell;
        cell.kind = Region::Kind::polygon;
        cell.points = {at[j][i], at[j][i + 1], at[j + 1][i + 1], at[j + 1][i]};
        cells.push_back(cell);
      }
    const std::vector<int> times = times_in(cells, {20 * n, 20 * n});
    EXPECT_TRUE(std::ranges::all_of(times, [](int count) { return count == 1; })) << turn;
  }
}

TEST(RegionSpans, RegionsWithoutAPixelAreToldOf) {
  std::string told;
  const auto warn = [&](const std::string& text) { told = text; };
  (void)mask_of({ds9("circle(60,60,5)"), ds9("circle(60.5,60.5,0.3)"), ds9("box(-50,1,4,4,0)")}, kShape, warn);
  EXPECT_EQ(told, "2 of 3 regions hold no pixel of the image; the first: region 2");
  told.clear();
  (void)mask_of({ds9("circle(60,60,5)")}, kShape, warn);
  EXPECT_EQ(told, "");
}

TEST(RegionSpans, ShapesThatAreNotFiniteOrFarAwayHoldNothing) {
  for (const char* shape : {"circle(1e300,1,5)", "box(1,1,1e300,2,0)", "polygon(1e300,1,2,3,4,5)", "circle(-1e9,5,9)"})
    EXPECT_EQ(counted(ds9(shape)).pixels, 0) << shape;
}

}  // namespace
}  // namespace reber
