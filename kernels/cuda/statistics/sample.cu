// SPDX-License-Identifier: BSD-3-Clause
// The two samples of sample.hpp: one block sorts and clips the small one, a grid counts the large one.
#include <cuda_runtime.h>

#include <cub/block/block_radix_sort.cuh>

#include <algorithm>
#include <cfloat>

#include "kernels/cuda/device/last_block.cuh"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/sample.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr std::uint32_t kBlankKey = 0xffffffffu, kInfinityKey = 0xff800000u;  ///< above the keys of all finite floats
constexpr int kSortThreads = 1024, kSortEach = 4, kSorted = kSortThreads * kSortEach, kGroups = kSorted / 32;
constexpr int kLeastFinite = 1000;  ///< of the large sample
constexpr int kLeastSorted = 200;
/// Standard errors that a median may lie away from the sample's.
constexpr double kErrors = 5;
constexpr double kMedianError = 1.2533;  ///< of Gaussian data, in std / sqrt(n)
constexpr int kMostExponent = 100;

/// Where samples are drawn: one pixel of each of `count` equal stretches, at a place inside it that moves on by the
/// golden section: columns and tiles of the image are then met evenly.
struct Draw {
  double stretch, columns, rows_a_pixel;

  __device__ Draw(const RowWindow& window, std::uint32_t count)
      : stretch(static_cast<double>(window.rows * window.nx) / count),
        columns(static_cast<double>(window.nx)),
        rows_a_pixel(1.0 / columns) {}
  __device__ float pixel(const RowWindow& window, std::uint32_t i) const {
    const double at = (static_cast<double>(i) + i * 2654435769u * 0x1p-32) * stretch;
    // Rounding may miss a row's end by a pixel.
    const int y = min(static_cast<int>(at * rows_a_pixel), static_cast<int>(window.rows) - 1);
    const int x = min(max(static_cast<int>(at - y * columns), 0), static_cast<int>(window.nx) - 1);
    return __ldg(window.pixels + y * window.pitch + x);
  }
};

struct Moments {
  double sum, squares;
};

__device__ __forceinline__ Moments warp_total(Moments mine) {
  for (int step = 16; step > 0; step /= 2) {
    mine.sum += __shfl_xor_sync(kWholeWarp, mine.sum, step);
    mine.squares += __shfl_xor_sync(kWholeWarp, mine.squares, step);
  }
  return mine;
}

/// The small sample in order, and sums of 32 values at a time, less `pivot`, up to each.
struct SortedSample {
  std::uint32_t keys[kSorted];
  Moments before[kGroups + 1];
  double pivot;

  __device__ double value(int k) const { return __uint_as_float(rules::bits_of_key(keys[k])); }
  /// By a whole warp: sums of what is before place k.
  __device__ Moments upto(int k) const {
    const int lane = static_cast<int>(threadIdx.x & 31), group = k / 32;
    const double value = lane < k % 32 ? this->value(group * 32 + lane) - pivot : 0;
    const Moments rest = warp_total({value, value * value});
    return {before[group].sum + rest.sum, before[group].squares + rest.squares};
  }
  /// By a whole warp: the first place of [begin, end) whose key is not below `key`.
  __device__ int first_not_below(int begin, int end, std::uint32_t key) const {
    while (begin < end) {
      const int step = (end - begin + 31) / 32, at = begin + static_cast<int>(threadIdx.x & 31) * step;
      const int count = __popc(__ballot_sync(kWholeWarp, at < end && keys[at] < key));
      end = min(end, begin + count * step);
      if (count > 0) begin += (count - 1) * step + 1;
    }
    return begin;
  }
  __device__ double median(int begin, int end) const {
    const int n = end - begin, middle = begin + n / 2;
    return n % 2 != 0 ? value(middle) : 0.5 * (value(middle - 1) + value(middle));
  }
};

