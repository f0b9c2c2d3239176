// SPDX-License-Identifier: BSD-3-Clause
// Numbers the islands of a bit mask in one launch, whose phases all blocks go through together. Runs are joined within
// tiles (label_tile.cuh), the tiles' parts with each other. Answers kernels/cpu/islands/label.cpp.
#include <algorithm>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/islands/label_tile.cuh"

namespace reber::cuda {
namespace {

struct Shared {
  LabelTile tile;
  std::uint32_t before[kMostBlocks];  ///< of a scan: the sum of the blocks before each
};

/// Runs of each piece of a row, summed up within the block's share of the pieces.
__device__ void count_runs(const LabelWork& work) {
  const std::uint32_t begin = blockIdx.x * work.share.value, end = min(begin + work.share.value, work.count());
  std::uint32_t joints = 0;
  const auto count = [&](std::uint32_t first, std::uint32_t step, std::uint32_t(&counts)[kAtOnce]) {
    RawWord raw[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const std::uint32_t at = first + k * step;
      const auto [y, piece] = work.place(at);
      raw[k] = at < end ? load_word(work.flood, y, piece) : RawWord{0, 0};
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      joints += raw[k].before >> 31;
      counts[k] = 0;
      if (__any_sync(kWholeWarp, raw[k].word != 0))
        counts[k] = warp_sum(static_cast<std::uint32_t>(__popc(piece_word(raw[k]).starts)));
    }
  };
  const std::uint32_t runs =
      scan_share(begin, end, count, [&](std::uint32_t at, std::uint32_t before) { work.first_run[at] = before; });
  std::uint32_t places = 0;
  threads_before(joints, places);
  if (threadIdx.x != 0) return;
  work.sums[kRunSums * kMostBlocks + blockIdx.x] = runs;
  work.sums[kPlaceSums * kMostBlocks + blockIdx.x] = runs + places;
}

/// Sum over blocks, in each lane of each warp.
__device__ unsigned long long sum_of_blocks(const std::uint32_t* sums) {
  unsigned long long sum = 0;
  for (unsigned block = threadIdx.x & 31; block < gridDim.x; block += 32) sum += sums[block];
  return warp_sum(sum);
}

__device__ __forceinline__ TileRows load_rows(const LabelWork& work, std::uint32_t tile,
                                              const std::uint32_t (&before)[kMostBlocks]) {
  const std::uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const auto [row, piece] = work.place(tile);
  const std::uint32_t word = piece * kPieceWords + lane;
  TileRows rows;
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const std::uint32_t y = row * kTileRows + warp + k * kLabelWarps, at = y * work.pieces.value + piece;
    const bool inside = y < work.ny;
    rows.raw[k] = inside ? load_word(work.flood, y, piece) : RawWord{0, 0};
    rows.seeds[k] = inside && word < work.seed.words ? __ldg(work.seed.bits + y * work.seed.words + word) : 0;
    rows.first_run[k] = inside ? work.first_run[at] + before[work.share.quotient(at)] : 0;
  }
  return rows;
}

/// Writes the part of each run, and what is known of each part.
__device__ __forceinline__ void write_parts(const LabelWork& work, LabelTile& tile, const TileRows& rows,
                                            std::uint32_t y0, std::uint32_t piece) {
  const std::uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const std::uint32_t r = warp + k * kLabelWarps;
    const std::uint32_t joint = tile.from_left[r] ? 1 : 0, begin = row_begin(tile, r);
    for (std::uint32_t i = lane; i < tile.row_runs[r]; i += 32) {
      const std::uint32_t* root = root_entry(tile, begin + i);
      const std::uint32_t entry = *root, part = tile.first_part + (entry & LabelTile::kNumberMask);
      const std::uint32_t run = rows.first_run[k] + i - joint;
      if (i < joint) {
        work.joint[(y0 + r) * work.pieces.value + piece] = part;
      } else {
        work.part[run] = part;
      }
      if (root != &tile.entry[begin + i]) continue;
      work.parent[part] = part;
      work.first_of[part] = run;
      constexpr std::uint32_t kArea = LabelTile::kTileSeed - 1;
      work.area[part] = (entry & kArea) >> LabelTile::kAreaShift | ((entry & LabelTile::kTileSeed) != 0 ? kSeeded : 0);
    }
  }
}

/// Completes first_run, which none but this warp reads in this phase, and says where nothing comes from the left.
__device__ __forceinline__ void write_pieces(const LabelWork& work, const TileRows& rows, std::uint32_t y0,
                                             std::uint32_t piece) {
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const std::uint32_t y = y0 + threadIdx.x / 32 + k * kLabelWarps, at = y * work.pieces.value + piece;
    if ((threadIdx.x & 31) != 0 || y >= work.ny) continue;
    work.first_run[at] = rows.first_run[k];
    if (rows.raw[k].before >> 31 == 0) work.joint[at] = kNoPart;
  }
}

