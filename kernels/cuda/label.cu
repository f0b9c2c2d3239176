// SPDX-License-Identifier: BSD-3-Clause
// Runs from bit masks, union-find over runs, numbers in raster order. Answers kernels/cpu/label.cpp.
#include <cuda_runtime.h>

#include "kernels/cuda/label.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

unsigned blocks_of(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }
__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

/// Bits of word w of a row where a run starts, and where its last pixel is.
struct RunBits {
  std::uint32_t starts, ends;
};

__device__ RunBits run_bits(const std::uint32_t* row, std::int64_t words, std::int64_t w) {
  const std::uint32_t word = row[w];
  const std::uint32_t before = w > 0 ? row[w - 1] >> 31 : 0;
  const std::uint32_t after = w + 1 < words ? row[w + 1] << 31 : 0;
  return {word & ~(word << 1 | before), word & ~(word >> 1 | after)};
}

/// A warp a row.
__global__ void __launch_bounds__(kThreads) k_count_runs(BitMask flood, std::int64_t ny, std::uint32_t* counts) {
  const std::int64_t y = thread_index() / 32;
  if (y >= ny) return;
  const std::uint32_t* row = flood.bits + y * flood.words;
  unsigned count = 0;
  for (std::int64_t w = threadIdx.x & 31; w < flood.words; w += 32)
    count += __popc(run_bits(row, flood.words, w).starts);
  for (int half = 16; half > 0; half /= 2) count += __shfl_down_sync(kAll, count, half);
  if ((threadIdx.x & 31) == 0) counts[y] = count;
}

/// Sum of the counts of the lanes before this one; `total` gets that of all.
__device__ unsigned lanes_before(unsigned count, unsigned& total) {
  unsigned sum = count;
  const unsigned lane = threadIdx.x & 31;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, step);
    if (lane >= step) sum += other;
  }
  total = __shfl_sync(kAll, sum, 31);
  return sum - count;
}

/// A warp a row. The k-th start and the k-th end of a row belong to the same run, so both are written on their own.
__global__ void __launch_bounds__(kThreads)
    k_extract_runs(BitMask flood, std::int64_t ny, const std::uint32_t* __restrict__ row_begin, rules::Run* runs) {
  const std::int64_t y = thread_index() / 32;
  if (y >= ny) return;
  const std::uint32_t* row = flood.bits + y * flood.words;
  rules::Run* next_start = runs + row_begin[y];
  rules::Run* next_end = next_start;
  for (std::int64_t first = 0; first < flood.words; first += 32) {
    const std::int64_t w = first + (threadIdx.x & 31);
    RunBits bits = w < flood.words ? run_bits(row, flood.words, w) : RunBits{0, 0};
    unsigned starts = 0, ends = 0;
    rules::Run* run = next_start + lanes_before(__popc(bits.starts), starts);
    for (; bits.starts != 0; bits.starts &= bits.starts - 1, ++run) {
      run->y = static_cast<std::int32_t>(y);
      run->x0 = static_cast<std::int32_t>(w * 32) + __ffs(static_cast<int>(bits.starts)) - 1;
    }
    run = next_end + lanes_before(__popc(bits.ends), ends);
    for (; bits.ends != 0; bits.ends &= bits.ends - 1, ++run)
      run->x1 = static_cast<std::int32_t>(w * 32) + __ffs(static_cast<int>(bits.ends));
    next_start += starts;
    next_end += ends;
  }
}

__global__ void __launch_bounds__(kThreads) k_reset_parents(std::int64_t count, std::uint32_t* parent) {
  const std::int64_t run = thread_index();
  if (run < count) parent[run] = static_cast<std::uint32_t>(run);
}

/// Root of a run. Halve: paths are halved on the way. A parent is then only ever replaced by one of its own ancestors,
/// and a thread whose union was overtaken by that goes on with the parent that it found.
template <bool Halve>
__device__ std::uint32_t root_of(volatile std::uint32_t* parent, std::uint32_t run) {
  std::uint32_t up = parent[run];
  while (up != run) {
    const std::uint32_t higher = parent[up];
    if (Halve && higher != up) parent[run] = higher;
    run = up;
    up = higher;
  }
  return run;
}