/// By the whole block, once keys are there.
__device__ void sum_groups(SortedSample& sample, int finite) {
  const int lane = static_cast<int>(threadIdx.x & 31);
  for (int group = static_cast<int>(threadIdx.x / 32); group < kGroups; group += kSortThreads / 32) {
    const int k = group * 32 + lane;
    const double value = k < finite ? sample.value(k) - sample.pivot : 0;
    const Moments all = warp_total({value, value * value});
    if (lane == 0) sample.before[group + 1] = all;
  }
  __syncthreads();  // all groups' sums are there
  if (threadIdx.x >= 32) return;
  static_assert(kGroups % 32 == 0);
  constexpr int kShare = kGroups / 32;
  Moments running[kShare], sum{0, 0};
#pragma unroll
  for (int k = 0; k < kShare; ++k) {
    const Moments& group = sample.before[lane * kShare + k + 1];
    running[k] = sum = {sum.sum + group.sum, sum.squares + group.squares};
  }
  Moments before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const double a = __shfl_up_sync(kWholeWarp, before.sum, step), b = __shfl_up_sync(kWholeWarp, before.squares, step);
    if (lane >= step) before = {before.sum + a, before.squares + b};
  }
  before = {before.sum - sum.sum, before.squares - sum.squares};
#pragma unroll
  for (int k = 0; k < kShare; ++k)
    sample.before[lane * kShare + k + 1] = {before.sum + running[k].sum, before.squares + running[k].squares};
  if (lane == 0) sample.before[0] = {0, 0};
  __syncwarp();  // all sums are there
}

__device__ double std_of(const Moments& sums, double n) {
  const double mean = sums.sum / n;
  return sqrt(fmax(sums.squares / n - mean * mean, 0.0));
}

/// By a warp: the rounds of a clip.
__device__ void clip_sample(const SortedSample& sample, int finite, const ClipOptions& options, SampleState* state) {
  int begin = 0, end = finite;
  const double first_median = sample.median(begin, end);
  double median = first_median, least = median, largest = median, low = -INFINITY, high = INFINITY, std = 0;
  for (int round = 0;; ++round) {
    const Moments to = sample.upto(end), from = sample.upto(begin);
    std = std_of({to.sum - from.sum, to.squares - from.squares}, end - begin);
    if (round >= options.max_rounds) break;
    low = fmax(low, median - options.kappa * std);
    high = fmin(high, median + options.kappa * std);
    const int first =
        sample.first_not_below(begin, end, rules::key_of(static_cast<float>(fmax(low, double{-FLT_MAX}))));
    const int last = sample.first_not_below(first, end, rules::key_of(static_cast<float>(fmin(high, double{FLT_MAX}))));
    if ((first == begin && last == end) || last - first < kLeastSorted) break;
    begin = first, end = last;
    median = sample.median(begin, end);
    least = fmin(least, median), largest = fmax(largest, median);
  }
  if (threadIdx.x != 0) return;
  const double kept = end - begin, error = kErrors * kMedianError * std * sqrt(finite - kept) / finite;
  const double below = fmin(first_median, median) - least, above = largest - fmax(first_median, median);
  state->low = low, state->high = high;
  state->median = median, state->std = std;
  state->below_medians = below > 0 ? below + error : 0;
  state->above_medians = above > 0 ? above + error : 0;
  // Both the first and the last median of the large sample are to be among the bins.
  const int reach = static_cast<int>(kErrors / 2 * sqrt(static_cast<double>(finite))) + 1;
  const int least_place = min(finite / 2, begin + (end - begin) / 2) - reach,
            largest_place = max(finite / 2, begin + (end - begin) / 2) + reach;
  state->first = static_cast<float>(sample.value(max(least_place, 0)));
  state->last = static_cast<float>(sample.value(min(largest_place, finite - 1)));
  state->usable = true;
}

using Sort = cub::BlockRadixSort<std::uint32_t, kSortThreads, kSortEach>;

__global__ void __launch_bounds__(kSortThreads)
    k_sort_sample(RowWindow window, ClipOptions options, unsigned* whole, int words, SampleState* state) {
  __shared__ union Memory {
    __device__ Memory() {}
    typename Sort::TempStorage sort;
    SortedSample sample;
  } memory;
  __shared__ int finite;
  const Draw draw(window, kSorted);
  float pixels[kSortEach];
#pragma unroll
  for (int k = 0; k < kSortEach; ++k) pixels[k] = draw.pixel(window, threadIdx.x + k * kSortThreads);
  for (int k = threadIdx.x; k < words; k += kSortThreads) whole[k] = 0;
  std::uint32_t keys[kSortEach];
#pragma unroll
  for (int k = 0; k < kSortEach; ++k) keys[k] = isfinite(pixels[k]) ? rules::key_of(pixels[k]) : kBlankKey;
  Sort(memory.sort).SortBlockedToStriped(keys);
  __syncthreads();  // the sort's memory is free
#pragma unroll
  for (int k = 0; k < kSortEach; ++k) memory.sample.keys[threadIdx.x + k * kSortThreads] = keys[k];
  __syncthreads();  // all keys are in place
  SortedSample& sample = memory.sample;
  if (threadIdx.x < 32) {
    const int count = sample.first_not_below(0, kSorted, kInfinityKey);
    if (threadIdx.x == 0) finite = count, sample.pivot = count > 0 ? sample.value(count / 2) : 0;
  }
  __syncthreads();  // their number is there
  if (finite < kLeastSorted) return;
  sum_groups(sample, finite);
  if (threadIdx.x < 32) clip_sample(sample, finite, options, state);
}

