// SPDX-License-Identifier: BSD-3-Clause
// What all algorithms share: tiles with their halo under the boundary rule, blank pixels, and the way back to an image.
#include "kernels/cpu/convolve/convolution.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "core/seam/compute/variant_choice.hpp"
#include "kernels/cpu/convolve/direct.hpp"
#include "kernels/cpu/convolve/fft.hpp"
#include "kernels/cpu/convolve/separable.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/kernel_total.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

constexpr std::array kVariants{
    Variant{Algorithm::direct, "tiles", quote_direct, make_direct},
    Variant{Algorithm::separable, "tiles", quote_separable, make_separable},
    Variant{Algorithm::fft, "tiles", quote_fft, make_fft},
};

/// halo + n + halo indices of one axis.
std::vector<std::int64_t> padded_axis(std::int64_t n, std::int64_t taps, Boundary boundary) {
  const std::int64_t before = taps - 1 - taps / 2;
  std::vector<std::int64_t> index(static_cast<std::size_t>(n + taps - 1));
  for (std::int64_t p = 0; p < n + taps - 1; ++p) index[p] = rules::boundary_index(p - before, n, boundary);
  return index;
}

bool has_blank(const PaddedTile& tile, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t y = 0; y < rows; ++y) {
    const float* row = tile.pixels + y * tile.stride;
    Ints bad{};
    std::int64_t x = 0;
    for (; x + kLanes <= columns; x += kLanes) bad |= ~finite(load(row + x));
    if (bits_of(bad) != 0) return true;
    for (; x < columns; ++x)
      if (!std::isfinite(row[x])) return true;
  }
  return false;
}

/// Blank pixels become 0; mask (where given) 1 for finite pixels and 0 for blank ones.
void split_blanks(float* pixels, float* mask, std::int64_t rows, std::int64_t stride) {
  for (std::int64_t k = 0; k < rows * stride; k += kLanes) {
    const Floats value = load(pixels + k);
    const Ints good = finite(value);
    store(pixels + k, where(good, value, Floats{}));
    if (mask != nullptr) store(mask + k, where(good, all(1.0f), Floats{}));
  }
}

/// Row of results to the image: what overflowed becomes blank, blanks are counted.
std::int64_t finish_row(const float* from, std::int64_t n, float* to) {
  const Floats blank = all(rules::blank_value());
  std::int64_t count = 0, x = 0;
  const auto scalar = [&](std::int64_t end) {
    for (; x < end; ++x) {
      const bool good = std::isfinite(from[x]);
      to[x] = good ? from[x] : rules::blank_value();
      count += good ? 0 : 1;
    }
  };
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kLanes);
  scalar(std::min(n, (kLanes - misaligned) % kLanes));
  for (; x + kLanes <= n; x += kLanes) {
    const Floats value = load(from + x);
    const Ints good = finite(value);
    const unsigned bad = ~bits_of(good) & 0xffu;
    if (bad != 0) count += __builtin_popcount(bad);
    stream(to + x, where(good, value, blank));
  }
  scalar(n);
  return count;
}

}  // namespace

std::span<const Variant> variants() { return kVariants; }

ConvolutionQuote quote_of(const Variant& row, const ConvolutionSpec& spec, Shape shape, int threads) {
  VariantQuote quote = row.quote(spec, shape, threads);
  quote.name = row.name;
  return choose_variant(row.algorithm, spec.variant, {std::move(quote)});
}

float* Buffer::ask(std::int64_t floats) {
  constexpr std::int64_t kAlign = 16;
  const auto wanted = static_cast<std::size_t>(floats + kAlign + Pixels::kSlack);
  if (memory_.size() < wanted) memory_.assign(wanted, 0.0f);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(float);
  return memory_.data() + (kAlign - static_cast<std::int64_t>(address % kAlign)) % kAlign;
}

CpuConvolution::CpuConvolution(ConvolutionSpec spec, Shape shape, const Variant& variant,
                               std::unique_ptr<TileAlgorithm> tiles)
    : spec_(std::move(spec)),
      shape_(shape),
      variant_(variant),
      tiles_(std::move(tiles)),
      total_(rules::interpolation_total(spec_.kernel, spec_.boundary)),
      top_(spec_.kernel.shape.ny - 1 - spec_.kernel.shape.ny / 2),
      left_(spec_.kernel.shape.nx - 1 - spec_.kernel.shape.nx / 2),
      row_of_(padded_axis(shape.ny, spec_.kernel.shape.ny, spec_.boundary)),
      column_of_(padded_axis(shape.nx, spec_.kernel.shape.nx, spec_.boundary)) {}