/// Joins the runs of tiles, one block per tile. The next tile's rows are under way meanwhile.
__device__ void join_tiles(const LabelWork& work, Shared& shared) {
  LabelTile& tile = shared.tile;
  const std::uint32_t tiles = work.pieces.value * ((work.ny + kTileRows - 1) / kTileRows);
  TileRows next;
  if (blockIdx.x < tiles) next = load_rows(work, blockIdx.x, shared.before);
  for (std::uint32_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const auto [row, piece] = work.place(t);
    const std::uint32_t y0 = row * kTileRows;
    const TileRows rows = next;
    if (t + gridDim.x < tiles) next = load_rows(work, t + gridDim.x, shared.before);
    write_pieces(work, rows, y0, piece);
    if (threadIdx.x == 0) tile.parts = 0;
    PieceWord pieces[TileRows::kRowsAWarp];
    const std::uint32_t runs = place_runs(tile, rows, pieces);
    if (runs != 0) {
      join_rows(tile, runs, pieces, work.diagonal);
      number_parts(tile, runs);
      if (threadIdx.x == 0) tile.first_part = atomicAdd(&work.totals->parts, tile.parts);
      add_areas(tile, rows, pieces);
      __syncthreads();  // areas and the parts' place are there
      write_parts(work, tile, rows, y0, piece);
    }
    __syncthreads();  // the tile is about to be overwritten
  }
}

/// Joins parts across the tiles' borders: one thread per joint beside one, one warp per piece of the row below one.
__device__ void join_parts(const LabelWork& work) {
  const std::uint32_t thread = blockIdx.x * kLabelThreads + threadIdx.x, threads = gridDim.x * kLabelThreads;
  for (std::uint32_t at = thread; at < work.count(); at += threads)
    if (const std::uint32_t here = work.joint[at]; here != kNoPart)
      unite<InMemory>(work.parent, work.part[work.first_run[at] - 1], here);
  const std::uint32_t borders = (work.ny - 1) / kTileRows;
  for (std::uint32_t task = thread / 32; task < borders * work.pieces.value; task += threads / 32) {
    const auto [border, piece] = work.place(task);
    const std::uint32_t y = (border + 1) * kTileRows;
    const RawWord raw_upper = load_word(work.flood, y - 1, piece), raw_lower = load_word(work.flood, y, piece);
    // The last runs to start before the word.
    std::uint32_t last_upper = work.first_run[(y - 1) * work.pieces.value + piece] - 1;
    std::uint32_t last_lower = work.first_run[y * work.pieces.value + piece] - 1;
    const PieceWord upper = piece_word(raw_upper), lower = piece_word(raw_lower);
    std::uint32_t total = 0;
    last_upper += lanes_before(__popc(upper.starts), total);
    last_lower += lanes_before(__popc(lower.starts), total);
    const Contacts contacts = contacts_of(upper.word, upper.joined_left, lower.word, lower.joined_left,
                                          upper.joined_left && lower.joined_left, work.diagonal);
    std::uint32_t above = kNoPart, below = kNoPart;
    for_each_contact(contacts, [&](std::uint32_t upto_upper, std::uint32_t upto_lower) {
      const std::uint32_t a = work.part[last_upper + __popc(upper.starts & upto_upper)];
      const std::uint32_t b = work.part[last_lower + __popc(lower.starts & upto_lower)];
      if (a == above && b == below) return;
      above = a, below = b;
      unite<InMemory>(work.parent, a, b);
    });
  }
}

/// What parts that are no roots add to their roots.
struct PartSum {
  unsigned long long area;
  std::uint32_t first, seeded;
};

__device__ void add_to_root(const LabelWork& work, std::uint32_t root, const PartSum& sum) {
  atomicAdd(work.area + root, sum.area);
  if (sum.seeded != 0) atomicOr(work.area + root, kSeeded);
  atomicMin(work.first_of + root, sum.first);
}

