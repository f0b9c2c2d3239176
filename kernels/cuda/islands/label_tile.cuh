// SPDX-License-Identifier: BSD-3-Clause
// Joins the runs of a tile in shared memory, so that only its parts, a few dozen in place of thousands of runs, are
// joined with those of other tiles in device memory.
#pragma once

#include "kernels/cuda/islands/label_work.cuh"

namespace reber::cuda {

/// A tile: one piece wide, kTileRows high, and the column left of it, so that what touches there has a run in both
/// tiles. A run that is set there has a place of its own ahead of those that start in the tile's row.
struct LabelTile {
  static constexpr int kMostRuns = kTileRows * (kPieceWords * 16 + 1);
  // A run's entry is first another run's place, in the end its root's; a root's own is then kRoot, kTileSeed where
  // a pixel is above the seed limit, the part's pixels, the part's number.
  static constexpr std::uint32_t kRoot = 1u << 31, kTileSeed = 1u << 30;
  static constexpr int kAreaShift = 14;
  static constexpr std::uint32_t kNumberMask = (1u << kAreaShift) - 1;
  static_assert(kMostRuns <= 1 << kAreaShift);
  static_assert(kTileRows * kPieceWords * 32 < 1 << (30 - kAreaShift), "the area fits between number and flags");

  std::uint32_t entry[kMostRuns];
  std::uint32_t roots[kMostRuns / 32 + 1];  ///< in the end: a bit per run, set for roots
  std::uint32_t words[kTileRows][kPieceWords];
  std::int32_t last_before[kTileRows][kPieceWords];  ///< place of the last run of the row that starts before a word
  std::uint32_t row_runs[kTileRows];                 ///< with the one from the left
  bool from_left[kTileRows];                         ///< there is one
  std::uint32_t parts, first_part;
};

/// What a thread has of a tile: a word per lane, kRowsAWarp rows per warp.
struct TileRows {
  static constexpr int kRowsAWarp = kTileRows / kLabelWarps;
  RawWord raw[kRowsAWarp];
  std::uint32_t seeds[kRowsAWarp];
  std::uint32_t first_run[kRowsAWarp];  ///< in the image, of those that start in the row of this tile
};

/// Numbers the runs of the tile row by row.   returns how many there are
__device__ __forceinline__ std::uint32_t place_runs(LabelTile& tile, const TileRows& rows,
                                                    PieceWord (&pieces)[TileRows::kRowsAWarp]) {
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
  std::int32_t before[TileRows::kRowsAWarp];
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const int r = warp + k * kLabelWarps;
    std::uint32_t total = 0;
    bool from_left = false;
    before[k] = -1;
    pieces[k] = {0, 0, false};
    if (__any_sync(kWholeWarp, (rows.raw[k].word | rows.raw[k].before >> 31) != 0)) {
      pieces[k] = piece_word(rows.raw[k]);
      from_left = __shfl_sync(kWholeWarp, pieces[k].joined_left, 0);
      before[k] = static_cast<std::int32_t>(lanes_before(__popc(pieces[k].starts), total)) + (from_left ? 0 : -1);
    }
    tile.words[r][lane] = pieces[k].word;
    if (lane == 0) {
      tile.row_runs[r] = total + (from_left ? 1 : 0);
      tile.from_left[r] = from_left;
    }
  }
  __syncthreads();  // words and counts of all rows are there
  std::uint32_t all = 0;
  const std::uint32_t first = lanes_before(lane < kTileRows ? tile.row_runs[lane] : 0, all);
  if (all == 0) return 0;
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const int r = warp + k * kLabelWarps;
    tile.last_before[r][lane] = before[k] + static_cast<std::int32_t>(__shfl_sync(kWholeWarp, first, r));
  }
  __syncthreads();  // the places of all rows are there
  return all;
}

/// First run of a row, that from the left included.
__device__ __forceinline__ std::uint32_t row_begin(const LabelTile& tile, std::uint32_t r) {
  return static_cast<std::uint32_t>(tile.last_before[r][0] + 1) - (tile.from_left[r] ? 1 : 0);
}

