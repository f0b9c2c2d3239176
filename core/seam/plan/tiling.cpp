// SPDX-License-Identifier: BSD-3-Clause
// Bytes that a run needs on the device, and the largest bands that fit where the whole image does not.
#include "core/seam/plan/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::int64_t kFloat = 4;
constexpr int kStreams = 2;
/// Tables of cells, runs, islands and histograms: 2.5 bytes per pixel at most for a crowded field, and a fixed part.
constexpr std::int64_t kTablesPerPixelX2 = 5;
constexpr std::int64_t kFixedBytes = 64LL << 20;
/// Larger bands gain nothing; what they leave of the card, blocks of the file are kept in.
constexpr std::int64_t kMostBandBytes = 32LL << 20;

/// Bits of two masks, and 3/32 byte for runs, their numbers and the pixels that are kept of them: noise alone above
/// 3 sigma takes 2/32.
constexpr std::int64_t kIslandTablesPer32Pixels = 11;
/// Pairs of keys of 8 bytes, and a value for each.
constexpr std::int64_t kSortedBytes = 20;

std::int64_t tables_bytes(std::int64_t pixels) { return pixels * kTablesPerPixelX2 / 2 + kFixedBytes; }

/// A resident plane, the convolved one beside it, and their weights where there are blanks.
std::int64_t resident_bytes(const MemoryNeeds& needs) {
  const std::int64_t pixels = needs.shape.count();
  std::int64_t planes = 1;
  if (needs.convolve) {
    planes += needs.blanks ? 3 : 1;
  } else if (needs.copy) {
    ++planes;
  }
  if (needs.padded) ++planes;
  return planes * pixels * kFloat + tables_bytes(pixels) + needs.workspace_bytes;
}

/// One band in each stream: raw rows (8 bytes per pixel at most), decoded rows with halo, output rows; and what is
/// known of the whole image.
std::int64_t band_bytes(const MemoryNeeds& needs, std::int64_t rows) {
  const std::int64_t nx = needs.shape.nx;
  const std::int64_t with_halo = rows + (needs.convolve ? 2 * needs.halo_rows : 0);
  const std::int64_t tall = std::max(rows, std::min(needs.cell_rows, needs.shape.ny));
  std::int64_t bytes = (1 + needs.maps) * with_halo * nx * (8 + kFloat) + (tall - rows) * nx * kFloat;
  if (needs.sorted_cells) bytes += tall * nx * kSortedBytes / kStreams;
  if (needs.convolve || needs.copy) bytes += rows * nx * kFloat;
  if (needs.convolve && needs.blanks) bytes += (with_halo + rows) * nx * kFloat;
  const std::int64_t islands = needs.detect ? needs.shape.count() / 32 * kIslandTablesPer32Pixels : 0;
  return kStreams * bytes + needs.workspace_bytes + tables_bytes(rows * nx) + islands;
}

/// Rows of floats that the walk of the background's cells holds back until the nodes about them are known
/// (kernels/cuda/device/row_roles.hpp).
std::int64_t lag_bytes(const MemoryNeeds& needs, std::int64_t rows) {
  constexpr std::int64_t kLagBands = 4;
  if (!needs.detect || needs.cell_rows <= 1 || needs.sorted_cells) return 0;
  return kLagBands * std::max(rows, needs.cell_rows) * needs.shape.nx * kFloat;
}

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// Most rows of a band that fit; at least 1. lag: rows that are held back beside them
std::int64_t most_rows(const MemoryNeeds& needs, std::int64_t bytes, bool lag) {
  std::int64_t fits = 1, too_many = needs.shape.ny + 1;
  while (too_many - fits > 1) {
    const std::int64_t middle = fits + (too_many - fits) / 2;
    (band_bytes(needs, middle) + (lag ? lag_bytes(needs, middle) : 0) <= bytes ? fits : too_many) = middle;
  }
  return fits;
}

}  // namespace

MemoryNeeds needs_of_both(const MemoryNeeds& a, const MemoryNeeds& b) {
  MemoryNeeds needs = b;
  needs.halo_rows = std::max(a.halo_rows, b.halo_rows);
  needs.workspace_bytes = std::max(a.workspace_bytes, b.workspace_bytes);
  needs.convolve = a.convolve || b.convolve;
  needs.copy = a.copy || b.copy;
  needs.padded = a.padded || b.padded;
  needs.blanks = a.blanks || b.blanks;
  needs.detect = a.detect || b.detect;
  needs.maps = std::max(a.maps, b.maps);
  needs.band_multiple = std::max(a.band_multiple, b.band_multiple);
  needs.cell_rows = std::max(a.cell_rows, b.cell_rows);
  needs.sorted_cells = a.sorted_cells || b.sorted_cells;
  return needs;
}

TilingPlan plan_tiling(const MemoryNeeds& needs, std::int64_t device_memory_bytes) {
  TilingPlan plan;
  plan.band_rows = needs.shape.ny;
  plan.halo_rows = needs.convolve ? needs.halo_rows : 0;
  if (device_memory_bytes <= 0) {
    plan.reason = "planes live in host memory: one band";
    return plan;
  }
  plan.device_bytes = resident_bytes(needs);
  if (plan.device_bytes <= device_memory_bytes) {
    plan.reason = fmt::format("resident: {:.0f} MiB of the device's {:.0f} MiB", mebibytes(plan.device_bytes),
                              mebibytes(device_memory_bytes));
    return plan;
  }
  if (band_bytes(needs, 1) > device_memory_bytes) {
    throw InputError(fmt::format(
        "an image of {} x {} pixels needs {:.0f} MiB on the device even in bands of one row, and {:.0f} MiB may be "
        "used; allow more device memory, use a smaller kernel or smaller boxes, or the cpu backend",
        needs.shape.nx, needs.shape.ny, mebibytes(band_bytes(needs, 1)), mebibytes(device_memory_bytes)));
  }
  std::int64_t fits = most_rows(needs, device_memory_bytes, true);
  if (fits < needs.cell_rows) fits = most_rows(needs, device_memory_bytes, false);
  const std::int64_t row_bytes = std::max<std::int64_t>(needs.shape.nx * kFloat, 1);
  fits = std::min(fits, std::max({kMostBandBytes / row_bytes, needs.cell_rows, 4 * plan.halo_rows, std::int64_t{1}}));
  const std::int64_t multiple = std::max<std::int64_t>(needs.band_multiple, 1);
  if (fits > multiple) fits -= fits % multiple;
  plan.resident = false;
  plan.band_rows = fits;
  plan.streams = kStreams;
  plan.device_bytes = band_bytes(needs, fits);
  plan.reason = fmt::format(
      "streamed: the whole image needs {:.0f} MiB and {:.0f} MiB may be used; {} bands of {} rows with a halo of {}",
      mebibytes(resident_bytes(needs)), mebibytes(device_memory_bytes), (needs.shape.ny + fits - 1) / fits, fits,
      plan.halo_rows);
  return plan;
}

std::size_t planes_at_once(Shape shape, std::size_t wanted, std::int64_t free_bytes) {
  const std::int64_t plane = std::max<std::int64_t>(shape.count() * kFloat, 1);
  const std::int64_t fit = (free_bytes - tables_bytes(shape.count())) / plane - 2;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(static_cast<std::int64_t>(wanted), 1)));
}

}  // namespace reber
