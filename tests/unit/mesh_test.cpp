// SPDX-License-Identifier: BSD-3-Clause
// The mesh: how it is cut, mended, filtered and interpolated, and the clip of one sorted cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/seam/compute/background.hpp"
#include "kernels/shared/cell_clip.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

const float kNan = std::nanf("");

TEST(mesh_grid, cells_are_as_equal_as_whole_pixels_allow_and_never_larger_than_the_box) {
  const MeshGrid grid = MeshGrid::make({100, 65}, 32);
  EXPECT_EQ(grid.rows, (std::vector<PixelSpan>{{0, 25}, {25, 50}, {50, 75}, {75, 100}}));
  EXPECT_EQ(grid.cols, (std::vector<PixelSpan>{{0, 22}, {22, 43}, {43, 65}}));
  const MeshGrid one = MeshGrid::make({7, 1}, 64);
  EXPECT_EQ(one.ny(), 1);
  EXPECT_EQ(one.nx(), 1);
  EXPECT_THROW((void)MeshGrid::make({10, 10}, 0), InputError);
}

TEST(mesh_grid, cells_are_the_same_from_both_ends) {
  for (std::int64_t size = 1; size < 400; ++size)
    for (const std::int64_t box : {1, 5, 32, 51, 64, 99}) {
      const std::vector<PixelSpan> rows = MeshGrid::within({500, 1}, {13, 0, size, 1}, box).rows;
      EXPECT_EQ(rows.front().begin, 13);
      EXPECT_EQ(rows.back().end, 13 + size);
      std::int64_t least = size, most = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const PixelSpan& other = rows[rows.size() - 1 - k];
        EXPECT_EQ(rows[k].begin + other.end, 26 + size) << size << " " << box;
        least = std::min(least, rows[k].size()), most = std::max(most, rows[k].size());
      }
      EXPECT_LE(most, box);
      EXPECT_LE(most - least, 1) << size << " " << box;
    }
}

TEST(mesh_grid, sliding_boxes_stand_about_the_cells_of_their_step_and_are_cut_at_the_ends) {
  const MeshGrid grid = MeshGrid::sliding({40, 20}, 20, 10);
  EXPECT_EQ(grid.rows, (std::vector<PixelSpan>{{0, 15}, {5, 25}, {15, 35}, {25, 40}}));
  EXPECT_EQ(grid.cols, (std::vector<PixelSpan>{{0, 15}, {5, 20}}));
  EXPECT_EQ(MeshGrid::sliding({100, 65}, 32, 32).rows, MeshGrid::make({100, 65}, 32).rows);
  const MeshGrid whole = MeshGrid::sliding({40, 20}, 1000, 5);
  EXPECT_EQ(whole.rows, (std::vector<PixelSpan>{{0, 40}}));
  EXPECT_THROW((void)MeshGrid::sliding({10, 10}, 0, 5), InputError);
}

TEST(mesh_grid, centres_of_sliding_boxes_ascend_whatever_is_cut) {
  for (std::int64_t size : {1, 7, 50, 101})
    for (std::int64_t box : {1, 5, 30, 64, 99, 300})
      for (std::int64_t step : {1, 4, 33}) {
        const MeshGrid grid = MeshGrid::sliding({size, 1}, box, step);
        EXPECT_EQ(grid.rows.front().begin, 0);
        EXPECT_EQ(grid.rows.back().end, size);
        for (std::size_t k = 1; k < grid.rows.size(); ++k) {
          EXPECT_GT(grid.rows[k].begin + grid.rows[k].end, grid.rows[k - 1].begin + grid.rows[k - 1].end);
          EXPECT_LE(grid.rows[k].begin, grid.rows[k - 1].end);
        }
      }
}

