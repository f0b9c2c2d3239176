// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution: each block marches down a strip of columns. Rows come into a stage in shared memory, are
// filtered along x into a ring of rows there, and along y out of it, so that the image is read and written once.
// Answers kernels/cpu/convolve/separable.cpp: along x first, then along y, taps ascending.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/common/reached_part.hpp"
#include "kernels/cuda/convolve/separable/separable.hpp"
#include "kernels/cuda/convolve/separable/separable_each.hpp"
#include "kernels/cuda/convolve/separable/separable_march.hpp"
#include "kernels/cuda/convolve/separable/separable_ring.cuh"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/shared/spaced_taps.hpp"

namespace reber::cuda {
namespace {

using namespace separable;

/// One way through a segment of a strip.
struct Pass {
  bool interpolate = false;  ///< sums are divided by the weight of finite pixels
  bool second = false;       ///< the outputs that a blank pixel reaches hold sums, whose weights are made now
};

/// Filters a stage along x into the ring. to: ring row of its first row; from row `first` on.
__device__ __forceinline__ void filter_rows(const RingLayout& layout, const SeparableTaps& taps,
                                            const BlockMemory& memory, const float* stage, int to, int first) {
  constexpr int kUnit = RingLayout::kUnit;
  const int lane = static_cast<int>(threadIdx.x & 31), row = lane % kUnit, column = lane / kUnit * kOutputs;
  float sums[kOutputs] = {};
  filter(taps.row, layout.row_groups, layout.row_front,
         RowPixels{stage + row * layout.pitch + column + layout.first_tap}, sums);
  const int ring_row = to + row < layout.ring_rows ? to + row : to + row - layout.ring_rows;
  auto* out = reinterpret_cast<float4*>(memory.ring + ring_row * kRingPitch + column);
  if (row < first) return;
#pragma unroll
  for (int q = 0; q < kOutputs / 4; ++q) out[q] = {sums[4 * q], sums[4 * q + 1], sums[4 * q + 2], sums[4 * q + 3]};
}

/// Writes the warp's 16 rows of two columns per lane.   returns the blank ones among them (none where sums are kept)
template <bool Finite>
__device__ __forceinline__ unsigned write_outputs(const ConvolveJob& job, float full_weight, float* to, int rows,
                                                  int columns, const float2 (&values)[kOutputs], const Pass& pass,
                                                  bool blank_met) {
  unsigned blank = 0;
  if (!Finite && pass.interpolate) {
#pragma unroll
    for (int q = 0; q < kOutputs; ++q) {
      if (q >= rows || columns <= 0) break;
      auto* pair = reinterpret_cast<float2*>(to + q * job.out_pitch);
      float2 value = values[q];
      if (pass.second || !blank_met) {
        const float2 sum = pass.second ? *pair : value;
        const float2 weight = pass.second ? value : float2{full_weight, full_weight};
        value.x = stored_result(rules::interpolate_output(sum.x, weight.x, job.total, job.min_weight));
        value.y = stored_result(rules::interpolate_output(sum.y, weight.y, job.total, job.min_weight));
        blank += (isfinite(value.x) ? 0 : 1) + (columns < 2 || isfinite(value.y) ? 0 : 1);
      }
      *pair = value;  // the pitch is even: a second column beyond nx falls into the gap between rows
    }
    return blank;
  }
#pragma unroll
  for (int q = 0; q < kOutputs; q += 4) {
    const float four[4][2] = {{values[q].x, values[q].y},
                              {values[q + 1].x, values[q + 1].y},
                              {values[q + 2].x, values[q + 2].y},
                              {values[q + 3].x, values[q + 3].y}};
    blank += store_rows(to + q * job.out_pitch, -job.out_pitch, q, rows, columns, four);
  }
  return blank;
}

/// Output rows of the job that blank pixels reach, as chunks see it.
struct Reach {
  int first = 0, end = 0;
};

/// Marches down `count` output rows of a strip. reach: of blank pixels among them.   returns the blank outputs that
/// this thread wrote
template <bool Finite>
__device__ __forceinline__ unsigned march(const ConvolveJob& job, const RingLayout& layout, const SeparableTaps& taps,
                                          const BlockMemory& memory, Feed<RingLayout, Finite>& feed, int strip,
                                          int first_out, int count, const Pass& pass, Reach& reach) {
  const int lane = static_cast<int>(threadIdx.x & 31), warp = this_warp();
  const int x = strip * kStrip + 2 * lane, columns = static_cast<int>(job.in.nx) - x;
  const int top = static_cast<int>(job.y0) + first_out - (layout.ky - 1 - layout.ky / 2), end = layout.held + count;
  constexpr int kUnit = RingLayout::kUnit;
  // Units of rows: those that the first chunk finds in the ring, then two of each warp for each chunk.
  const int early = (layout.held + kUnit - 1) / kUnit, start = layout.held - early * kUnit;
  const auto following = [&](int unit) {
    return unit < early && unit + layout.warps >= early ? early + warp : unit + layout.warps;
  };
  const int own = warp < early ? warp : early + warp;
  int wanted = own, unit = own, buffer = 0, to = start + own * kUnit;
  feed.begin(stage_columns(job, strip * kStrip - layout.before, layout.width), pass.second);
  const auto fetch = [&](int into) {
    const int row = start + wanted * kUnit;
    if (row < end) feed.fetch(into, top + row, end - row);
    wanted = following(wanted);
  };
  for (int b = 0; b < layout.buffers; ++b) fetch(b);
  bool blank_seen = false;
  const auto take = [&] {
    const int row = start + unit * kUnit, next = following(unit);
    if (row < end) {
      blank_seen |= feed.wait(buffer, pass.second);
      filter_rows(layout, taps, memory, memory.feed.stages + buffer * layout.stage_count(),
                  to < 0 ? to + layout.ring_rows : to, -row);
      __syncwarp();  // the stage is free
      fetch(buffer);
    }
    if (layout.buffers == 2) buffer ^= 1;
    to += (next - unit) * kUnit;
    if (to >= layout.ring_rows) to -= layout.ring_rows;
    unit = next;
  };
  unsigned blank = 0;
  int blank_end = 0;  // row of the march behind the last blank pixel
  int out = 0, from = 0;
  int left = 2 + (warp < early ? (early - warp - 1) / layout.warps + 1 : 0);  // units until the block meets
#pragma unroll 1
  while (out < count) {
    take();
    if (--left > 0) continue;
    left = 2;
    if constexpr (Finite) {
      __syncthreads();  // the ring's rows are there
    } else {
      if (__syncthreads_or(blank_seen)) blank_end = layout.held + out + layout.chunk();
      blank_seen = false;
    }
    const bool blank_met = blank_end > out;
    if (blank_met) {
      if (reach.end == 0) reach.first = first_out + out;
      reach.end = first_out + min(out + layout.chunk(), count);
    }
    const int mine = out + warp * kOutputs;
    if (mine < count && (!pass.second || blank_met)) {
      float2 sums[kOutputs] = {};
      int lowest = from + warp * kOutputs + 4 * (layout.column_groups - 1);
      if (lowest >= layout.ring_rows) lowest -= layout.ring_rows;
      filter(taps.column, layout.column_groups, layout.column_front,
             RingPixels{memory.ring + 2 * lane, lowest * kRingPitch, layout.ring_rows * kRingPitch}, sums);
      blank += write_outputs<Finite>(job, layout.full_weight, job.out + (first_out + mine) * job.out_pitch + x,
                                     count - mine, columns, sums, pass, blank_met);
    }
    out += layout.chunk();
    from += layout.chunk();
    if (from >= layout.ring_rows) from -= layout.ring_rows;
    __syncthreads();  // the ring's oldest rows have been used
  }
  return blank;
}

template <bool Finite>
__global__ void __launch_bounds__(kMaxWarps * 32, kWarpsPerSm / kMaxWarps)
    k_convolve_separable(const __grid_constant__ ConvolveJob job, const __grid_constant__ RingLayout layout,
                         const __grid_constant__ SeparableTaps taps) {
  extern __shared__ float4 march_memory[];
  const BlockMemory memory = block_memory(march_memory, layout);
  const int strip = static_cast<int>(blockIdx.x % layout.strips);
  const int first = static_cast<int>(blockIdx.x / layout.strips) * layout.segment;
  const int count = min(layout.segment, static_cast<int>(job.ny) - first);
  find_sources(job, strip * kStrip - layout.before, layout.width, threadIdx.x, layout.warps * 32, memory.feed.sources);
  Feed<RingLayout, Finite> feed(job, layout, memory.feed);
  __syncthreads();  // the sources are there
  unsigned blank = 0;
  Reach reach;
  const bool interpolate = !Finite && job.interpolate;
#pragma unroll 1
  for (int pass = 0; pass < (Finite ? 1 : 2); ++pass) {
    // Where no blank pixel reaches, the first pass knew the weights.
    const int from = pass == 0 ? first : same_in_all(reach.first),
              end = pass == 0 ? first + count : same_in_all(reach.end);
    if (pass == 1 && (!interpolate || end == 0)) break;
    reach = {};
    blank += march<Finite>(job, layout, taps, memory, feed, strip, from, end - from, {interpolate, pass == 1}, reach);
  }
  count_warp(blank, job.blank);
}

// ---- host

/// The layout but for its weights and segments; warps is 0 where the taps outgrow shared memory.
RingLayout ring_layout(const DeviceInfo& device, Shape kernel) {
  RingLayout layout;
  if (std::max(kernel.ny, kernel.nx) > kMaxTaps) return layout;
  layout.ky = static_cast<int>(kernel.ny);
  layout.kx = static_cast<int>(kernel.nx);
  layout.row_front = (3 - layout.kx / 2) & 3;
  layout.row_groups = (layout.row_front + layout.kx + 3) / 4;
  layout.column_groups = (layout.ky + 3) / 4;
  layout.column_front = 4 * layout.column_groups - layout.ky;
  const int reach = layout.kx / 2 + layout.row_front;  // columns right of an output that tap 0 reads
  layout.before = up_to(4 * layout.row_groups - 1 - reach, 4);
  layout.first_tap = layout.before + reach - 3;
  layout.width = layout.first_tap + kStrip + 4;
  layout.pitch = 4 * (layout.width / 4 | 1);
  layout.held = up_to(layout.ky - 1, 4);
  // As many warps as registers and shared memory allow, a multiple of the four schedulers; then two buffers; then four
  // warps, whose phases mix better. H200, 16384 x 16384: 9 taps 0.60 ms with blocks of 4, 0.66 with 8; 65 taps 1.72
  // with either; 129 taps, where shared memory holds one block of 8 or 16, 3.53 and 2.98, 3.14 with two of 6.
  int best = 0;
  RingLayout chosen = layout;
  for (const int warps : {kMaxWarps, 12, 8, 2, 6, 4}) {
    for (int buffers = 1; buffers <= 2; ++buffers) {
      layout.warps = warps;
      layout.buffers = buffers;
      layout.ring_rows = layout.held + layout.chunk();
      if (layout.bytes() > device.shared_bytes) continue;
      const auto blocks = std::max(static_cast<int>(device.shared_bytes_per_sm / (layout.bytes() + 1024)), 1);
      const int score = std::min(blocks * warps / 4 * 4, kWarpsPerSm) * 2 + buffers;
      if (score < best) continue;
      best = score;
      chosen = layout;
    }
  }
  return chosen;
}

/// Rows of a segment such that the blocks come out even: each repeats `held` rows along x, half of their cost. least:
/// segments of a strip.
int segment_rows(std::int64_t strips, std::int64_t ny, std::int64_t at_once, int held, int chunk, std::int64_t least) {
  std::int64_t best = ny;
  double best_cost = 0;
  const auto cost_of = [&](std::int64_t rows) { return static_cast<double>(rows) + 0.5 * held; };
  const auto rounds = [&](std::int64_t blocks) { return static_cast<double>((blocks + at_once - 1) / at_once); };
  const auto consider = [&](std::int64_t rows, double cost) {
    if (best_cost > 0 && cost >= best_cost) return;
    best = rows;
    best_cost = cost;
  };
  for (std::int64_t pieces = least; pieces <= 64; ++pieces) {
    const std::int64_t rows = std::max<std::int64_t>((ny + pieces - 1) / pieces, kOutputs);
    consider(rows, rounds(strips * ((ny + rows - 1) / rows)) * cost_of(rows));
  }
  // A long segment of each strip and a short one, for which the last round of long ones leaves places: 129 taps of
  // 16384 columns have 256 strips for twice 132.
  const std::int64_t unused = static_cast<std::int64_t>(rounds(strips)) * at_once - strips;
  for (std::int64_t rows = (ny - 1) / chunk * chunk; least == 1 && 2 * rows > ny; rows -= chunk) {
    const double a_place = std::floor(cost_of(rows) / cost_of(ny - rows));
    const auto left = std::max<std::int64_t>(strips - unused * static_cast<std::int64_t>(a_place), 0);
    consider(rows, rounds(strips) * cost_of(rows) + rounds(left) * cost_of(ny - rows));
  }
  return static_cast<int>(best);
}

class RingConvolver final : public Convolver {
 public:
  RingConvolver(Context& context, Shape kernel, const std::vector<float>& column, const std::vector<float>& row)
      : layout_(ring_layout(context.device(), kernel)), bytes_(layout_.bytes()) {
    std::copy(row.begin(), row.end(), taps_.row + layout_.row_front);
    std::copy(column.begin(), column.end(), taps_.column + layout_.column_front);
    float along_x = 0, full = 0;
    for (const float weight : row) along_x = std::fma(weight, 1.0f, along_x);
    for (const float weight : column) full = std::fma(weight, along_x, full);
    layout_.full_weight = full;
    for (const bool finite : {true, false}) {
      // The limit belongs to the kernel, which all plans share: the card's own is right for each of them.
      allow_shared(kernel_for(finite), context.device().shared_bytes);
      int blocks = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_for(finite), layout_.warps * 32,
                                                          static_cast<std::size_t>(bytes_)),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      at_once_[finite ? 1 : 0] = std::int64_t{context.device().multiprocessors} * std::max(blocks, 1);
    }
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    RingLayout layout = layout_;
    layout.strips = (job.in.nx + kStrip - 1) / kStrip;
    // Segments with blank pixels take twice as long as others: many small ones even that out.
    layout.segment = segment_rows(layout.strips, job.ny, at_once_[job.all_finite ? 1 : 0], layout.held, layout.chunk(),
                                  job.all_finite ? 1 : 8);
    const std::int64_t blocks = layout.strips * ((job.ny + layout.segment - 1) / layout.segment);
    kernel_for(
        job.all_finite)<<<static_cast<unsigned>(blocks), layout.warps * 32, static_cast<std::size_t>(bytes_), stream>>>(
        job, layout, taps_);
    check_launch("k_convolve_separable", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "separable, rows and columns in one kernel, " + std::to_string(layout_.kx) + " and " +
           std::to_string(layout_.ky) + " taps";
  }