CpuConvolution::Blanks CpuConvolution::blanks_of(const CpuPlane& plane) const {
  if (plane.blank() == 0 && spec_.boundary != Boundary::blank) return Blanks::none;
  switch (spec_.nan) {
    case NanRule::interpolate:
      return total_.total != 0.0f ? Blanks::interpolate : Blanks::fill;
    case NanRule::propagate:
      return Blanks::propagate;
    case NanRule::fill:
      break;
  }
  return Blanks::fill;
}

/// Rows of the image that tiles of some rows read: those about them, and the ones that the boundary rule puts above and
/// below the image.
class CpuConvolution::Rows {
 public:
  Rows(const CpuConvolution& plan, const CpuPlane& plane, std::int64_t y0, std::int64_t y1, const JobThreads& threads)
      : plan_(plan), begin_(std::max<std::int64_t>(y0 - plan.top_, 0)) {
    const std::int64_t kernel = plan.spec_.kernel.shape.ny, image = plan.shape_.ny;
    end_ = std::min(y1 - plan.top_ + kernel - 1, image);
    inside_ = hold_rows(plane, begin_, end_ - begin_, threads);
    if (!plane.resident()) {
      above_ = hold_outside(plane, y0, plan.top_, threads);
      below_ = hold_outside(plane, image + plan.top_, y1 + kernel - 1, threads);
    }
  }

  [[nodiscard]] const float* row(std::int64_t y) const { return inside_.row(y); }
  /// Row p of the padded image; null where nothing stands for it.
  [[nodiscard]] const float* padded(std::int64_t p) const {
    const std::int64_t y = plan_.row_of_[p];
    if (y < 0) return nullptr;
    if (above_.pixels != nullptr && p < plan_.top_) return above_.row(y);
    if (below_.pixels != nullptr && p >= plan_.top_ + plan_.shape_.ny) return below_.row(y);
    return inside_.row(y);
  }

 private:
  /// What stands for padded rows [first, last), which lie outside the image.
  [[nodiscard]] HeldRows hold_outside(const CpuPlane& plane, std::int64_t first, std::int64_t last,
                                      const JobThreads& threads) const {
    std::int64_t low = plan_.shape_.ny, high = -1;
    for (std::int64_t p = first; p < last; ++p) {
      if (plan_.row_of_[p] < 0) continue;
      low = std::min(low, plan_.row_of_[p]);
      high = std::max(high, plan_.row_of_[p]);
    }
    return high < low ? HeldRows() : hold_rows(plane, low, high - low + 1, threads);
  }

  const CpuConvolution& plan_;
  std::int64_t begin_, end_;
  HeldRows inside_, above_, below_;
};

PaddedTile CpuConvolution::gather(const Rows& rows_held, const Rect& tile, float* to) const {
  const std::int64_t rows = tile.ny + spec_.kernel.shape.ny - 1, columns = tile.nx + spec_.kernel.shape.nx - 1;
  const std::int64_t stride = tiles_->padded_stride();
  const float outside = spec_.boundary == Boundary::blank ? rules::blank_value() : 0.0f;
  // Padded columns [inner, inner_end) of the tile lie inside the image.
  const std::int64_t inner = std::clamp<std::int64_t>(left_ - tile.x0, 0, columns);
  const std::int64_t inner_end = std::clamp<std::int64_t>(left_ + shape_.nx - tile.x0, inner, columns);
  const std::int64_t* column = &column_of_[tile.x0];
  for (std::int64_t y = 0; y < rows; ++y) {
    float* out = to + y * stride;
    const float* in = rows_held.padded(tile.y0 + y);
    if (in == nullptr) {
      std::fill(out, out + columns, outside);
    } else {
      for (std::int64_t x = 0; x < inner; ++x) out[x] = column[x] < 0 ? outside : in[column[x]];
      if (inner_end > inner)
        std::memcpy(out + inner, in + column[inner], static_cast<std::size_t>(inner_end - inner) * sizeof(float));
      for (std::int64_t x = inner_end; x < columns; ++x) out[x] = column[x] < 0 ? outside : in[column[x]];
    }
    std::fill(out + columns, out + stride, 0.0f);
  }
  std::fill(to + rows * stride, to + tiles_->padded_rows() * stride, 0.0f);
  return {to, stride, tile.shape(), to};
}