/// Joins two sets, the larger root under the smaller one, without locks.
__device__ void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  while (true) {
    a = root_of<true>(parent, a);
    b = root_of<true>(parent, b);
    if (a == b) return;
    if (a < b) {
      const std::uint32_t swapped = a;
      a = b;
      b = swapped;
    }
    const std::uint32_t old = atomicMin(parent + a, b);
    if (old == a) return;
    a = old;  // another thread has put a under `old` meanwhile: join that one
  }
}

/// A thread a run: the runs of the row above that it touches lie side by side.
__global__ void __launch_bounds__(kThreads)
    k_connect_runs(const rules::Run* __restrict__ runs, std::int64_t count, const std::uint32_t* __restrict__ row_begin,
                   std::int32_t reach, std::uint32_t* parent) {
  const std::int64_t index = thread_index();
  if (index >= count) return;
  const rules::Run run = runs[index];
  if (run.y == 0) return;
  const std::uint32_t end = row_begin[run.y];
  std::uint32_t lo = row_begin[run.y - 1], hi = end;
  while (lo < hi) {  // the first run above that does not end too far left
    const std::uint32_t middle = lo + (hi - lo) / 2;
    if (runs[middle].x1 + reach > run.x0) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  for (; lo < end && rules::touch(runs[lo], run, reach); ++lo) unite(parent, static_cast<std::uint32_t>(index), lo);
}

/// No halving here: it could put an ancestor over the root that a run's own thread has just written.
__global__ void __launch_bounds__(kThreads) k_flatten(std::int64_t count, std::uint32_t* parent) {
  const std::int64_t run = thread_index();
  if (run < count) parent[run] = root_of<false>(parent, static_cast<std::uint32_t>(run));
}

__device__ bool any_bit(const std::uint32_t* row, std::int32_t begin, std::int32_t end) {
  for (std::int32_t w = begin / 32; w <= (end - 1) / 32; ++w) {
    std::uint32_t word = row[w];
    if (w == begin / 32) word &= kAll << (begin % 32);
    if (w == (end - 1) / 32) word &= kAll >> (31 - (end - 1) % 32);
    if (word != 0) return true;
  }
  return false;
}

/// The root that most of the warps' first runs have; by a whole block, whose first thread has a run.
__device__ std::uint32_t common_root(std::uint32_t root) {
  constexpr int kWarps = kThreads / 32;
  __shared__ std::uint32_t roots[kWarps], common;
  if ((threadIdx.x & 31) == 0) roots[threadIdx.x / 32] = root;
  __syncthreads();  // all candidates are there
  if (threadIdx.x < kWarps) {
    constexpr unsigned kVoters = (1u << kWarps) - 1;
    const std::uint32_t mine = roots[threadIdx.x] != kAll ? roots[threadIdx.x] : roots[0];
    const unsigned votes = __popc(__match_any_sync(kVoters, mine));
    const unsigned most = __reduce_max_sync(kVoters, votes);
    if (static_cast<int>(threadIdx.x) == __ffs(__ballot_sync(kVoters, votes == most)) - 1) common = mine;
  }
  __syncthreads();  // the choice is there
  return common;
}

/// In a crowded field most runs are of one island: those of a block are counted together.
__global__ void __launch_bounds__(kThreads)
    k_sum_areas(const rules::Run* __restrict__ runs, std::int64_t count, BitMask seed,
                const std::uint32_t* __restrict__ parent, unsigned long long* areas, std::uint32_t* seeded) {
  __shared__ unsigned long long common_areas[kThreads / 32];
  const std::int64_t index = thread_index();
  const bool active = index < count;
  const rules::Run run = active ? runs[index] : rules::Run{0, 0, 0};
  const std::uint32_t root = active ? parent[index] : kAll;
  const std::uint32_t common = common_root(root);
  const bool has_seed = active && any_bit(seed.bits + run.y * seed.words, run.x0, run.x1);
  const auto length = static_cast<unsigned long long>(run.x1 - run.x0);
  unsigned long long sum = root == common ? length : 0;
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(kAll, sum, half);
  if ((threadIdx.x & 31) == 0) common_areas[threadIdx.x / 32] = sum;
  const bool common_seed = __syncthreads_or(has_seed && root == common) != 0;  // also: all warps' sums are there
  if (active && root != common) {
    atomicAdd(areas + root, length);
    if (has_seed) seeded[root] = 1;
  }
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += common_areas[warp];
  atomicAdd(areas + common, sum);
  if (common_seed) seeded[common] = 1;
}

__global__ void __launch_bounds__(kThreads)
    k_accept_roots(std::int64_t count, const std::uint32_t* __restrict__ parent, unsigned long long min_area,
                   const unsigned long long* __restrict__ areas, const std::uint32_t* __restrict__ seeded,
                   std::uint32_t* __restrict__ accepted) {
  const std::int64_t run = thread_index();
  if (run < count) accepted[run] = parent[run] == run && seeded[run] != 0 && areas[run] >= min_area ? 1 : 0;
}

__global__ void __launch_bounds__(kThreads)
    k_mark_members(std::int64_t count, const std::uint32_t* __restrict__ parent,
                   const std::uint32_t* __restrict__ accepted, std::uint32_t* __restrict__ member) {
  const std::int64_t run = thread_index();
  if (run < count) member[run] = accepted[parent[run]];
}

__global__ void __launch_bounds__(kThreads)
    k_keep_members(const rules::Run* __restrict__ runs, std::int64_t count, const std::uint32_t* __restrict__ parent,
                   const std::uint32_t* __restrict__ number, const std::uint32_t* __restrict__ member,
                   const std::uint32_t* __restrict__ place, rules::Run* __restrict__ kept,
                   std::uint32_t* __restrict__ labels, std::uint64_t* __restrict__ keys) {
  const std::int64_t run = thread_index();
  if (run >= count || member[run] == 0) return;
  const std::uint32_t to = place[run], label = number[parent[run]] + 1;
  kept[to] = runs[run];
  labels[to] = label;
  keys[to] = static_cast<std::uint64_t>(label) << 32 | to;
}

__global__ void __launch_bounds__(kThreads)
    k_keep_rows(const std::uint32_t* __restrict__ all_row_begin, const std::uint32_t* __restrict__ place,
                std::int64_t rows, std::uint32_t* __restrict__ row_begin) {
  const std::int64_t y = thread_index();
  if (y <= rows) row_begin[y] = place[all_row_begin[y]];
}

__global__ void __launch_bounds__(kThreads)
    k_find_islands_begin(const std::uint64_t* __restrict__ by_island, std::int64_t count, std::int64_t islands,
                         std::uint32_t* __restrict__ begin) {
  const std::int64_t k = thread_index();
  if (k >= count) return;
  const auto label = static_cast<std::uint32_t>(by_island[k] >> 32);
  if (k == 0 || static_cast<std::uint32_t>(by_island[k - 1] >> 32) != label)
    begin[label - 1] = static_cast<std::uint32_t>(k);
  if (k == count - 1) begin[islands] = static_cast<std::uint32_t>(count);
}

/// A warp a run of the rows; the rest of the map was cleared.
__global__ void __launch_bounds__(kThreads)
    k_draw_labels(const rules::Run* __restrict__ runs, const std::uint32_t* __restrict__ labels,
                  const std::uint32_t* __restrict__ row_begin, std::int64_t y0, std::int64_t ny, std::int32_t* out,
                  std::int64_t pitch) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (kThreads / 32);
  for (std::int64_t k = row_begin[y0] + thread_index() / 32; k < row_begin[y0 + ny]; k += warps) {
    const rules::Run run = runs[k];
    std::int32_t* row = out + (run.y - y0) * pitch;
    for (std::int32_t x = run.x0 + static_cast<std::int32_t>(threadIdx.x & 31); x < run.x1; x += 32)
      row[x] = static_cast<std::int32_t>(labels[k]);
  }
}

}  // namespace

