// SPDX-License-Identifier: BSD-3-Clause
// Transforms of 256 points by four steps of radix 4, eight lines side by side in the lanes of vectors. Down the columns
// first, then along the rows there and back with the product between, then up the columns. The frequencies stay in the
// order that the steps leave them in, as those of the kernel do.
#include "kernels/cpu/convolve/pair_transform.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kSide = kPairSide, kGroup = 2 * kLanes, kGroups = kSide / kLanes;
/// Of the memory to work in: a row is 32 groups | re x 8 | im x 8 | of neighbouring columns, and a group of nothing, so
/// that rows do not fall on the same lines of the first-level cache.
constexpr std::int64_t kWorkStride = 2 * kSide + kGroup;

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
/// Of the steps of 256, 64 and 16 points.
const std::array<std::vector<float>, 3>& roots_of_steps() {
  static const std::array<std::vector<float>, 3> all{roots(256), roots(64), roots(16)};
  return all;
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

/// One step towards the frequencies, on sets of `points` points. from(k), to(k, value): of point k
template <std::int64_t points, class From, class To>
void step_there(const float* root, const From& from, const To& to) {
  constexpr std::int64_t kQuarter = points / 4;
  for (std::int64_t set = 0; set < kSide; set += points)
    for (std::int64_t k = 0; k < kQuarter; ++k) {
      const std::int64_t at = set + k;
      Four x{from(at), from(at + kQuarter), from(at + 2 * kQuarter), from(at + 3 * kQuarter)};
      transform_four<false>(x);
      for (int m = 1; points > 4 && m < 4; ++m)
        x[m] = product(x[m], all(root[6 * k + 2 * m - 2]), all(root[6 * k + 2 * m - 1]));
      for (int m = 0; m < 4; ++m) to(at + m * kQuarter, x[m]);
    }
}

/// The same step backwards.
template <std::int64_t points, class From, class To>
void step_back(const float* root, const From& from, const To& to) {
  constexpr std::int64_t kQuarter = points / 4;
  for (std::int64_t set = 0; set < kSide; set += points)
    for (std::int64_t k = 0; k < kQuarter; ++k) {
      const std::int64_t at = set + k;
      Four x{from(at), from(at + kQuarter), from(at + 2 * kQuarter), from(at + 3 * kQuarter)};
      for (int m = 1; points > 4 && m < 4; ++m)
        x[m] = product(x[m], all(root[6 * k + 2 * m - 2]), -all(root[6 * k + 2 * m - 1]));
      transform_four<true>(x);
      for (int m = 0; m < 4; ++m) to(at + m * kQuarter, x[m]);
    }
}

/// Eight lines in the first-level cache: group k holds point k of each.
struct Lines {
  const std::array<std::vector<float>, 3>& roots = roots_of_steps();
  alignas(64) std::array<float, kSide * kGroup> groups;

  [[nodiscard]] auto from() const {
    return [data = groups.data()](std::int64_t k) { return load_group(data + k * kGroup); };
  }
  [[nodiscard]] auto to() {
    return [data = groups.data()](std::int64_t k, const Complex& value) { store_group(data + k * kGroup, value); };
  }
};

template <class From>
void three_steps_there(Lines& lines, const From& from) {
  step_there<256>(lines.roots[0].data(), from, lines.to());
  step_there<64>(lines.roots[1].data(), lines.from(), lines.to());
  step_there<16>(lines.roots[2].data(), lines.from(), lines.to());
}
template <class To>
void three_steps_back(Lines& lines, const To& to) {
  step_back<16>(lines.roots[2].data(), lines.from(), lines.to());
  step_back<64>(lines.roots[1].data(), lines.from(), lines.to());
  step_back<256>(lines.roots[0].data(), lines.from(), to);
}

/// Columns of both tiles to their frequencies.
void columns_there(const TilePair& tiles, float* work, Lines& lines) {
  for (std::int64_t group = 0; group < kGroups; ++group) {
    const float *left = tiles.left + group * kLanes, *right = tiles.right + group * kLanes;
    float* const column = work + group * kGroup;
    three_steps_there(lines, [&](std::int64_t y) {
      return Complex{load(left + y * tiles.stride), load(right + y * tiles.stride)};
    });
    step_there<4>(nullptr, lines.from(),
                  [&](std::int64_t y, const Complex& value) { store_group(column + y * kWorkStride, value); });
  }
}

/// Frequencies back to those columns and rows that are wanted.
void columns_back(float* work, const TilePair& tiles, const PairResult& wanted, Lines& lines) {
  for (std::int64_t group = 0; group < wanted.columns / kLanes; ++group) {
    float *const left = tiles.left + group * kLanes, *const right = tiles.right + group * kLanes;
    const float* const column = work + group * kGroup;
    step_back<4>(
        nullptr, [&](std::int64_t y) { return load_group(column + y * kWorkStride); }, lines.to());
    three_steps_back(lines, [&](std::int64_t y, const Complex& value) {
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
template <bool back>
void exchange_rows(float* rows, Lines& lines) {
  for (std::int64_t group = 0; group < kGroups; ++group)
    for (const std::int64_t part : {std::int64_t{0}, std::int64_t{kLanes}}) {
      float* const in_rows = rows + group * kGroup + part;
      float* const in_lines = lines.groups.data() + group * kLanes * kGroup + part;
      const std::int64_t from_step = back ? kGroup : kWorkStride, to_step = back ? kWorkStride : kGroup;
      const float* const from = back ? in_lines : in_rows;
      float* const to = back ? in_rows : in_lines;
      std::array<Floats, kLanes> vectors;
      for (int k = 0; k < kLanes; ++k) vectors[k] = load(from + k * from_step);
      transpose(vectors);
      for (int k = 0; k < kLanes; ++k) store(to + k * to_step, vectors[k]);
    }
}

/// Along eight rows to the frequencies, times the kernel's, and back.
void rows_there_and_back(float* rows, const float* transfer, Lines& lines) {
  exchange_rows<false>(rows, lines);
  three_steps_there(lines, lines.from());
  const auto from = lines.from();
  const auto to = lines.to();
  for (std::int64_t k = 0; k < kSide; k += 4) {
    Four x{from(k), from(k + 1), from(k + 2), from(k + 3)};
    transform_four<false>(x);
    for (int m = 0; m < 4; ++m) {
      const Complex by = load_group(transfer + (k + m) * kGroup);
      x[m] = product(x[m], by.re, by.im);
    }
    transform_four<true>(x);
    for (int m = 0; m < 4; ++m) to(k + m, x[m]);
  }
  three_steps_back(lines, to);
  exchange_rows<true>(rows, lines);
}

}  // namespace

void transform_kernel(const float* placed, float* transfer, float* work) {
  Lines lines;
  std::vector<float> pixels(placed, placed + kSide * kSide), nothing(pixels.size(), 0.0f);
  columns_there({pixels.data(), nothing.data(), kSide}, work, lines);
  for (std::int64_t y = 0; y < kSide; y += kLanes) {
    float* const rows = transfer + y * kSide * 2;
    exchange_rows<false>(work + y * kWorkStride, lines);
    three_steps_there(lines, lines.from());
    step_there<4>(nullptr, lines.from(),
                  [&](std::int64_t k, const Complex& value) { store_group(rows + k * kGroup, value); });
  }
}

void convolve_pair(const TilePair& tiles, const PairResult& wanted, const float* transfer, float* work) {
  Lines lines;
  columns_there(tiles, work, lines);
  for (std::int64_t y = 0; y < kSide; y += kLanes)
    rows_there_and_back(work + y * kWorkStride, transfer + y * kSide * 2, lines);
  columns_back(work, tiles, wanted, lines);
}

}  // namespace reber::cpu