void CpuConvolution::spread_blanks(const float* mask, const Rect& tile, TileScratch& scratch, float* out) const {
  const std::int64_t stride = tiles_->padded_stride(), out_stride = tiles_->out_stride();
  const auto [kny, knx] = spec_.kernel.shape;
  const std::int64_t rows = tile.ny + kny - 1;
  // hits(y, x): blank pixels of padded row y under a kernel row whose output is column x; then added up along y.
  scratch.hits.resize(static_cast<std::size_t>(rows * tile.nx));
  for (std::int64_t y = 0; y < rows; ++y) {
    const float* row = mask + y * stride;
    std::int32_t count = 0;
    for (std::int64_t x = 0; x < tile.nx + knx - 1; ++x) {
      count += row[x] == 0.0f ? 1 : 0;
      if (x >= knx) count -= row[x - knx] == 0.0f ? 1 : 0;
      if (x >= knx - 1) scratch.hits[y * tile.nx + x - knx + 1] = count;
    }
  }
  std::vector<std::int64_t> sum(static_cast<std::size_t>(tile.nx), 0);
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < tile.nx; ++x) {
      sum[x] += scratch.hits[y * tile.nx + x];
      if (y >= kny) sum[x] -= scratch.hits[(y - kny) * tile.nx + x];
      if (y >= kny - 1 && sum[x] != 0) out[(y - kny + 1) * out_stride + x] = rules::blank_value();
    }
  }
}

std::int64_t CpuConvolution::run_tile(const Rows& rows, const Rect& tile, Blanks blanks, TileScratch& scratch,
                                      float* result) const {
  const Shape reach{tile.ny + spec_.kernel.shape.ny - 1, tile.nx + spec_.kernel.shape.nx - 1};
  const std::int64_t out_stride = tiles_->out_stride();
  float* out = nullptr;
  const bool inside = tile.y0 >= top_ && tile.x0 >= left_ && tile.y0 - top_ + reach.ny <= shape_.ny &&
                      tile.x0 - left_ + reach.nx <= shape_.nx;
  if (blanks == Blanks::none && inside && tiles_->reads_in_place()) {
    const float* pixels = rows.row(tile.y0 - top_) + tile.x0 - left_;
    out = tiles_->convolve({pixels, shape_.nx, tile.shape(), nullptr}, scratch.out, scratch);
  } else {
    const std::int64_t padded_floats = tiles_->padded_rows() * tiles_->padded_stride();
    float* padded = scratch.padded.ask(padded_floats);
    const PaddedTile gathered = gather(rows, tile, padded);
    const bool met_blank = blanks != Blanks::none && has_blank(gathered, reach.ny, reach.nx);
    const bool wants_mask = met_blank && blanks != Blanks::fill;
    float* mask = wants_mask ? scratch.mask.ask(padded_floats) : nullptr;
    if (met_blank) split_blanks(padded, mask, tiles_->padded_rows(), gathered.stride);
    out = tiles_->convolve(gathered, scratch.out, scratch);
    if (blanks == Blanks::propagate && met_blank) spread_blanks(mask, tile, scratch, out);
    if (blanks == Blanks::interpolate) {
      const auto least = static_cast<float>(spec_.min_weight);
      const float noise = tiles_->weight_noise();
      const float* weight = nullptr;
      if (met_blank) weight = tiles_->convolve({mask, gathered.stride, tile.shape(), mask}, scratch.weight, scratch);
      for (std::int64_t y = 0; y < tile.ny; ++y) {
        for (std::int64_t x = 0; x < tile.nx; ++x) {
          float finite_weight = weight != nullptr ? weight[y * out_stride + x] : tiles_->full_weight();
          if (std::abs(finite_weight) <= noise) finite_weight = 0;
          float& value = out[y * out_stride + x];
          value = rules::interpolate_output(value, finite_weight, total_, least);
        }
      }
    }
  }
  if (spec_.keep_blanks && blanks != Blanks::none) {
    for (std::int64_t y = 0; y < tile.ny; ++y)
      for (std::int64_t x = 0; x < tile.nx; ++x)
        if (!std::isfinite(rows.row(tile.y0 + y)[tile.x0 + x])) out[y * out_stride + x] = rules::blank_value();
  }
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < tile.ny; ++y)
    count += finish_row(out + y * out_stride, tile.nx, result + y * shape_.nx + tile.x0);
  stream_fence();
  return count;
}

