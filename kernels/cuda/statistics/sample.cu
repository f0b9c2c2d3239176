// SPDX-License-Identifier: BSD-3-Clause
// The two samples of sample.hpp: one launch sorts the small one, another clips it in each block and counts the large
// one.
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>

#include "kernels/cuda/device/last_block.cuh"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/sample.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr std::uint32_t kBlankKey = 0xfffffffeu, kInfinityKey = 0xff800000u;  ///< above the keys of all finite floats
constexpr int kSortThreads = 1024, kSortBlocks = 64;
constexpr int kCountThreads = 256, kCountWarps = kCountThreads / 32;
constexpr int kGroup = 4, kGroups = kSorted / kGroup, kGroupsEach = kGroups / kCountThreads;
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

__device__ __forceinline__ Moments operator+(const Moments& a, const Moments& b) {
  return {a.sum + b.sum, a.squares + b.squares};
}

/// The small sample in order, and sums of all values before each group, less `pivot`.
struct SortedSample {
  alignas(16) std::uint32_t keys[kSorted];
  Moments before[kGroups + 1];
  double pivot;

  __device__ double value(int k) const { return __uint_as_float(rules::bits_of_key(keys[k])); }
  __device__ Moments moments(int k) const {
    const double value = this->value(k) - pivot;
    return {value, value * value};
  }
  /// Sums of what is before place k.
  __device__ Moments upto(int k) const {
    Moments sums = before[k / kGroup];
    for (int at = k / kGroup * kGroup; at < k; ++at) sums = sums + moments(at);
    return sums;
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

/// By a whole block, once keys are there.
__device__ void sum_groups(SortedSample& sample, int finite) {
  __shared__ Moments warp_sums[kCountWarps];
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
  const int first = static_cast<int>(threadIdx.x) * kGroupsEach;
  Moments running[kGroupsEach], sum{0, 0};
#pragma unroll
  for (int k = 0; k < kGroupsEach; ++k) {
#pragma unroll
    for (int at = (first + k) * kGroup; at < (first + k + 1) * kGroup; ++at)
      if (at < finite) sum = sum + sample.moments(at);
    running[k] = sum;
  }
  Moments before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const Moments other{__shfl_up_sync(kWholeWarp, before.sum, step), __shfl_up_sync(kWholeWarp, before.squares, step)};
    if (lane >= step) before = before + other;
  }
  if (lane == 31) warp_sums[warp] = before;
  before = {before.sum - sum.sum, before.squares - sum.squares};
  __syncthreads();  // all warps' sums are there
  for (int k = 0; k < warp; ++k) before = before + warp_sums[k];
#pragma unroll
  for (int k = 0; k < kGroupsEach; ++k) sample.before[first + k + 1] = before + running[k];
  if (threadIdx.x == 0) sample.before[0] = {0, 0};
  __syncthreads();  // all sums are there
}

/// What the small sample says.
struct SampleClip {
  double low, high;    ///< what its last round kept lies between these
  double median, std;  ///< of what it kept
  /// How far the rounds' medians reach beyond the first and the last of them, with the error of that.
  double below_medians, above_medians;
  float first, last;  ///< the bins are between these
};

__device__ double std_of(const Moments& sums, double n) {
  const double mean = sums.sum / n;
  return sqrt(fmax(sums.squares / n - mean * mean, 0.0));
}

/// By a warp: the rounds of a clip.
__device__ void clip_sample(const SortedSample& sample, int finite, const ClipOptions& options, SampleClip* clip) {
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
  clip->low = low, clip->high = high;
  clip->median = median, clip->std = std;
  clip->below_medians = below > 0 ? below + error : 0;
  clip->above_medians = above > 0 ? above + error : 0;
  // Both the first and the last median of the large sample are to be among the bins.
  const int reach = static_cast<int>(kErrors / 2 * sqrt(static_cast<double>(finite))) + 1;
  const int least_place = min(finite / 2, begin + (end - begin) / 2) - reach,
            largest_place = max(finite / 2, begin + (end - begin) / 2) + reach;
  clip->first = static_cast<float>(sample.value(max(least_place, 0)));
  clip->last = static_cast<float>(sample.value(min(largest_place, finite - 1)));
}

/// Every key's rank is the number of those before it: a warp a key, four of the others a lane at once.
__global__ void __launch_bounds__(kSortThreads)
    k_sort_sample(RowWindow window, unsigned* whole, int words, SampleState* state) {
  __shared__ alignas(16) std::uint32_t keys[kSorted];
  const Draw draw(window, kSorted);
  constexpr int kEach = kSorted / kSortThreads;
  float pixels[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) pixels[k] = draw.pixel(window, threadIdx.x + k * kSortThreads);
  const auto sorted = static_cast<int>(reinterpret_cast<unsigned*>(state->sorted) - whole);
  for (int k = blockIdx.x * kSortThreads + threadIdx.x; k < words; k += kSortBlocks * kSortThreads)
    if (k < sorted || k >= sorted + kSorted) whole[k] = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k)
    keys[threadIdx.x + k * kSortThreads] = isfinite(pixels[k]) ? rules::key_of(pixels[k]) : kBlankKey;
  __syncthreads();  // all keys are there
  static_assert(kSortBlocks * kSortThreads / 32 == kSorted);
  const unsigned lane = threadIdx.x & 31, mine = blockIdx.x * (kSortThreads / 32) + threadIdx.x / 32;
  const std::uint32_t key = keys[mine];
  unsigned before = 0;
#pragma unroll 8
  for (unsigned four = lane; four < kSorted / 4; four += 32) {
    const uint4 others = reinterpret_cast<const uint4*>(keys)[four];
    // Of equal ones those that were drawn before.
    const std::uint32_t limit = four < mine / 4 ? key + 1 : key;
    before += (others.x < limit ? 1u : 0u) + (others.y < limit ? 1u : 0u) + (others.z < limit ? 1u : 0u) +
              (others.w < limit ? 1u : 0u);
  }
  if (lane < mine % 4 && keys[mine / 4 * 4 + lane] == key) ++before;
  before = warp_sum(before);
  if (lane == 0) state->sorted[before] = key;
}