/// Where each run's parent is itself or a run of the row above, makes all parents roots. After the step that joins
/// groups of `half` rows in pairs, parents are roots of the pair or in the row above it. A step writes runs of the
/// lower groups that are no roots and reads, beside a run's own parent, what it does not write.
__device__ __forceinline__ void flatten_chains(LabelTile& tile) {
  static_assert(kTileRows == 2 * kLabelWarps, "a warp takes one of the rows of lower groups");
  const std::uint32_t warp = threadIdx.x / 32;
  for (std::uint32_t half = 1; half < kTileRows; half *= 2) {
    const std::uint32_t r = warp + (warp & ~(half - 1)) + half;
    const std::uint32_t begin = row_begin(tile, r), end = begin + tile.row_runs[r];
    for (std::uint32_t run = begin + (threadIdx.x & 31); run < end; run += 32) {
      const std::uint32_t up = tile.entry[run];
      if (up != run) tile.entry[run] = tile.entry[up];
    }
    __syncthreads();  // the pair's parents are those that the next step reads
  }
}

/// Joins the runs of each row with those above. The first one that a run touches becomes its parent, which none else
/// writes at that time; the others are united.
__device__ __forceinline__ void join_rows(LabelTile& tile, std::uint32_t runs,
                                          const PieceWord (&pieces)[TileRows::kRowsAWarp], bool diagonal) {
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
  Contacts contacts[TileRows::kRowsAWarp];
  std::uint32_t upper_starts[TileRows::kRowsAWarp];
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const int r = warp + k * kLabelWarps;
    const PieceWord& mine = pieces[k];
    const std::int32_t last_lower = tile.last_before[r][lane];
    if (lane == 0 && mine.joined_left) tile.entry[last_lower] = static_cast<std::uint32_t>(last_lower);
    std::int32_t run = last_lower;
    for (std::uint32_t starts = mine.starts; starts != 0; starts &= starts - 1) {
      ++run;
      tile.entry[run] = static_cast<std::uint32_t>(run);
    }
    contacts[k] = {0, 0, 0};
    upper_starts[k] = 0;
    if (r == 0 || tile.row_runs[r] == 0) continue;
    const std::uint32_t upper = tile.words[r - 1][lane];
    const bool upper_left = lane > 0 ? tile.words[r - 1][lane - 1] >> 31 != 0 : tile.from_left[r - 1];
    upper_starts[k] = upper & ~(upper << 1 | (upper_left ? 1u : 0u));
    contacts[k] = contacts_of(upper, upper_left, mine.word, mine.joined_left,
                              lane > 0 && upper_left && mine.joined_left, diagonal);
    const std::int32_t last_upper = tile.last_before[r - 1][lane];
    std::uint32_t firsts = 0;
    run = last_lower;  // runs that were here before the word have their parent from there
    for_each_contact(contacts[k], [&](std::uint32_t upto_upper, std::uint32_t upto_lower) {
      const std::int32_t touched = last_lower + __popc(mine.starts & upto_lower);
      if (touched == run) return;
      run = touched;
      tile.entry[run] = static_cast<std::uint32_t>(last_upper + __popc(upper_starts[k] & upto_upper));
      firsts |= (upto_upper | upto_lower) & ~((upto_upper | upto_lower) >> 1);
    });
    contacts[k].both &= ~firsts, contacts[k].lower &= ~firsts, contacts[k].upper &= ~firsts;
  }
  __syncthreads();  // every run has a parent
  // The trees are chains of rows: short ones are walked faster below, where the lanes of a warp wait for each other.
  // Few runs are not worth it.
  if (runs > kLabelThreads) flatten_chains(tile);
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    const int r = warp + k * kLabelWarps;
    if (r == 0) continue;
    const std::int32_t last_upper = tile.last_before[r - 1][lane], last_lower = tile.last_before[r][lane];
    for_each_contact(contacts[k], [&](std::uint32_t upto_upper, std::uint32_t upto_lower) {
      unite<InTile>(tile.entry, static_cast<std::uint32_t>(last_upper + __popc(upper_starts[k] & upto_upper)),
                    static_cast<std::uint32_t>(last_lower + __popc(pieces[k].starts & upto_lower)));
    });
  }
  __syncthreads();  // the parts are joined
}