TEST(mesh_axis, weights_run_from_centre_to_centre_and_stop_beyond_the_outermost) {
  const MeshAxis axis = mesh_axis({{0, 4}, {4, 8}}, 8);  // centres 1.5 and 5.5
  EXPECT_EQ(axis.node, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(axis.weight, (std::vector<float>{0, 0, 0.125f, 0.375f, 0.625f, 0.875f, 0, 0}));
  const MeshAxis one = mesh_axis({{0, 3}}, 3);
  EXPECT_EQ(one.node, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(one.weight, (std::vector<float>{0, 0, 0}));
}

MeshGrid grid_of(std::int64_t ny, std::int64_t nx) { return MeshGrid::make({ny * 8, nx * 8}, 8); }

TEST(finish_mesh, a_bad_cell_takes_the_average_of_the_nearest_good_ones) {
  MeshOptions options;
  options.filter = 1;
  MeshCells cells{{1, kNan, 4, kNan, kNan, kNan}, {2, kNan, 6, kNan, kNan, kNan}};
  const BackgroundModel model = finish_mesh(grid_of(2, 3), cells, options);
  EXPECT_EQ(model.mean, (std::vector<float>{1, 2.5f, 4, 1, 2.5f, 4}));
  EXPECT_EQ(model.rms, (std::vector<float>{2, 4, 6, 2, 4, 6}));
}

TEST(finish_mesh, nearest_is_by_distance_in_both_directions) {
  Random random(4);
  const std::int64_t ny = 13, nx = 11;
  MeshCells cells;
  for (std::int64_t k = 0; k < ny * nx; ++k) {
    const bool good = random.uniform() < 0.15;
    cells.mean.push_back(good ? static_cast<float>(random.normal()) : kNan);
    cells.rms.push_back(good ? 1.0f : kNan);
  }
  MeshOptions options;
  options.filter = 1;
  const BackgroundModel model = finish_mesh(grid_of(ny, nx), cells, options);
  for (std::int64_t k = 0; k < ny * nx; ++k) {
    std::int64_t best = 1 << 20;
    double sum = 0, count = 0;
    for (std::int64_t other = 0; other < ny * nx; ++other) {
      if (std::isnan(cells.mean[other])) continue;
      const std::int64_t dy = other / nx - k / nx, dx = other % nx - k % nx, distance = dy * dy + dx * dx;
      if (distance < best) sum = count = 0;
      best = std::min(best, distance);
      if (distance == best) {
        sum += cells.mean[other];
        ++count;
      }
    }
    EXPECT_EQ(model.mean[k], static_cast<float>(sum / count)) << "cell " << k;
  }
}

TEST(finish_mesh, the_median_filter_shrinks_on_both_sides_at_the_border) {
  MeshCells cells{{1, 20, 3, 4, 50, 6, 7, 8, 9}, std::vector<float>(9, 1)};
  const BackgroundModel model = finish_mesh(grid_of(3, 3), cells, {});
  EXPECT_EQ(model.mean[4], 7);  // of all nine
  EXPECT_EQ(model.mean[0], 1);  // a corner has no neighbour on its other sides
  EXPECT_EQ(model.mean[1], 3);  // of 1 20 3
  EXPECT_EQ(model.mean[3], 4);  // of 1 4 7
}

TEST(finish_mesh, the_median_filter_leaves_a_slope_as_it_is) {
  MeshCells cells;
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 5; ++i) {
      cells.mean.push_back(static_cast<float>(10 * j + i));
      cells.rms.push_back(static_cast<float>(1 + j));
    }
  for (const int side : {3, 5}) {
    MeshOptions options;
    options.filter = side;
    const BackgroundModel model = finish_mesh(grid_of(6, 5), cells, options);
    EXPECT_EQ(model.mean, cells.mean);
    EXPECT_EQ(model.rms, cells.rms);
  }
}

TEST(finish_mesh, takes_what_a_backend_has_filtered_only_where_no_window_holds_a_bad_cell) {
  MeshCells cells{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
  EXPECT_EQ(finish_mesh(grid_of(1, 3), cells, {}).mean, cells.filtered_mean);
  EXPECT_EQ(finish_mesh(grid_of(1, 3), cells, {}).rms, cells.filtered_rms);
  cells.mean[0] = cells.rms[0] = kNan;
  EXPECT_EQ(finish_mesh(grid_of(1, 3), cells, {}).mean, finish_mesh(grid_of(1, 3), {cells.mean, cells.rms}, {}).mean);

  constexpr std::int64_t kNy = 23, kNx = 31;
  Random random(5);
  MeshCells many;
  for (std::int64_t k = 0; k < kNy * kNx; ++k) {
    many.mean.push_back(static_cast<float>(random.uniform()));
    many.rms.push_back(static_cast<float>(1 + random.uniform()));
  }
  for (const int side : {3, 5, 7}) {
    MeshOptions options;
    options.filter = side;
    MeshCells holed = many;
    const BackgroundModel whole = finish_mesh(grid_of(kNy, kNx), many, options);
    holed.filtered_mean = whole.mean;
    holed.filtered_rms = whole.rms;
    for (const auto& [y, x] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {11, 4}, {12, 6}, {22, 30}, {1, 20}}) {
      holed.mean[y * kNx + x] = holed.rms[y * kNx + x] = kNan;
      for (std::int64_t j = std::max<std::int64_t>(y - side / 2, 0); j < std::min(y + side / 2 + 1, kNy); ++j)
        for (std::int64_t i = std::max<std::int64_t>(x - side / 2, 0); i < std::min(x + side / 2 + 1, kNx); ++i)
          holed.filtered_mean[j * kNx + i] = holed.filtered_rms[j * kNx + i] = -1000;  // anything
    }
    const BackgroundModel got = finish_mesh(grid_of(kNy, kNx), holed, options),
                          expected = finish_mesh(grid_of(kNy, kNx), {holed.mean, holed.rms}, options);
    EXPECT_EQ(got.mean, expected.mean);
    EXPECT_EQ(got.rms, expected.rms);
  }
}

TEST(finish_mesh, says_what_is_wrong) {
  EXPECT_THROW((void)finish_mesh(grid_of(1, 1), {{kNan}, {kNan}}, {}), DataError);
  MeshOptions even;
  even.filter = 2;
  EXPECT_THROW((void)finish_mesh(grid_of(1, 1), {{1}, {1}}, even), InputError);
  EXPECT_THROW((void)finish_mesh(grid_of(1, 1), {{1, 2}, {1, 2}}, {}), InternalError);
}

rules::CellSums plain_sums(const float* values, std::int64_t n, double median) {
  rules::CellSums sums{0, 0};
  for (std::int64_t k = 0; k < n; ++k) {
    sums.sum += values[k] - median;
    sums.sum2 += (values[k] - median) * (values[k] - median);
  }
  return sums;
}

/// One value after the other.
rules::WindowSums window_sums(const float* values, std::int64_t n, int unit) {
  rules::WindowSums sums;
  for (std::int64_t k = 0; k < n; ++k) {
    const auto whole = static_cast<long long>(std::ldexp(values[k], -unit));
    EXPECT_EQ(std::ldexp(static_cast<double>(whole), unit), values[k]);
    EXPECT_LT(std::abs(whole), 1LL << rules::kWindowBits);
    sums.sum += whole;
    sums.squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  }
  return sums;
}

rules::MeanStd exact(const float* sorted, std::int64_t lo, std::int64_t hi) {
  return rules::exact_moments(
      sorted, lo, hi,
      [sorted](std::int64_t from, std::int64_t to, int unit) { return window_sums(sorted + from, to - from, unit); },
      rules::PlainSearch());
}

/// error: what the rounded sums of squares are multiplied by.
rules::CellClip clip(std::vector<float> values, double kappa, int rounds, double error = 1) {
  std::ranges::sort(values);
  const float* sorted = values.data();
  return rules::clip_sorted_cell(
      sorted, static_cast<std::int64_t>(values.size()), kappa, rounds,
      [=](std::int64_t lo, std::int64_t hi, double median) {
        const rules::CellSums sums = plain_sums(sorted + lo, hi - lo, median);
        return rules::CellSums{sums.sum, sums.sum2 * error};
      },
      [sorted](std::int64_t lo, std::int64_t hi) { return exact(sorted, lo, hi); }, rules::PlainSearch());
}

/// The same by an integer that holds any float's square.
rules::MeanStd moments_in_full(const std::vector<float>& values) {
  rules::WideInt<11> sum, squares;
  for (const float value : values) {
    int exponent = 0;
    const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 24));
    const int up = exponent - 24 + 149;  // below 0 for denormals alone, whose lowest bits are then 0
    const auto whole = static_cast<rules::Uint128>(std::abs(up < 0 ? significand >> -up : significand));
    const rules::WideInt<11> part = rules::shifted<11>(whole, std::max(up, 0));
    rules::add(sum, significand < 0 ? rules::negated(part) : part);
    rules::add(squares, rules::shifted<11>(whole * whole, 2 * std::max(up, 0)));
  }
  return rules::mean_and_std(values.size(), sum, squares, -149);
}