 private:
  using Function = void (*)(ConvolveJob, RingLayout, SeparableTaps);
  static Function kernel_for(bool finite) { return finite ? k_convolve_separable<true> : k_convolve_separable<false>; }

  RingLayout layout_;
  SeparableTaps taps_;
  int bytes_;
  std::int64_t at_once_[2] = {1, 1};  ///< blocks that the device runs at a time; [1]: where all pixels are finite
};

// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/notes/direct_and_separable.md): the parts of
// memory's and of the multiply-adders' peak rates that are reached, by the number of taps: by marches up to 65 taps, by
// the ring beyond.
constexpr double kMemoryPart = 0.74;
constexpr ReachedPart kReached[] = {{9, 0.241},  {17, 0.436}, {25, 0.598},  {33, 0.702},  {49, 0.719}, {65, 0.727},
                                    {66, 0.610}, {97, 0.680}, {129, 0.714}, {201, 0.649}, {301, 0.673}};
/// Of a march's speed, where marches are long: separable_march.cu has both times.
constexpr ReachedPart kReachedOfMarch[] = {{17, 0.90}, {25, 0.74}, {33, 0.70}, {49, 0.78}, {65, 0.82}};

}  // namespace

VariantQuote fused_quote(const DeviceInfo& device, Shape kernel, Shape image) {
  const double pixels = static_cast<double>(image.count()), taps_a_pixel = static_cast<double>(kernel.nx + kernel.ny);
  const double memory_ms = pixels * 8 / (kMemoryPart * device.memory_bytes_per_ms);
  const double part = part_reached(kReached, 0.5 * taps_a_pixel);
  VariantQuote quote;
  quote.possible = true;
  quote.cost_ms = 0.005 + std::max(memory_ms, pixels * taps_a_pixel / (part * device.fma_per_ms));
  quote.reason =
      std::to_string(kernel.nx) + " and " + std::to_string(kernel.ny) + " taps, rows and columns in one kernel";
  return quote;
}

std::string no_dense_taps(const Kernel& kernel) {
  if (!kernel.separable()) return "the kernel is not the product of a column and a row";
  // A product of 0 and a sum that has overflowed would blank pixels that no tap reaches.
  if (rules::spaced_taps(kernel)) return "five taps with zeros between them, which this variant would multiply by";
  return "";
}

VariantQuote quote_separable_ring(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  quote.reason = no_dense_taps(spec.kernel);
  if (!quote.reason.empty()) return quote;
  if (ring_layout(device, kernel).warps == 0) {
    quote.reason =
        std::to_string(kernel.nx) + " and " + std::to_string(kernel.ny) + " taps, too many for shared memory";
    return quote;
  }
  quote = fused_quote(device, kernel, image);
  const VariantQuote march = quote_separable_march(device, spec, image);
  if (march.possible && march.cost_ms <= quote.cost_ms)
    quote.cost_ms /= part_reached(kReachedOfMarch, static_cast<double>(std::max(kernel.ny, kernel.nx)));
  return quote;
}

std::unique_ptr<Convolver> make_separable_ring(Context& context, const ConvolutionSpec& spec, Shape) {
  const std::vector<float> column = float_weights(spec.kernel.column), row = float_weights(spec.kernel.row);
  return make_sharing(context, column, row, std::make_unique<RingConvolver>(context, spec.kernel.shape, column, row));
}

}  // namespace reber::cuda
