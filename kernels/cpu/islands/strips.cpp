// SPDX-License-Identifier: BSD-3-Clause
// One pass over the pixels of a row makes bit masks, and runs of those.
#include "kernels/cpu/islands/strips.hpp"

#include <algorithm>
#include <bit>

#include "kernels/cpu/simd.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

/// Sets bit x of the masks where pixel x is above the thresholds (rules::snr, eight pixels at a time).
void threshold_row(const float* pixels, const float* mean, const float* rms, std::int64_t nx,
                   const DetectOptions& options, StripScratch& scratch) {
  const Floats flood = all(static_cast<float>(options.flood)), seed = all(static_cast<float>(options.seed));
  auto* flood_bytes = reinterpret_cast<std::uint8_t*>(scratch.flood.data());  // a word is written eight bits at a time
  auto* seed_bytes = reinterpret_cast<std::uint8_t*>(scratch.seed.data());
  for (std::int64_t x = 0; x < nx; x += kLanes) {
    Floats above = load(pixels + x) - load(mean + x);
    if (options.negative) above = -above;
    const Floats noise = load(rms + x);
    const Floats ratio = above / noise;
    const Ints usable = noise > 0.0f;
    flood_bytes[x / kLanes] = static_cast<std::uint8_t>(bits_of(usable & (ratio > flood)));
    seed_bytes[x / kLanes] = static_cast<std::uint8_t>(bits_of(usable & (ratio > seed)));
  }
  if (nx % kLanes != 0) flood_bytes[nx / kLanes] &= static_cast<std::uint8_t>((1u << (nx % kLanes)) - 1);
}

bool any_bit(const std::vector<std::uint64_t>& words, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin / 64, last = (end - 1) / 64;
  for (std::int64_t k = first; k <= last; ++k) {
    std::uint64_t word = words[k];
    if (k == first) word &= ~std::uint64_t{0} << (begin % 64);
    if (k == last && end % 64 != 0) word &= ~(~std::uint64_t{0} << (end % 64));
    if (word != 0) return true;
  }
  return false;
}

/// First position >= begin whose bit is `value`; nx where there is none.
std::int64_t next_bit(const std::vector<std::uint64_t>& words, std::int64_t begin, std::int64_t nx, bool value) {
  if (begin >= nx) return nx;
  const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
  std::size_t k = static_cast<std::size_t>(begin / 64);
  std::uint64_t word = (words[k] ^ flip) & (~std::uint64_t{0} << (begin % 64));
  while (word == 0) {
    if (++k == words.size()) return nx;
    word = words[k] ^ flip;
  }
  return std::min<std::int64_t>(static_cast<std::int64_t>(k) * 64 + std::countr_zero(word), nx);
}

void find_runs(const StripScratch& scratch, std::int64_t y, std::int64_t nx, Strip& strip) {
  std::int64_t found = 0;
  for (std::int64_t x0 = next_bit(scratch.flood, 0, nx, true); x0 < nx;) {
    const std::int64_t x1 = next_bit(scratch.flood, x0, nx, false);
    strip.run.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x0), static_cast<std::int32_t>(x1)});
    strip.seeded.push_back(any_bit(scratch.seed, x0, x1) ? 1 : 0);
    ++found;
    x0 = next_bit(scratch.flood, x1, nx, true);
  }
  strip.in_row.push_back(found);
}

}  // namespace

void PixelKeeper::take(const float* row, std::size_t first_run, Strip& strip) {
  if (room_ <= 0) return;
  std::int64_t taken = 0;
  for (std::size_t k = first_run; k < strip.run.size(); ++k) {
    strip.pixels.insert(strip.pixels.end(), row + strip.run[k].x0, row + strip.run[k].x1);
    taken += strip.run[k].x1 - strip.run[k].x0;
  }
  room_ -= taken;
}

void scan_row(const float* pixels, std::int64_t y, std::int64_t nx, const BackgroundRows& rows,
              const DetectOptions& options, PixelKeeper& keeper, StripScratch& scratch, Strip& strip) {
  scratch.flood.resize(static_cast<std::size_t>((nx + 63) / 64), 0);
  scratch.seed.resize(scratch.flood.size(), 0);
  const float* const mean = rows.mean_row(y, scratch.background);
  const float* const rms = rows.rms_row(y, scratch.background);
  threshold_row(pixels, mean, rms, nx, options, scratch);
  const std::size_t before = strip.run.size();
  find_runs(scratch, y, nx, strip);
  keeper.take(pixels, before, strip);
}

}  // namespace reber::cpu
