// SPDX-License-Identifier: BSD-3-Clause
// Transforms by steps of radix 4, and a last one of radix 2 where one is left, eight lines side by side in the lanes of
// vectors. Down the columns first, then along the rows there and back with the product between, then up the columns.
// The frequencies stay in the order that the steps leave them in, as those of the kernel do.
#include "kernels/cpu/convolve/pair_transform.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <numbers>
#include <vector>

#include "core/base/error.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kGroup = 2 * kLanes;
/// Of the memory to work in: a row is groups | re x 8 | im x 8 | of neighbouring columns, and a group of nothing, so
/// that rows do not fall on the same lines of the first-level cache.
constexpr std::int64_t work_stride(std::int64_t side) { return 2 * side + kGroup; }

/// Eight complex numbers.
struct Complex {
  Floats re, im;
};

Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
Complex product(const Complex& a, Floats re, Floats im) {
  return {fma(-a.im, im, a.re * re), fma(a.im, re, a.re * im)};
}

Complex load_group(const float* from) { return {load(from), load(from + kLanes)}; }
void store_group(float* to, const Complex& value) {
  store(to, value.re);
  store(to + kLanes, value.im);
}

/// For each k below n / 4: exp(-2 pi i k m / n) of m = 1, 2, 3.
std::vector<float> roots(std::int64_t n) {
  std::vector<float> all;
  for (std::int64_t k = 0; k < n / 4; ++k)
    for (std::int64_t m = 1; m <= 3; ++m) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k * m) / static_cast<double>(n);
      all.push_back(static_cast<float>(std::cos(angle)));
      all.push_back(static_cast<float>(std::sin(angle)));
    }
  return all;
}
/// Of the steps of 4^n and of 2 x 4^n points, from the largest side that there is.
template <std::int64_t points>
const float* roots_of() {
  static const std::vector<float> made = roots(points);
  return made.data();
}

using Four = std::array<Complex, 4>;

/// Transform of four points; `back`: the inverse.
template <bool back>
void transform_four(Four& x) {
  const Complex even = x[0] + x[2], even_less = x[0] - x[2], odd = x[1] + x[3], odd_less = x[1] - x[3];
  const Complex turned =
      back ? Complex{-odd_less.im, odd_less.re} : Complex{odd_less.im, -odd_less.re};  // times i, or -i
  x = {even + odd, even_less + turned, even - odd, even_less - turned};
}

/// One step towards the frequencies, on sets of `points` points of `side`. from(k), to(k, value): of point k
template <std::int64_t side, std::int64_t points, class From, class To>
void step_there(const From& from, const To& to) {
  constexpr std::int64_t kQuarter = points / 4;
  const float* const root = roots_of<points>();
  for (std::int64_t set = 0; set < side; set += points)
    for (std::int64_t k = 0; k < kQuarter; ++k) {
      const std::int64_t at = set + k;
      Four x{from(at), from(at + kQuarter), from(at + 2 * kQuarter), from(at + 3 * kQuarter)};
      transform_four<false>(x);
      for (int m = 1; m < 4; ++m) x[m] = product(x[m], all(root[6 * k + 2 * m - 2]), all(root[6 * k + 2 * m - 1]));
      for (int m = 0; m < 4; ++m) to(at + m * kQuarter, x[m]);
    }
}

/// The same step backwards.
template <std::int64_t side, std::int64_t points, class From, class To>
void step_back(const From& from, const To& to) {
  constexpr std::int64_t kQuarter = points / 4;
  const float* const root = roots_of<points>();
  for (std::int64_t set = 0; set < side; set += points)
    for (std::int64_t k = 0; k < kQuarter; ++k) {
      const std::int64_t at = set + k;
      Four x{from(at), from(at + kQuarter), from(at + 2 * kQuarter), from(at + 3 * kQuarter)};
      for (int m = 1; m < 4; ++m) x[m] = product(x[m], all(root[6 * k + 2 * m - 2]), -all(root[6 * k + 2 * m - 1]));
      transform_four<true>(x);
      for (int m = 0; m < 4; ++m) to(at + m * kQuarter, x[m]);
    }
}

/// Points of the last step: no turns are left.
constexpr std::int64_t last_points(std::int64_t side) { return side <= 4 ? side : last_points(side / 4); }