void count_runs(cudaStream_t stream, BitMask flood, Shape shape, std::uint32_t* counts) {
  k_count_runs<<<blocks_of(shape.ny * 32), kThreads, 0, stream>>>(flood, shape.ny, counts);
  check_launch("k_count_runs", stream);
}

void extract_runs(cudaStream_t stream, BitMask flood, Shape shape, const std::uint32_t* row_begin, rules::Run* runs) {
  k_extract_runs<<<blocks_of(shape.ny * 32), kThreads, 0, stream>>>(flood, shape.ny, row_begin, runs);
  check_launch("k_extract_runs", stream);
}

void connect_runs(cudaStream_t stream, const rules::Run* runs, std::int64_t count, const std::uint32_t* row_begin,
                  std::int32_t reach, std::uint32_t* parent) {
  k_reset_parents<<<blocks_of(count), kThreads, 0, stream>>>(count, parent);
  check_launch("k_reset_parents", stream);
  k_connect_runs<<<blocks_of(count), kThreads, 0, stream>>>(runs, count, row_begin, reach, parent);
  check_launch("k_connect_runs", stream);
  k_flatten<<<blocks_of(count), kThreads, 0, stream>>>(count, parent);
  check_launch("k_flatten", stream);
}

void accept_roots(cudaStream_t stream, const rules::Run* runs, std::int64_t count, BitMask seed,
                  const std::uint32_t* parent, std::int64_t min_area, unsigned long long* areas, std::uint32_t* seeded,
                  std::uint32_t* accepted) {
  check(cudaMemsetAsync(areas, 0, static_cast<std::size_t>(count) * sizeof(*areas), stream), "cudaMemsetAsync");
  check(cudaMemsetAsync(seeded, 0, static_cast<std::size_t>(count) * sizeof(*seeded), stream), "cudaMemsetAsync");
  k_sum_areas<<<blocks_of(count), kThreads, 0, stream>>>(runs, count, seed, parent, areas, seeded);
  check_launch("k_sum_areas", stream);
  k_accept_roots<<<blocks_of(count), kThreads, 0, stream>>>(
      count, parent, static_cast<unsigned long long>(min_area > 0 ? min_area : 0), areas, seeded, accepted);
  check_launch("k_accept_roots", stream);
}