/// The root that most lanes of one of the block's warps have.
__device__ std::uint32_t common_root(std::uint32_t root) {
  __shared__ std::uint32_t best[kLabelWarps], votes_of[kLabelWarps];
  const unsigned same = __match_any_sync(kWholeWarp, root), votes = root != kNoPart ? __popc(same) : 0;
  const unsigned most = over_warp(votes, [](unsigned a, unsigned b) { return max(a, b); });
  const int voter = __ffs(static_cast<int>(__ballot_sync(kWholeWarp, votes == most))) - 1;
  if (static_cast<int>(threadIdx.x & 31) == voter) {
    best[threadIdx.x / 32] = root;
    votes_of[threadIdx.x / 32] = votes;
  }
  __syncthreads();  // all warps' candidates are there
  int chosen = 0;
  for (int warp = 1; warp < kLabelWarps; ++warp)
    if (votes_of[warp] > votes_of[chosen]) chosen = warp;
  return best[chosen];
}

/// Adds parts to their roots. In a crowded field one root takes most of them: a block adds up what is the root's that
/// it met most among the first parts.
__device__ void sum_parts(const LabelWork& work, std::uint32_t parts) {
  const std::uint32_t stride = gridDim.x * kLabelThreads;
  PartSum common_sum{0, kNoPart, 0};
  std::uint32_t common = kNoPart;
  for (std::uint32_t first = blockIdx.x * kLabelThreads; first < parts; first += stride) {
    const std::uint32_t part = first + threadIdx.x;
    std::uint32_t root = kNoPart;
    if (part < parts) {
      root = root_of<InMemory, false>(work.parent, part);
      // No halving here: it could put an ancestor over the root that a part's own thread has just written.
      work.parent[part] = root;
      if (root == part) root = kNoPart;  // has its own already
    }
    if (first == blockIdx.x * kLabelThreads) common = common_root(root);
    if (root == kNoPart) continue;
    const unsigned long long area = work.area[part];
    const PartSum sum{area & ~kSeeded, work.first_of[part], (area & kSeeded) != 0 ? 1u : 0u};
    if (root != common) {
      add_to_root(work, root, sum);
    } else {
      common_sum.area += sum.area;
      common_sum.first = min(common_sum.first, sum.first);
      common_sum.seeded |= sum.seeded;
    }
  }
  common_sum.area = warp_sum(common_sum.area);
  common_sum.first = over_warp(common_sum.first, [](std::uint32_t a, std::uint32_t b) { return min(a, b); });
  common_sum.seeded = over_warp(common_sum.seeded, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  if ((threadIdx.x & 31) == 0 && common_sum.first != kNoPart) add_to_root(work, common, common_sum);
}

/// Marks the first runs of the islands that stand; parents of the others' parts become kNoPart.
__device__ void accept_islands(const LabelWork& work, std::uint32_t parts) {
  unsigned long long largest = 0;
  for (std::uint32_t part = blockIdx.x * kLabelThreads + threadIdx.x; part < parts; part += gridDim.x * kLabelThreads) {
    const std::uint32_t root = work.parent[part];
    const unsigned long long area = work.area[root];
    if ((area & kSeeded) == 0 || (area & ~kSeeded) < work.min_area) {
      work.parent[part] = kNoPart;
    } else if (root == part) {
      const std::uint32_t run = work.first_of[part];
      atomicOr(work.heads + run / 32, 1u << run % 32);
      largest = max(largest, area & ~kSeeded);
    }
  }
  largest = over_warp(largest, [](unsigned long long a, unsigned long long b) { return max(a, b); });
  if ((threadIdx.x & 31) == 0 && largest != 0) atomicMax(&work.totals->largest, largest);
}

/// Sums of bits over the block's share of the words of `heads`, and of `kept`, which is made of the runs' parts.
__device__ void count_kept(const LabelWork& work, std::uint32_t runs, std::uint32_t words) {
  const std::uint32_t share = share_of(words), begin = blockIdx.x * share, end = min(begin + share, words);
  const std::uint32_t lane = threadIdx.x & 31;
  const auto count_kept_runs = [&](std::uint32_t first, std::uint32_t step, std::uint32_t(&counts)[kAtOnce]) {
    std::uint32_t part[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const std::uint32_t word = first + k * step, run = word * 32 + lane;
      part[k] = word < end && run < runs ? work.part[run] : kNoPart;
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) part[k] = part[k] != kNoPart ? work.parent[part[k]] : kNoPart;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const std::uint32_t word = first + k * step, bits = __ballot_sync(kWholeWarp, part[k] != kNoPart);
      if (lane == 0 && word < end) work.kept[word] = bits;
      counts[k] = __popc(bits);
    }
  };
  const std::uint32_t kept = scan_share(
      begin, end, count_kept_runs, [&](std::uint32_t word, std::uint32_t before) { work.kept_before[word] = before; });
  std::uint32_t islands = 0;
  for (std::uint32_t first = begin; first < end; first += kLabelThreads) {
    const std::uint32_t word = first + threadIdx.x;
    std::uint32_t total = 0;
    const std::uint32_t before = threads_before(word < end ? __popc(work.heads[word]) : 0, total);
    if (word < end) work.heads_before[word] = islands + before;
    islands += total;
  }
  if (threadIdx.x != 0) return;
  work.sums[kIslandSums * kMostBlocks + blockIdx.x] = islands;
  work.sums[kKeptSums * kMostBlocks + blockIdx.x] = kept;
}