/// The last step towards the frequencies, which is its own inverse but for the sign of i.
template <std::int64_t side, bool back, class From, class To>
void last_step(const From& from, const To& to) {
  if constexpr (last_points(side) == 4) {
    for (std::int64_t k = 0; k < side; k += 4) {
      Four x{from(k), from(k + 1), from(k + 2), from(k + 3)};
      transform_four<back>(x);
      for (int m = 0; m < 4; ++m) to(k + m, x[m]);
    }
  } else {
    for (std::int64_t k = 0; k < side; k += 2) {
      const Complex a = from(k), b = from(k + 1);
      to(k, a + b);
      to(k + 1, a - b);
    }
  }
}

/// Eight lines in a core's own caches: group k holds point k of each.
template <std::int64_t side>
struct Lines {
  alignas(64) std::array<float, side * kGroup> groups;

  [[nodiscard]] auto from() const {
    return [data = groups.data()](std::int64_t k) { return load_group(data + k * kGroup); };
  }
  [[nodiscard]] auto to() {
    return [data = groups.data()](std::int64_t k, const Complex& value) { store_group(data + k * kGroup, value); };
  }
};

/// All steps but the last, from the one of `points` points on.
template <std::int64_t side, std::int64_t points = side, class From>
void steps_there(Lines<side>& lines, const From& from) {
  step_there<side, points>(from, lines.to());
  if constexpr (points / 4 > 4) steps_there<side, points / 4>(lines, lines.from());
}
template <std::int64_t side, std::int64_t points = side, class To>
void steps_back(Lines<side>& lines, const To& to) {
  if constexpr (points / 4 > 4) steps_back<side, points / 4>(lines, lines.to());
  step_back<side, points>(lines.from(), to);
}

/// Columns of both tiles to their frequencies.
template <std::int64_t side>
void columns_there(const TilePair& tiles, float* work, Lines<side>& lines) {
  for (std::int64_t group = 0; group < side / kLanes; ++group) {
    const float *left = tiles.left + group * kLanes, *right = tiles.right + group * kLanes;
    float* const column = work + group * kGroup;
    steps_there<side>(lines, [&](std::int64_t y) {
      return Complex{load(left + y * tiles.stride), load(right + y * tiles.stride)};
    });
    last_step<side, false>(lines.from(), [&](std::int64_t y, const Complex& value) {
      store_group(column + y * work_stride(side), value);
    });
  }
}

/// Frequencies back to those columns and rows that are wanted.
template <std::int64_t side>
void columns_back(float* work, const TilePair& tiles, const PairResult& wanted, Lines<side>& lines) {
  for (std::int64_t group = 0; group < wanted.columns / kLanes; ++group) {
    float *const left = tiles.left + group * kLanes, *const right = tiles.right + group * kLanes;
    const float* const column = work + group * kGroup;
    last_step<side, true>([&](std::int64_t y) { return load_group(column + y * work_stride(side)); }, lines.to());
    steps_back<side>(lines, [&](std::int64_t y, const Complex& value) {
      if (y >= wanted.rows) return;
      store(left + y * tiles.stride, value.re);
      store(right + y * tiles.stride, value.im);
    });
  }
}

/// Eight vectors of eight lanes, rows and columns exchanged.
void transpose(std::array<Floats, kLanes>& rows) {
  const auto pairs = [&](int a, int b) {
    const Floats x = rows[a], y = rows[b];
    rows[a] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(x, y);
    rows[b] = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(x, y);
  };
  const auto fours = [&](int a, int b) {
    const Floats x = rows[a], y = rows[b];
    rows[a] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(x, y);
    rows[b] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(x, y);
  };
  const auto halves = [&](int a, int b) {
    const Floats x = rows[a], y = rows[b];
    rows[a] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(x, y);
    rows[b] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(x, y);
  };
  for (const int a : {0, 2, 4, 6}) pairs(a, a + 1);
  for (const int a : {0, 1, 4, 5}) fours(a, a + 2);
  for (const int a : {0, 1, 2, 3}) halves(a, a + 4);
}