std::int64_t CpuConvolution::run_rows(const CpuPlane& plane, std::int64_t y0, std::int64_t y1, Blanks blanks,
                                      float* out, const JobThreads& threads,
                                      const std::function<void(double)>& tell) const {
  const Rows rows(*this, plane, y0, y1, threads);
  const Shape tile = tiles_->tile();
  const std::int64_t down = (y1 - y0 + tile.ny - 1) / tile.ny, across = (shape_.nx + tile.nx - 1) / tile.nx;
  scratch_.resize(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::int64_t> blank{0}, done{0};
  threads.for_each_worker(down * across, [&](std::int64_t number, int worker) {
    const std::int64_t y = y0 + number / across * tile.ny, x = number % across * tile.nx;
    const Rect rect{y, x, std::min(tile.ny, y1 - y), std::min(tile.nx, shape_.nx - x)};
    blank += run_tile(rows, rect, blanks, scratch_[static_cast<std::size_t>(worker)], out + (y - y0) * shape_.nx);
    const std::int64_t finished = ++done;
    if (worker == 0) tell(static_cast<double>(finished) / static_cast<double>(down * across));
  });
  return blank;
}

/// Rows of the result of a streamed plane, whole tiles at a time. The tiles are those of the whole image, so that an
/// FFT rounds alike. The rows made last are kept: the next band begins among them.
class CpuConvolution::StreamedRows final : public RowMaker {
 public:
  StreamedRows(const CpuConvolution& plan, const CpuPlane& plane, std::int64_t band_rows, const RowTools& tools)
      : RowMaker(plan.shape(), band_rows, tools), plan_(plan), plane_(plane), blanks_(plan.blanks_of(plane)) {
    const std::int64_t tile = plan.tiles_->tile().ny;
    at_once_ = std::max<std::int64_t>(band_rows / tile, 1) * tile;
    plan_.scratch_.clear();
  }

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    const std::int64_t nx = shape().nx, last = y0 + ny;
    std::atomic<std::int64_t> blank{0};
    for (std::int64_t y = y0, end = y0; y < last; y = end) {
      float* const to = out + (y - y0) * nx;
      if (const std::int64_t whole = whole_tiles(y, last); whole > y) {
        end = whole;
        blank += plan_.run_rows(plane_, y, end, blanks_, to, threads, [](double) {});
        continue;
      }
      if (y < made_first_ || y >= made_end_) make_about(y, threads);
      end = std::min(made_end_, last);
      threads.for_each(end - y, [&](std::int64_t k) {
        const float* const row = made_.data() + (y - made_first_ + k) * nx;
        std::copy_n(row, nx, to + k * nx);
        blank += std::count_if(row, row + nx, [](float pixel) { return !std::isfinite(pixel); });
      });
    }
    return {blank, 0};
  }

  /// The end of the whole rows of tiles from y on that lie within [y, last) and are not made yet; y where there are
  /// none.
  [[nodiscard]] std::int64_t whole_tiles(std::int64_t y, std::int64_t last) const {
    const std::int64_t tile = plan_.tiles_->tile().ny;
    if (y % tile != 0 || (y >= made_first_ && y < made_end_)) return y;
    return std::min(last, y + at_once_) == shape().ny ? shape().ny : std::min(last / tile * tile, y + at_once_);
  }

  void make_about(std::int64_t y, const JobThreads& threads) const {
    const std::int64_t tile = plan_.tiles_->tile().ny, first = y / tile * tile;
    const std::int64_t end = std::min(first + at_once_, shape().ny);
    made_first_ = made_end_ = 0;
    made_ = {};  // whose memory serves again
    made_ = tools().memory->take(at_once_ * shape().nx);
    (void)plan_.run_rows(plane_, first, end, blanks_, made_.data(), threads, [](double) {});
    made_first_ = first;
    made_end_ = end;
  }

  CpuConvolution plan_;
  CpuPlane plane_;
  Blanks blanks_;
  std::int64_t at_once_;
  mutable Pixels made_;
  mutable std::int64_t made_first_ = 0, made_end_ = 0;
};

std::unique_ptr<CpuPlane> CpuConvolution::run_later(const CpuPlane& plane, const RowTools& tools,
                                                    const JobThreads& threads) const {
  // A few tiles for each thread, or the last of a band keep one waiting for another.
  constexpr std::int64_t kTilesAThread = 6;
  count_blanks(plane, threads);
  const Shape tile = tiles_->tile();
  const std::int64_t across = (shape_.nx + tile.nx - 1) / tile.nx;
  const std::int64_t down = (kTilesAThread * threads.threads() + across - 1) / across;
  const std::int64_t rows = std::min(down * tile.ny, (shape_.ny + tile.ny - 1) / tile.ny * tile.ny);
  return std::make_unique<CpuPlane>(std::make_shared<const StreamedRows>(*this, plane, rows, tools));
}

std::unique_ptr<CpuPlane> CpuConvolution::run(const CpuPlane& plane, const RowTools& tools,
                                              const JobThreads& threads) const {
  if (!plane.resident()) {
    count_blanks(plane, threads);
    return std::make_unique<CpuPlane>(
        std::make_shared<const StreamedRows>(*this, plane, plane.maker()->band_rows(), tools));
  }
  auto result = std::make_unique<CpuPlane>(shape_, tools.memory->take(shape_.count()));
  const std::int64_t blank = run_rows(plane, 0, shape_.ny, blanks_of(plane), result->data(), threads,
                                      [&](double part) { threads.job().report("convolve", part); });
  result->set_counts({blank, 0});
  return result;
}

}  // namespace reber::cpu