/// Bits before bit `run`.
__device__ __forceinline__ std::uint32_t bits_before(const std::uint32_t* bits, const std::uint32_t* bits_before_word,
                                                     const std::uint32_t (&before)[kMostBlocks], std::uint32_t share,
                                                     std::uint32_t run) {
  const std::uint32_t word = run / 32;
  return before[word / share] + bits_before_word[word] + __popc(bits[word] & ((1u << run % 32) - 1));
}

/// Parents become labels, 0 where there is no island; kept_begin is of the whole image.
__device__ void number_islands(const LabelWork& work, Shared& shared, std::uint32_t runs, std::uint32_t words) {
  const std::uint32_t thread = blockIdx.x * kLabelThreads + threadIdx.x, threads = gridDim.x * kLabelThreads;
  const std::uint32_t parts = work.totals->parts, share = share_of(words);
  const std::uint32_t kept = scan_blocks(work.sums + kKeptSums * kMostBlocks, shared.before);
  for (std::uint32_t at = thread; at <= work.count(); at += threads) {
    const std::uint32_t run = work.first_run[at];
    work.kept_begin[at] = run < runs ? bits_before(work.kept, work.kept_before, shared.before, share, run) : kept;
  }
  __syncthreads();  // what the blocks kept is about to be overwritten
  const std::uint32_t islands = scan_blocks(work.sums + kIslandSums * kMostBlocks, shared.before);
  for (std::uint32_t part = thread; part < parts; part += threads) {
    const std::uint32_t root = work.parent[part];
    // Roots keep their first run, whatever becomes of their parent here.
    work.parent[part] =
        root != kNoPart ? bits_before(work.heads, work.heads_before, shared.before, share, work.first_of[root]) + 1 : 0;
  }
  if (thread != 0) return;
  work.totals->islands = islands;
  work.totals->kept = kept;
}

__global__ void __launch_bounds__(kLabelThreads, 4) k_label_runs(LabelWork work) {
  __shared__ Shared shared;
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  count_runs(work);
  if (blockIdx.x == 0 && threadIdx.x == 0) *work.totals = {};
  grid.sync();
  const unsigned long long places = sum_of_blocks(work.sums + kPlaceSums * kMostBlocks);
  if (places > work.room) {
    if (blockIdx.x == 0 && threadIdx.x == 0) work.totals->places = places;
    return;
  }
  const std::uint32_t runs = scan_blocks(work.sums + kRunSums * kMostBlocks, shared.before), words = (runs + 31) / 32;
  const std::uint32_t thread = blockIdx.x * kLabelThreads + threadIdx.x;
  for (std::uint32_t word = thread; word < words; word += gridDim.x * kLabelThreads) work.heads[word] = 0;
  join_tiles(work, shared);
  if (thread == 0) {
    work.first_run[work.count()] = runs;
    work.totals->places = places;
  }
  grid.sync();
  join_parts(work);
  grid.sync();
  sum_parts(work, work.totals->parts);
  grid.sync();
  accept_islands(work, work.totals->parts);
  grid.sync();
  count_kept(work, runs, words);
  grid.sync();
  number_islands(work, shared, runs, words);
}

/// As many blocks as the card holds at once.
int blocks_at_once(int multiprocessors) {
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, k_label_runs, kLabelThreads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::min(each * multiprocessors, kMostBlocks);
}

const EarlyCode kEarly(k_label_runs);

}  // namespace

void label_runs(cudaStream_t stream, int multiprocessors, const LabelWork& work) {
  // No more of them than tiles: they wait for each other.
  const std::uint32_t tiles = work.pieces.value * ((work.ny + kTileRows - 1) / kTileRows);
  const std::uint32_t blocks = std::min(static_cast<std::uint32_t>(blocks_at_once(multiprocessors)), tiles);
  LabelWork shared_out = work;
  shared_out.share = Divisor::of((work.count() + blocks - 1) / blocks);
  void* arguments[] = {&shared_out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(k_label_runs), dim3(blocks), dim3(kLabelThreads),
                                    arguments, 0, stream),
        "cudaLaunchCooperativeKernel");
  check_launch("k_label_runs", stream);
}

}  // namespace reber::cuda