constexpr int kCountThreads = 256, kCountEach = 8;
enum : int { kFinite = kSampleBins, kFiniteBelow, kInside, kInsideBelow };  ///< of SampleState::counts

/// The whole block's sums, in thread 0.
__device__ Moments block_total(Moments mine) {
  __shared__ Moments parts[kCountThreads / 32];
  mine = warp_total(mine);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();  // all warps' sums are there
  Moments total{0, 0};
  for (const Moments& part : parts) total = {total.sum + part.sum, total.squares + part.squares};
  __syncthreads();  // they were read
  return total;
}

/// By a warp: the bin of the pixel that has `rank` pixels before it, -1 below all bins, kSampleBins above.
__device__ int bin_of_rank(const unsigned* bins, unsigned below, double rank) {
  constexpr int kShare = kSampleBins / 32;
  const int lane = static_cast<int>(threadIdx.x & 31);
  unsigned sum = 0;
  for (int k = 0; k < kShare; ++k) sum += bins[lane * kShare + k];
  unsigned before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kWholeWarp, before, step);
    if (lane >= step) before += other;
  }
  before += below - sum;
  if (rank < below) return -1;
  int found = kSampleBins;
  if (rank < before + sum && rank >= before) {
    found = lane * kShare;
    for (double left = rank - before; found < (lane + 1) * kShare - 1 && left >= bins[found]; ++found)
      left -= bins[found];
  }
  return static_cast<int>(warp_min(static_cast<unsigned>(found)));
}

/// The bins that a median surely lies between.
struct Bins {
  int first, last;
};

/// By a warp. count: pixels that it is the median of, `below` of them below the bins.
__device__ Bins bins_of_median(const unsigned* bins, unsigned count, unsigned below) {
  const double middle = 0.5 * count, reach = kErrors / 2 * sqrt(static_cast<double>(count));
  return {bin_of_rank(bins, below, middle - reach), bin_of_rank(bins, below, middle + reach)};
}

/// By a warp: what both samples say.
__device__ void make_bracket(const SampleState& state, const unsigned* counts, const Moments& sums,
                             const ClipOptions& options, Bracket* bracket) {
  const unsigned inside = counts[kInside];
  const Bins all = bins_of_median(counts, counts[kFinite], counts[kFiniteBelow]),
             kept = bins_of_median(counts, inside, counts[kInsideBelow]);
  if (threadIdx.x != 0 || inside < kLeastFinite) return;
  // Where the small sample misled, its own bounds stand.
  const double width = (static_cast<double>(state.last) - state.first) / kSampleBins;
  const auto begin_of = [&](int bin) { return state.first + max(bin, 0) * width; };
  const auto end_of = [&](int bin) { return state.first + min(bin + 1, kSampleBins) * width; };
  Bracket result;
  result.middle_low = static_cast<float>(begin_of(min(all.first, kept.first)) - state.below_medians);
  result.middle_high = static_cast<float>(end_of(max(all.last, kept.last)) + state.above_medians);
  if (options.max_rounds == 0) {
    // A float may lie on the other side of the bin's border.
    result.middle_low = nextafterf(result.middle_low, -INFINITY);
    result.middle_high = nextafterf(result.middle_high, INFINITY);
    result.usable = isfinite(result.middle_low) && isfinite(result.middle_high);
    *bracket = result;
    return;
  }
  const double std = std_of(sums, inside), median = 0.5 * (begin_of(kept.first) + end_of(kept.last));
  // Narrow limits follow every deviation of the std, wide ones hardly any.
  const double sure = (options.kappa < 2.5 ? 0.95 : 0.97) * options.kappa * std;
  result.low = static_cast<float>(median - sure);
  result.high = static_cast<float>(median + sure);
  const float size = fmaxf(fabsf(result.low), fabsf(result.high));
  result.exponent = ilogbf(size) + 1;
  result.usable = isfinite(size) && result.low < result.middle_low && result.middle_low <= result.middle_high &&
                  result.middle_high < result.high && abs(result.exponent) <= kMostExponent;
  *bracket = result;
}