TEST(cell_clip, moments_are_those_of_exact_sums_for_any_floats) {
  Random random(31);
  const auto check = [](const char* what, std::vector<float> values) {
    std::ranges::sort(values);
    const rules::MeanStd got = exact(values.data(), 0, static_cast<std::int64_t>(values.size()));
    const rules::MeanStd expected = moments_in_full(values);
    EXPECT_EQ(got.mean, expected.mean) << what;
    EXPECT_EQ(got.std, expected.std) << what;
  };
  const auto many = [&](const auto& rule) {
    std::vector<float> values(777);
    for (float& value : values) value = static_cast<float>(rule());
    return values;
  };
  check("noise", many([&] { return random.normal(); }));
  check("noise on an offset", many([&] { return 1e6 + 0.25 * random.normal(); }));
  check("whole numbers", many([&] { return std::round(3 * random.normal()); }));
  check("all exponents",
        many([&] { return std::ldexp(random.normal(), static_cast<int>(random.uniform() * 250) - 140); }));
  check("denormals", many([&] { return std::ldexp(random.normal(), -140); }));
  check("the largest floats", many([&] { return std::ldexp(random.uniform() - 0.5, 128); }));
  check("zeros of both signs", many([&] { return random.uniform() < 0.5 ? 0.0 : -0.0; }));
  check("one value", {-3.5f});
}