constexpr int kFewEach = 2, kManyEach = 8;                                  ///< pixels that a thread loads at once
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
__device__ void make_bracket(const SampleClip& clip, const unsigned* counts, const Moments& sums,
                             const ClipOptions& options, Bracket* bracket) {
  const unsigned inside = counts[kInside];
  const Bins all = bins_of_median(counts, counts[kFinite], counts[kFiniteBelow]),
             kept = bins_of_median(counts, inside, counts[kInsideBelow]);
  if (threadIdx.x != 0 || inside < kLeastFinite) return;
  // Where the small sample misled, its own bounds stand.
  const double width = (static_cast<double>(clip.last) - clip.first) / kSampleBins;
  const auto begin_of = [&](int bin) { return clip.first + max(bin, 0) * width; };
  const auto end_of = [&](int bin) { return clip.first + min(bin + 1, kSampleBins) * width; };
  Bracket result;
  result.middle_low = static_cast<float>(begin_of(min(all.first, kept.first)) - clip.below_medians);
  result.middle_high = static_cast<float>(end_of(max(all.last, kept.last)) + clip.above_medians);
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

/// By a whole block: the clip of the small sample. False where too few pixels are finite.
__device__ bool clip_sorted(const std::uint32_t* sorted, const ClipOptions& options, SortedSample& sample,
                            SampleClip* clip) {
  __shared__ int finite;
  for (int k = threadIdx.x; k < kSorted / 4; k += kCountThreads)
    reinterpret_cast<uint4*>(sample.keys)[k] = __ldg(reinterpret_cast<const uint4*>(sorted) + k);
  __syncthreads();  // all keys are there
  if (threadIdx.x < 32) {
    const int count = sample.first_not_below(0, kSorted, kInfinityKey);
    if (threadIdx.x == 0) finite = count, sample.pivot = count > 0 ? sample.value(count / 2) : 0;
  }
  __syncthreads();  // their number is there
  if (finite < kLeastSorted) return false;
  sum_groups(sample, finite);
  if (threadIdx.x < 32) clip_sample(sample, finite, options, clip);
  __syncthreads();  // what it says is there
  return true;
}

template <int Each>
__global__ void __launch_bounds__(kCountThreads)
    k_count_sample(RowWindow window, std::uint32_t count, ClipOptions options, SampleState* state, Bracket* bracket) {
  __shared__ SortedSample sample;
  __shared__ SampleClip clip;
  __shared__ unsigned counts[kSampleCounts];
  for (int k = threadIdx.x; k < kSampleCounts; k += kCountThreads) counts[k] = 0;
  const Draw draw(window, count);
  float pixels[Each];
  const auto load = [&](std::uint32_t i0) {
#pragma unroll
    for (int k = 0; k < Each; ++k) pixels[k] = draw.pixel(window, min(i0 + k * kCountThreads + threadIdx.x, count - 1));
  };
  const std::uint32_t begin = blockIdx.x * kCountThreads * Each, step = gridDim.x * kCountThreads * Each;
  load(begin);                                                      // they come while the small sample is clipped
  if (!clip_sorted(state->sorted, options, sample, &clip)) return;  // all counts are 0
  const double low = clip.low, high = clip.high, median = clip.median, first = clip.first, last = clip.last;
  const double scale = last > first ? kSampleBins / (last - first) : 0;
  unsigned finite = 0, finite_below = 0, inside = 0, inside_below = 0;
  Moments sums{0, 0};
  for (std::uint32_t i0 = begin; i0 < count; i0 += step) {
    if (i0 != begin) load(i0);
#pragma unroll
    for (int k = 0; k < Each; ++k) {
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
  if (threadIdx.x < 32) make_bracket(clip, counts, sums, options, bracket);
}

/// Pixels of the large sample: each costs as much as reading eight or sixteen that lie side by side.
std::int64_t count_of(std::int64_t pixels) {
  return std::clamp(pixels / 64, std::int64_t{1} << 16, std::int64_t{1} << 20);
}

}  // namespace

void choose_bracket(cudaStream_t stream, const RowWindow& window, const ClipOptions& options, void* whole, int words,
                    SampleState* state, Bracket* bracket) {
  k_sort_sample<<<kSortBlocks, kSortThreads, 0, stream>>>(window, static_cast<unsigned*>(whole), words, state);
  check_launch("k_sort_sample", stream);
  const std::int64_t count = count_of(window.rows * window.nx);
  const bool few = count < kMostSampleBlocks * kCountThreads * kFewEach;
  const std::int64_t share = kCountThreads * (few ? kFewEach : kManyEach);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>((count + share - 1) / share, kMostSampleBlocks));
  const auto launch = few ? k_count_sample<kFewEach> : k_count_sample<kManyEach>;
  launch<<<blocks, kCountThreads, 0, stream>>>(window, static_cast<std::uint32_t>(count), options, state, bracket);
  check_launch("k_count_sample", stream);
}

}  // namespace reber::cuda
