// SPDX-License-Identifier: BSD-3-Clause
// Places of a row of a block, then the weighted sums about them.
#include "kernels/cpu/resample.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/seam/compute/resample.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

constexpr int kTaps = ResampleTable::kTaps;
static_assert(kTaps == kLanes);
/// Pixels of a plane that is not resident which are held at a time.
constexpr std::int64_t kHeldPixels = std::int64_t{16} << 20;

/// Eight weighted columns of eight by eight pixels, the first of which is at `corner`.
Floats weighted_columns(const float* entry_x, const float* entry_y, const rules::TapPlace& y, const rules::TapPlace& x,
                        const float* corner, std::int64_t stride) {
  const Floats weights_x = load(entry_x) + all(x.part) * load(entry_x + kTaps);
  const Floats weights_y = load(entry_y) + all(y.part) * load(entry_y + kTaps);
  alignas(32) float rows[kTaps];
  store(rows, weights_y);
  asm("" : "+m"(rows));  // left in memory: one load spreads a weight, where registers take two shuffles
  Floats columns = all(0);
  for (int j = 0; j < kTaps; ++j) columns = columns + all(rows[j]) * load(corner + j * stride);
  return columns * weights_x;
}

/// rules::sum_of_eight() of one pixel's columns.
float sum_of_one(Floats columns) {
  const Floats four = columns + shuffled<4, 5, 6, 7, 4, 5, 6, 7>(columns, columns);
  const Floats two = four + shuffled<2, 3, 2, 3, 2, 3, 2, 3>(four, four);
  return two[0] + two[1];
}

/// The same of eight pixels at a time, which do not wait for one another.
Floats sums_of_eight(const Floats* columns) {
  Floats four[4], two[2];
  for (int k = 0; k < 4; ++k)  // columns 0 + 4 to 3 + 7, of pixel k and of pixel k + 4
    four[k] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(columns[k], columns[k + 4]) +
              shuffled<4, 5, 6, 7, 12, 13, 14, 15>(columns[k], columns[k + 4]);
  for (int k = 0; k < 2; ++k)
    two[k] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(four[2 * k], four[2 * k + 1]) +
             shuffled<2, 3, 10, 11, 6, 7, 14, 15>(four[2 * k], four[2 * k + 1]);
  return shuffled<0, 2, 8, 10, 4, 6, 12, 14>(two[0], two[1]) + shuffled<1, 3, 9, 11, 5, 7, 13, 15>(two[0], two[1]);
}

/// Rows of one rectangle of the input, and where they belong.
class Worker {
 public:
  Worker(const CpuPlane& plane, const HeldRows& held, std::int64_t held_x0, const PlaceGrid& places,
         const ResampleTable& table)
      : image_(plane.shape()), held_(held), x0_(held_x0), view_(places.view()), table_(table) {}

  /// Pixels [x, end) of row y of the output, all of one block.   returns how many are blank
  std::int64_t fill(std::int64_t y, std::int64_t x, std::int64_t end, float* out) const {
    PixelPosition places[kPlaceBlock];
    places_of(y, x, end, places);
    const std::int64_t count = end - x;
    if (table_.how == Interpolation::fitted && all_inside(places, count)) {
      std::int64_t k = 0;
      for (; k + kLanes <= count; k += kLanes) {
        Floats columns[kLanes];
        for (int i = 0; i < kLanes; ++i)
          columns[i] = columns_about(rules::tap_place(places[k + i].y), rules::tap_place(places[k + i].x));
        store(out + k, sums_of_eight(columns));
      }
      for (; k < count; ++k)
        out[k] = sum_of_one(columns_about(rules::tap_place(places[k].y), rules::tap_place(places[k].x)));
    } else {
      std::fill_n(out, count, std::nanf(""));
    }
    std::int64_t blank = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      if (rules::is_finite(out[k])) continue;
      out[k] = value(places[k].y, places[k].x);
      blank += rules::is_finite(out[k]) ? 0 : 1;
    }
    return blank;
  }

 private:
  /// As place_of(), a cell between nodes at a time.
  void places_of(std::int64_t y, std::int64_t x, std::int64_t end, PixelPosition* places) const {
    const std::int64_t v = y - view_.y0, in_v = v % kPlaceBlock;
    const PlaceBlock block = view_.blocks[(v / kPlaceBlock) * view_.blocks_x + (x - view_.x0) / kPlaceBlock];
    if (block.shift < 1) {
      for (std::int64_t k = x; k < end; ++k) *places++ = place_of(view_, y, k);
      return;
    }
    const std::int64_t width = block.width(), step = std::int64_t{1} << block.shift;
    const auto part = static_cast<double>(block.part), fv = static_cast<double>(in_v & (step - 1)) * part;
    const PixelPosition* const row = view_.nodes + block.first + (in_v >> block.shift) * width;
    const auto between = [&](std::int64_t u) -> PixelPosition {
      const PixelPosition &upper = row[u], &lower = row[u + width];
      return {upper.x + fv * (lower.x - upper.x), upper.y + fv * (lower.y - upper.y)};
    };
    std::int64_t in_u = (x - view_.x0) % kPlaceBlock;
    while (x < end) {
      const PixelPosition left = between(in_u >> block.shift), right = between((in_u >> block.shift) + 1);
      const double gain_x = right.x - left.x, gain_y = right.y - left.y;
      const std::int64_t count = std::min(step - (in_u & (step - 1)), end - x);
      for (std::int64_t k = 0; k < count; ++k) {
        const double fu = static_cast<double>((in_u & (step - 1)) + k) * part;
        places[k] = {left.x + fu * gain_x, left.y + fu * gain_y};
      }
      places += count, x += count, in_u += count;
    }
  }

  /// Whether eight by eight pixels lie about each place.
  [[nodiscard]] bool all_inside(const PixelPosition* places, std::int64_t count) const {
    const auto last_x = static_cast<double>(image_.nx - 5), last_y = static_cast<double>(image_.ny - 5);
    bool inside = true;
    for (std::int64_t k = 0; k < count; ++k)
      inside &= places[k].x >= 3 && places[k].x < last_x && places[k].y >= 3 && places[k].y < last_y;
    return inside;
  }

  [[nodiscard]] Floats columns_about(const rules::TapPlace& y, const rules::TapPlace& x) const {
    return weighted_columns(rules::tap_entry(table_.x.data(), 0, x.phase),
                            rules::tap_entry(table_.y.data(), 0, y.phase), y, x,
                            held_.row(y.cell - 3) + (x.cell - 3 - x0_), held_.nx);
  }

  [[nodiscard]] float value(double at_y, double at_x) const {
    if (table_.how == Interpolation::fitted && rules::near_pixels(at_y, image_.ny) &&
        rules::near_pixels(at_x, image_.nx)) {
      const rules::TapPlace y = rules::tap_place(at_y), x = rules::tap_place(at_x);
      if (y.cell >= 3 && x.cell >= 3 && y.cell + 4 < image_.ny && x.cell + 4 < image_.nx) {
        const float sum = sum_of_one(columns_about(y, x));
        if (rules::is_finite(sum)) return sum;
      }
    }
    return rules::resampled(table_.x.data(), table_.y.data(), table_.how, at_y, at_x, image_,
                            [&](std::int64_t y, std::int64_t x) { return held_.row(y)[x - x0_]; });
  }

  Shape image_;
  const HeldRows& held_;
  std::int64_t x0_;
  PlaceView view_;
  const ResampleTable& table_;
};