TEST(cell_clip, a_pixel_at_a_limit_falls_whatever_the_rounding_of_the_sums) {
  std::vector<float> values;
  for (int k = 0; k < 100; ++k) values.insert(values.end(), {-1, 1});
  values.insert(values.end(), {-3, 3});
  std::vector<float> sorted = values;
  std::ranges::sort(sorted);
  const double std = exact(sorted.data(), 0, static_cast<std::int64_t>(sorted.size())).std;
  const double kappa = 3 / std;
  ASSERT_EQ(kappa * std, 3);
  for (const double error : {1.0, 1 + 4e-15, 1 - 4e-15}) {
    const rules::CellClip clipped = clip(values, kappa, 1, error);
    EXPECT_EQ(clipped.hi - clipped.lo, 200) << error;
    EXPECT_EQ(clipped.std, 1) << error;
  }
}

TEST(cell_clip, takes_out_a_bright_source_and_keeps_the_noise) {
  Random random(8);
  std::vector<float> values;
  for (int k = 0; k < 4096; ++k) values.push_back(static_cast<float>(10 + random.normal()));
  for (int k = 0; k < 40; ++k) values[static_cast<std::size_t>(k) * 100] = 500;
  const rules::CellClip clipped = clip(values, 3, 100);
  EXPECT_NEAR(clipped.median, 10, 0.05);
  EXPECT_NEAR(clipped.std, 0.985, 0.03);
  EXPECT_LE(clipped.hi, 4056);
}

TEST(cell_clip, a_cell_is_crowded_from_three_tenths_of_its_rms_on) {
  EXPECT_EQ(rules::cell_value(10, 10.58, 2, 1, 2.5).mean, static_cast<float>(10 - 1.5 * 0.58));
  EXPECT_EQ(rules::cell_value(10, 9.42, 2, 1, 2.5).mean, static_cast<float>(10 + 1.5 * 0.58));
  EXPECT_EQ(rules::cell_value(10, 10.62, 2, 1, 2.5).mean, 10);
  EXPECT_EQ(rules::cell_value(10, 9.38, 2, 1, 2.5).mean, 10);
  EXPECT_EQ(rules::cell_value(10, 10.62, 2, 0.5, 2.5).mean, static_cast<float>(10 - 1.5 * 0.62));
  EXPECT_EQ(rules::cell_value(10, 10, 2, 0.5, 2.5).rms, 4);
}

TEST(cell_clip, searches_and_sums_are_those_of_their_definitions) {
  const float sorted[] = {1, 2, 2, 3};
  EXPECT_EQ(rules::first_above(sorted, 0, 4, 2, true), 3);
  EXPECT_EQ(rules::first_above(sorted, 0, 4, 2, false), 1);
  EXPECT_EQ(rules::first_above(sorted, 0, 4, 3, true), 4);
  EXPECT_EQ(rules::std_from_sums(2, 10, 2), 2);
  EXPECT_EQ(rules::std_from_sums(2, 2, 2), 0);
}

TEST(cell_clip, equal_values_are_final_and_rounds_are_counted) {
  const rules::CellClip flat = clip({2, 2, 2, 2}, 3, 100);
  EXPECT_EQ(flat.std, 0);
  EXPECT_EQ(flat.median, 2);
  EXPECT_EQ(flat.hi - flat.lo, 4);
  const std::vector<float> tailed{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 1000};
  EXPECT_EQ(clip(tailed, 3, 0).hi, 15);
  EXPECT_EQ(clip(tailed, 3, 1).hi, 14);
  EXPECT_EQ(clip(tailed, 3, 1).mean, 3);
}

}  // namespace
}  // namespace reber::testing