/// Eight rows of the work memory to lines, or (`back`) the other way.
template <bool back, std::int64_t side>
void exchange_rows(float* rows, Lines<side>& lines) {
  for (std::int64_t group = 0; group < side / kLanes; ++group)
    for (const std::int64_t part : {std::int64_t{0}, std::int64_t{kLanes}}) {
      float* const in_rows = rows + group * kGroup + part;
      float* const in_lines = lines.groups.data() + group * kLanes * kGroup + part;
      constexpr std::int64_t kFromStep = back ? kGroup : work_stride(side), kToStep = back ? work_stride(side) : kGroup;
      const float* const from = back ? in_lines : in_rows;
      float* const to = back ? in_rows : in_lines;
      std::array<Floats, kLanes> vectors;
      for (int k = 0; k < kLanes; ++k) vectors[k] = load(from + k * kFromStep);
      transpose(vectors);
      for (int k = 0; k < kLanes; ++k) store(to + k * kToStep, vectors[k]);
    }
}

/// Along eight rows to the frequencies, times the kernel's, and back.
template <std::int64_t side>
void rows_there_and_back(float* rows, const float* transfer, Lines<side>& lines) {
  exchange_rows<false>(rows, lines);
  steps_there<side>(lines, lines.from());
  const auto from = lines.from();
  const auto to = lines.to();
  const auto times = [&](std::int64_t k, const Complex& value) {
    const Complex by = load_group(transfer + k * kGroup);
    return product(value, by.re, by.im);
  };
  if constexpr (last_points(side) == 4) {
    for (std::int64_t k = 0; k < side; k += 4) {
      Four x{from(k), from(k + 1), from(k + 2), from(k + 3)};
      transform_four<false>(x);
      for (int m = 0; m < 4; ++m) x[m] = times(k + m, x[m]);
      transform_four<true>(x);
      for (int m = 0; m < 4; ++m) to(k + m, x[m]);
    }
  } else {
    for (std::int64_t k = 0; k < side; k += 2) {
      const Complex a = from(k), b = from(k + 1), sum = times(k, a + b), less = times(k + 1, a - b);
      to(k, sum + less);
      to(k + 1, sum - less);
    }
  }
  steps_back<side>(lines, to);
  exchange_rows<true>(rows, lines);
}

template <std::int64_t side>
void transform_kernel_of(const float* placed, float* transfer, float* work) {
  const auto lines = std::make_unique<Lines<side>>();
  std::vector<float> pixels(placed, placed + side * side), nothing(pixels.size(), 0.0f);
  columns_there<side>({pixels.data(), nothing.data(), side}, work, *lines);
  for (std::int64_t y = 0; y < side; y += kLanes) {
    float* const rows = transfer + y * side * 2;
    exchange_rows<false>(work + y * work_stride(side), *lines);
    steps_there<side>(*lines, lines->from());
    last_step<side, false>(lines->from(),
                           [&](std::int64_t k, const Complex& value) { store_group(rows + k * kGroup, value); });
  }
}

template <std::int64_t side>
void convolve_pair_of(const TilePair& tiles, const PairResult& wanted, const float* transfer, float* work) {
  // Behind the rows of the work memory: a line of the largest side does not belong on a stack.
  Lines<side>& lines = *new (work + side * work_stride(side)) Lines<side>;
  columns_there<side>(tiles, work, lines);
  for (std::int64_t y = 0; y < side; y += kLanes)
    rows_there_and_back<side>(work + y * work_stride(side), transfer + y * side * 2, lines);
  columns_back<side>(work, tiles, wanted, lines);
}

struct Row {
  std::int64_t side;
  void (*transform_kernel)(const float*, float*, float*);
  void (*convolve)(const TilePair&, const PairResult&, const float*, float*);
};
template <std::int64_t side>
constexpr Row row_of() {
  return {side, transform_kernel_of<side>, convolve_pair_of<side>};
}
constexpr std::array kRows{row_of<256>(), row_of<512>(), row_of<1024>(), row_of<2048>(), row_of<4096>()};

const Row& row_for(std::int64_t side) {
  for (const Row& row : kRows)
    if (row.side == side) return row;
  throw InternalError("no pair of tiles of this side");
}

}  // namespace

void transform_kernel(std::int64_t side, const float* placed, float* transfer, float* work) {
  row_for(side).transform_kernel(placed, transfer, work);
}

void convolve_pair(std::int64_t side, const TilePair& tiles, const PairResult& wanted, const float* transfer,
                   float* work) {
  row_for(side).convolve(tiles, wanted, transfer, work);
}

}  // namespace reber::cpu
