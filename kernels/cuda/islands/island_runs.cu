// SPDX-License-Identifier: BSD-3-Clause
// Runs of the islands that were kept: written in raster order, drawn as a map.
#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/islands/island_runs.hpp"
#include "kernels/cuda/islands/label_work.cuh"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

unsigned blocks_of(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }
__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

/// One past the last pixel of a run that reaches word w.
__device__ std::uint32_t run_end(const BitMask& mask, std::uint32_t y, std::uint32_t w) {
  const std::uint32_t* row = mask.bits + y * mask.words;
  while (w < mask.words) {
    if (const std::uint32_t gaps = ~__ldg(row + w); gaps != 0)
      return w * 32 + static_cast<std::uint32_t>(__ffs(static_cast<int>(gaps))) - 1;
    ++w;
  }
  return w * 32;
}

/// One warp per piece of a row. First the columns where its runs start and end, each by the lane that has the bit; then
/// one lane per run.
__global__ void __launch_bounds__(kThreads)
    k_keep_runs(LabelWork work, rules::Run* __restrict__ runs, std::uint32_t* __restrict__ labels, std::int64_t room) {
  constexpr int kMostRuns = kPiecePixels / 2;
  __shared__ std::uint16_t starts_of[kWarps][kMostRuns], ends_of[kWarps][kMostRuns];
  const auto at = static_cast<std::uint32_t>(thread_index() / 32);
  if (at >= work.count() || work.totals->islands == 0 || work.totals->kept > room) return;
  const auto [y, column] = work.place(at);
  const std::uint32_t lane = threadIdx.x & 31, x0 = column * kPiecePixels;
  std::uint32_t place = work.kept_begin[at];
  const std::uint32_t first = work.first_run[at], count = work.first_run[at + 1] - first;
  const RawWord raw = load_word(work.flood, y, column);
  if (work.kept_begin[at + 1] == place) return;
  std::uint16_t *starts = starts_of[threadIdx.x / 32], *ends = ends_of[threadIdx.x / 32];
  const PieceWord piece = piece_word(raw);
  std::uint32_t total = 0, k = lanes_before(__popc(piece.starts), total);
  for (std::uint32_t bits = piece.starts; bits != 0; bits &= bits - 1)
    starts[k++] = static_cast<std::uint16_t>(lane * 32 + __ffs(static_cast<int>(bits)) - 1);
  const std::uint32_t right = __shfl_down_sync(kWholeWarp, piece.word, 1) << 31;
  // The last word's last run may go on in the next piece, which is looked for there.
  std::uint32_t bits = piece.word & ~(piece.word >> 1 | (lane == 31 ? piece.word & 1u << 31 : right));
  k = lanes_before(__popc(bits), total) - __shfl_sync(kWholeWarp, piece.joined_left ? piece.word & 1u : 0u, 0);
  for (; bits != 0; bits &= bits - 1, ++k)
    if (static_cast<std::int32_t>(k) >= 0)
      ends[k] = static_cast<std::uint16_t>(lane * 32 + __ffs(static_cast<int>(bits)));
  __syncwarp();  // starts and ends are there
  const bool open = (__shfl_sync(kWholeWarp, piece.word, 31) >> 31) != 0;
  for (std::uint32_t group = 0; group < count; group += 32) {
    const std::uint32_t i = group + lane;
    const std::uint32_t label = i < count ? work.parent[work.part[first + i]] : 0;
    const unsigned kept = __ballot_sync(kWholeWarp, label != 0);
    if (label != 0) {
      const std::uint32_t to = place + __popc(kept & ((1u << lane) - 1));
      const std::uint32_t end = open && i == count - 1 ? run_end(work.flood, y, x0 / 32 + kPieceWords) : x0 + ends[i];
      runs[to] = {static_cast<std::int32_t>(y), static_cast<std::int32_t>(x0 + starts[i]),
                  static_cast<std::int32_t>(end)};
      labels[to] = label;
    }
    place += __popc(kept);
  }
}

/// One warp per piece of a row, drawn in shared memory, so that all of the map is written once.
__global__ void __launch_bounds__(kThreads)
    k_draw_labels(const rules::Run* __restrict__ runs, const std::uint32_t* __restrict__ labels,
                  const std::uint32_t* __restrict__ piece_begin, std::int64_t pieces, std::int64_t y0, std::int64_t ny,
                  std::int64_t nx, std::int32_t* __restrict__ out, std::int64_t pitch) {
  __shared__ __align__(16) std::int32_t lines[kWarps][kPiecePixels];
  const std::int64_t at = thread_index() / 32;
  if (at >= ny * pieces) return;
  const int lane = static_cast<int>(threadIdx.x & 31);
  std::int32_t* line = lines[threadIdx.x / 32];
  const std::int64_t y = at / pieces;
  const auto x0 = static_cast<std::int32_t>(at % pieces * kPiecePixels);
  const std::int32_t x1 = x0 + kPiecePixels;
  const std::int64_t first = piece_begin[y0 * pieces + at], last = piece_begin[y0 * pieces + at + 1];
  const bool joined = first > 0 && runs[first - 1].y == y0 + y && runs[first - 1].x1 > x0;
  int4* row = reinterpret_cast<int4*>(out + y * pitch + x0);
  if (first == last && !joined) {
    for (int quad = lane; quad < kPiecePixels / 4 && x0 + quad * 4 < nx; quad += 32) row[quad] = {0, 0, 0, 0};
    return;
  }
  for (int quad = lane; quad < kPiecePixels / 4; quad += 32) reinterpret_cast<int4*>(line)[quad] = {0, 0, 0, 0};
  __syncwarp();  // the line is clear
  for (std::int64_t k = first - (joined ? 1 : 0) + lane; k < last; k += 32) {
    const rules::Run run = runs[k];
    for (std::int32_t x = max(run.x0, x0); x < min(run.x1, x1); ++x)
      line[x - x0] = static_cast<std::int32_t>(labels[k]);
  }
  __syncwarp();  // the line is drawn
  for (int quad = lane; quad < kPiecePixels / 4 && x0 + quad * 4 < nx; quad += 32)
    row[quad] = reinterpret_cast<const int4*>(line)[quad];
}

const EarlyCode kEarly(k_keep_runs);

}  // namespace

void keep_runs(cudaStream_t stream, const LabelWork& work, CudaIslands& islands) {
  k_keep_runs<<<blocks_of(std::int64_t{work.count()} * 32), kThreads, 0, stream>>>(
      work, islands.runs.data(), islands.labels.data(), islands.runs.size());
  check_launch("k_keep_runs", stream);
}

void draw_labels(cudaStream_t stream, const CudaIslands& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out,
                 std::int64_t pitch) {
  const std::int64_t pieces = pieces_of(islands.shape().nx);
  k_draw_labels<<<blocks_of(ny * pieces * 32), kThreads, 0, stream>>>(islands.runs.data(), islands.labels.data(),
                                                                      islands.piece_begin.data(), pieces, y0, ny,
                                                                      islands.shape().nx, out, pitch);
  check_launch("k_draw_labels", stream);
}

}  // namespace reber::cuda