class Resampler {
 public:
  Resampler(const CpuPlane& plane, const PlaceGrid& places, const ResampleTable& table, CpuPlane& out,
            const JobThreads& threads)
      : plane_(plane), places_(places), table_(table), out_(out), threads_(threads) {}

  /// A rectangle of the output, whose parts are as large as their pixels can be held.
  void fill(const Rect& part) {
    const Rect needed = places_.needs(part, plane_.shape(), kTaps / 2);
    if (!plane_.resident() && needed.shape().count() > kHeldPixels) {
      Rect first = part, second = part;
      // Blocks are whole: both halves begin where a block does.
      if (part.nx > kPlaceBlock && part.nx >= part.ny) {
        second.x0 = middle(part.x0, part.nx);
        first.nx = second.x0 - part.x0, second.nx = part.nx - first.nx;
      } else if (part.ny > kPlaceBlock) {
        second.y0 = middle(part.y0, part.ny);
        first.ny = second.y0 - part.y0, second.ny = part.ny - first.ny;
      } else {
        return fill(part, needed);
      }
      fill(first);
      return fill(second);
    }
    fill(part, needed);
  }
  [[nodiscard]] std::int64_t blank() const { return blank_; }

 private:
  static std::int64_t middle(std::int64_t first, std::int64_t count) {
    return std::max((first + count / 2) / kPlaceBlock, first / kPlaceBlock + 1) * kPlaceBlock;
  }

  void fill(const Rect& part, const Rect& needed) {
    const Rect area = places_.area();
    const auto row_of = [&](std::int64_t y) { return out_.data() + (y - area.y0) * area.nx - area.x0; };
    if (needed.shape().count() == 0) {
      for (std::int64_t y = part.y0; y < part.y0 + part.ny; ++y)
        std::fill_n(row_of(y) + part.x0, part.nx, std::nanf(""));
      blank_ += part.shape().count();
      return;
    }
    const HeldRows held = hold_rectangle(plane_, needed, threads_);
    const Worker worker(plane_, held, needed.x0, places_, table_);
    const std::int64_t first_y = part.y0 / kPlaceBlock, first_x = part.x0 / kPlaceBlock;
    const std::int64_t blocks_y = (part.y0 + part.ny - 1) / kPlaceBlock - first_y + 1;
    const std::int64_t blocks_x = (part.x0 + part.nx - 1) / kPlaceBlock - first_x + 1;
    threads_.for_each(blocks_y * blocks_x, [&](std::int64_t k) {
      const std::int64_t y0 = (first_y + k / blocks_x) * kPlaceBlock, x0 = (first_x + k % blocks_x) * kPlaceBlock;
      const std::int64_t x = std::max(x0, part.x0), end = std::min(x0 + kPlaceBlock, part.x0 + part.nx);
      std::int64_t blank = 0;
      for (std::int64_t y = std::max(y0, part.y0); y < std::min(y0 + kPlaceBlock, part.y0 + part.ny); ++y)
        blank += worker.fill(y, x, end, row_of(y) + x);
      blank_ += blank;
    });
  }

  const CpuPlane& plane_;
  const PlaceGrid& places_;
  const ResampleTable& table_;
  CpuPlane& out_;
  const JobThreads& threads_;
  std::atomic<std::int64_t> blank_{0};
};

}  // namespace

std::unique_ptr<CpuPlane> resample(const CpuPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                   const RowTools& tools, const JobThreads& threads) {
  const Shape shape = places.area().shape();
  auto made = std::make_unique<CpuPlane>(shape, tools.memory->take(shape.count()));
  Resampler resampler(plane, places, table, *made, threads);
  if (shape.count() > 0) resampler.fill(places.area());
  made->set_counts({resampler.blank(), 0});
  return made;
}

}  // namespace reber::cpu