/// Root of a run; those of runs before may be numbered.
__device__ __forceinline__ std::uint32_t tile_root(const LabelTile& tile, std::uint32_t run) {
  while (true) {
    const std::uint32_t up = tile.entry[run];
    if (up == run || (up & LabelTile::kRoot) != 0) return run;
    run = up;
  }
}

/// Flattens the trees and makes roots' entries of roots. Parents come before their children, so that some runs at a
/// time are first looked up and then written.
__device__ __forceinline__ void number_parts(LabelTile& tile, std::uint32_t runs) {
  constexpr int kRuns = 4;  ///< of a thread at a time
  const unsigned below = (1u << (threadIdx.x & 31)) - 1;
  for (std::uint32_t begin = 0; begin < runs; begin += kRuns * kLabelThreads) {
    const std::uint32_t first = begin + (threadIdx.x & ~31u);
    std::uint32_t root[kRuns];
#pragma unroll
    for (int k = 0; k < kRuns; ++k) {
      const std::uint32_t run = first + k * kLabelThreads + (threadIdx.x & 31);
      root[k] = run < runs ? tile_root(tile, run) : kNoPart;
    }
    __syncthreads();  // the roots were found among the entries as they were
#pragma unroll
    for (int k = 0; k < kRuns; ++k) {
      const std::uint32_t start = first + k * kLabelThreads, run = start + (threadIdx.x & 31);
      if (start >= runs) break;
      const unsigned roots = __ballot_sync(kWholeWarp, root[k] == run);
      std::uint32_t number = 0;
      if ((threadIdx.x & 31) == 0) {
        tile.roots[start / 32] = roots;
        if (roots != 0) number = atomicAdd(&tile.parts, static_cast<std::uint32_t>(__popc(roots)));
      }
      number = __shfl_sync(kWholeWarp, number, 0) + __popc(roots & below);
      if (run < runs) tile.entry[run] = root[k] == run ? LabelTile::kRoot | number : root[k];
    }
    __syncthreads();  // every run so far leads to its root at once
  }
}

/// The entry of a run's root. Entries of roots may change meanwhile.
__device__ __forceinline__ std::uint32_t* root_entry(LabelTile& tile, std::uint32_t run) {
  const bool is_root = (tile.roots[run / 32] >> run % 32 & 1) != 0;
  return &tile.entry[is_root ? run : tile.entry[run]];
}

/// Adds the pixels of each word's stretches to their parts.
__device__ __forceinline__ void add_areas(LabelTile& tile, const TileRows& rows,
                                          const PieceWord (&pieces)[TileRows::kRowsAWarp]) {
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
  for (int k = 0; k < TileRows::kRowsAWarp; ++k) {
    std::uint32_t word = pieces[k].word;
    std::int32_t run = tile.last_before[warp + k * kLabelWarps][lane];
    while (word != 0) {
      const std::uint32_t first =
          word & (0u - word);  // the lowest stretch of ones: adding its first bit carries past it
      const std::uint32_t stretch = word & ~(word + first);
      if ((first & pieces[k].starts) != 0) ++run;
      std::uint32_t* entry = root_entry(tile, static_cast<std::uint32_t>(run));
      atomicAdd(entry, static_cast<std::uint32_t>(__popc(stretch)) << LabelTile::kAreaShift);
      if ((stretch & rows.seeds[k]) != 0) atomicOr(entry, LabelTile::kTileSeed);
      word &= ~stretch;
    }
  }
}

}  // namespace reber::cuda