void mark_members(cudaStream_t stream, std::int64_t count, const std::uint32_t* parent, const std::uint32_t* accepted,
                  std::uint32_t* member) {
  k_mark_members<<<blocks_of(count), kThreads, 0, stream>>>(count, parent, accepted, member);
  check_launch("k_mark_members", stream);
}

void keep_members(cudaStream_t stream, const rules::Run* runs, std::int64_t count, const std::uint32_t* parent,
                  const std::uint32_t* number, const std::uint32_t* member, const std::uint32_t* place,
                  CudaIslands& islands) {
  k_keep_members<<<blocks_of(count), kThreads, 0, stream>>>(
      runs, count, parent, number, member, place, islands.runs.data(), islands.labels.data(), islands.by_island.data());
  check_launch("k_keep_members", stream);
}

void keep_rows(cudaStream_t stream, const std::uint32_t* all_row_begin, const std::uint32_t* place, std::int64_t rows,
               std::uint32_t* row_begin) {
  k_keep_rows<<<blocks_of(rows + 1), kThreads, 0, stream>>>(all_row_begin, place, rows, row_begin);
  check_launch("k_keep_rows", stream);
}

void find_islands_begin(cudaStream_t stream, CudaIslands& islands) {
  k_find_islands_begin<<<blocks_of(islands.run_count), kThreads, 0, stream>>>(
      islands.by_island.data(), islands.run_count, islands.islands, islands.island_begin.data());
  check_launch("k_find_islands_begin", stream);
}

void draw_labels(cudaStream_t stream, const CudaIslands& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out,
                 std::int64_t pitch) {
  check(cudaMemsetAsync(out, 0, static_cast<std::size_t>(ny * pitch) * sizeof(*out), stream), "cudaMemsetAsync");
  if (islands.run_count == 0) return;
  const std::int64_t warps = islands.run_count < 65536 ? islands.run_count : 65536;
  k_draw_labels<<<blocks_of(warps * 32), kThreads, 0, stream>>>(islands.runs.data(), islands.labels.data(),
                                                                islands.row_begin.data(), y0, ny, out, pitch);
  check_launch("k_draw_labels", stream);
}

}  // namespace reber::cuda