__global__ void __launch_bounds__(kCountThreads)
    k_count_sample(RowWindow window, std::uint32_t count, ClipOptions options, SampleState* state, Bracket* bracket) {
  __shared__ unsigned counts[kSampleCounts];
  if (!state->usable) return;
  for (int k = threadIdx.x; k < kSampleCounts; k += kCountThreads) counts[k] = 0;
  __syncthreads();  // all counts are 0
  const Draw draw(window, count);
  const double low = state->low, high = state->high, median = state->median, first = state->first, last = state->last;
  const double scale = last > first ? kSampleBins / (last - first) : 0;
  unsigned finite = 0, finite_below = 0, inside = 0, inside_below = 0;
  Moments sums{0, 0};
  for (std::uint32_t i0 = blockIdx.x * kCountThreads * kCountEach; i0 < count;
       i0 += gridDim.x * kCountThreads * kCountEach) {
    float pixels[kCountEach];
#pragma unroll
    for (int k = 0; k < kCountEach; ++k)
      pixels[k] = draw.pixel(window, min(i0 + k * kCountThreads + threadIdx.x, count - 1));
#pragma unroll
    for (int k = 0; k < kCountEach; ++k) {
      const double pixel = pixels[k];
      if (!isfinite(pixel) || i0 + k * kCountThreads + threadIdx.x >= count) continue;
      const bool below = pixel < first;
      ++finite;
      if (below) ++finite_below;
      if (!(pixel > low && pixel < high)) continue;
      ++inside;
      if (below) ++inside_below;
      sums = {sums.sum + (pixel - median), sums.squares + (pixel - median) * (pixel - median)};
      if (pixel >= first && pixel <= last)
        atomicAdd(counts + min(static_cast<int>((pixel - first) * scale), kSampleBins - 1), 1u);
    }
  }
  const auto add = [&](int which, unsigned mine) {
    mine = warp_sum(mine);
    if ((threadIdx.x & 31) == 0) atomicAdd(counts + which, mine);
  };
  add(kFinite, finite);
  add(kFiniteBelow, finite_below);
  add(kInside, inside);
  add(kInsideBelow, inside_below);
  sums = block_total(sums);  // and all counts are complete
  for (int k = threadIdx.x; k < kSampleCounts; k += kCountThreads)
    if (counts[k] != 0) atomicAdd(state->counts + k, counts[k]);
  if (threadIdx.x == 0) state->sums[blockIdx.x] = sums.sum, state->squares[blockIdx.x] = sums.squares;
  if (!is_last_block(&state->done)) return;
  for (int k = threadIdx.x; k < kSampleCounts; k += kCountThreads) counts[k] = __ldcg(state->counts + k);
  sums = {0, 0};
  for (unsigned k = threadIdx.x; k < gridDim.x; k += kCountThreads)
    sums = {sums.sum + __ldcg(state->sums + k), sums.squares + __ldcg(state->squares + k)};
  sums = block_total(sums);
  if (threadIdx.x < 32) make_bracket(*state, counts, sums, options, bracket);
}

/// Pixels of the large sample: each costs as much as reading eight or sixteen that lie side by side.
std::int64_t count_of(std::int64_t pixels) {
  return std::clamp(pixels / 64, std::int64_t{1} << 16, std::int64_t{1} << 20);
}

}  // namespace

void choose_bracket(cudaStream_t stream, const RowWindow& window, const ClipOptions& options, void* whole, int words,
                    SampleState* state, Bracket* bracket) {
  k_sort_sample<<<1, kSortThreads, 0, stream>>>(window, options, static_cast<unsigned*>(whole), words, state);
  check_launch("k_sort_sample", stream);
  const std::int64_t count = count_of(window.rows * window.nx), share = kCountThreads * kCountEach;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + share - 1) / share, kMostSampleBlocks));
  k_count_sample<<<blocks, kCountThreads, 0, stream>>>(window, static_cast<std::uint32_t>(count), options, state,
                                                       bracket);
  check_launch("k_count_sample", stream);
}

}  // namespace reber::cuda
