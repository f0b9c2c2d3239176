// SPDX-License-Identifier: BSD-3-Clause
// Runs of channels, joined row by row.
#include "core/run/cube/line_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/step_words.hpp"

namespace reber {
namespace {

constexpr std::int64_t kW = Strip::kPixels;
/// New runs after which regions of noise are dropped.
constexpr std::size_t kPruneAfter = std::size_t{4} << 20;

}  // namespace

MaskRule MaskRule::parse(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : split_commas(text)) numbers.push_back(whole_number(word).value_or(-1));
  const auto channels = [](double n) { return n >= 1 && n <= 1000 && n == std::floor(n); };
  if (numbers.size() != 4 || !(numbers[0] > 0) || !channels(numbers[1]) || !(numbers[2] > 0) || !channels(numbers[3]))
    throw InputError(
        fmt::format("step mask '{}': expected HIGH,CHANNELS,LOW,CHANNELS, such as 4,2,2,2: above 4 sigma over "
                    "2 channels, grown to where it is above 2 sigma over 2 channels",
                    printable(text)));
  const MaskRule rule{numbers[0], static_cast<int>(numbers[1]), numbers[2], static_cast<int>(numbers[3])};
  if (rule.low_sigma > rule.high_sigma || rule.low_channels > rule.high_channels)
    throw InputError(
        fmt::format("step mask '{}': the mask grows from high voxels to low ones: neither number of the low "
                    "rule may be above that of the high one",
                    printable(text)));
  return rule;
}

LineMask::LineMask(const MaskRule& rule, Shape shape, std::int64_t planes)
    : rule_(rule), shape_(shape), planes_(planes) {
  if (planes > 65535) throw InputError(fmt::format("step mask: {} planes are more than 65535", planes));
}

void LineMask::add(const Strip& strip, const Band& band, const ChannelNoise& noise) {
  Found* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    found = &waiting_[band.index];
  }
  found->y0 = band.y0;
  found->rows.resize(static_cast<std::size_t>(band.ny));
  found->high.resize(static_cast<std::size_t>(band.ny));
  constexpr auto kCount = static_cast<std::size_t>(kW);
  std::array<float, kCount> map{};
  noise.map(strip.first, strip.pixels, map.data());
  std::array<unsigned char, kCount> low{}, high{}, flag{};
  std::array<std::int32_t, kCount> lows{}, highs{};
  const auto end_run = [&](std::size_t x, std::int64_t k) {
    if (lows[x] >= rule_.low_channels) {
      const std::int64_t at = strip.first + static_cast<std::int64_t>(x);
      const auto row = static_cast<std::size_t>(at / shape_.nx - band.y0);
      found->rows[row].push_back({static_cast<std::uint32_t>(at % shape_.nx), static_cast<std::uint16_t>(k - lows[x]),
                                  static_cast<std::uint16_t>(k - 1)});
      found->high[row].push_back(flag[x]);
    }
    lows[x] = highs[x] = 0;
    flag[x] = 0;
  };
  for (std::int64_t k = 0; k < strip.planes; ++k) {
    const float* const row = strip.plane(k);
    const double s = noise.planes()[static_cast<std::size_t>(k)];
    const double low_at = rule_.low_sigma * s, high_at = rule_.high_sigma * s;
    for (std::size_t x = 0; x < kCount; ++x) {
      const auto v = static_cast<double>(row[x]), m = static_cast<double>(map[x]);
      low[x] = static_cast<unsigned char>(v > low_at * m);
      high[x] = static_cast<unsigned char>(v > high_at * m);
    }
    for (std::size_t x8 = 0; x8 < kCount; x8 += 8) {
      std::uint64_t any = 0;
      std::memcpy(&any, low.data() + x8, sizeof any);
      std::int32_t active = 0;
      for (std::size_t x = x8; x < x8 + 8; ++x) active |= lows[x];
      if (any == 0 && active == 0) continue;
      for (std::size_t x = x8; x < x8 + 8; ++x) {
        if (low[x] == 0) {
          if (lows[x] > 0) end_run(x, k);
          continue;
        }
        ++lows[x];
        highs[x] = high[x] != 0 ? highs[x] + 1 : 0;
        if (highs[x] >= rule_.high_channels) flag[x] = 1;
      }
    }
  }
  for (std::size_t x = 0; x < static_cast<std::size_t>(strip.pixels); ++x) end_run(x, strip.planes);
}

void LineMask::band_done(const Band& band) {
  const std::lock_guard lock(mutex_);
  waiting_[band.index].y0 = band.y0;
  waiting_[band.index].rows.resize(static_cast<std::size_t>(band.ny));
  waiting_[band.index].high.resize(static_cast<std::size_t>(band.ny));
  done_.insert(band.index);
  while (done_.contains(next_)) {
    Found& found = waiting_[next_];
    for (std::size_t row = 0; row < found.rows.size(); ++row) add_row(found.rows[row], found.high[row]);
    waiting_.erase(next_);
    done_.erase(next_++);
  }
}

/// Runs come plane by plane; they are put in the order of their columns.
void LineMask::add_row(const std::vector<Run>& runs, const std::vector<unsigned char>& high) {
  std::vector<std::uint32_t> order(runs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return runs[a].x != runs[b].x ? runs[a].x < runs[b].x : runs[a].from < runs[b].from;
  });
  const std::size_t from = runs_.size(), above = rows_.size() > 1 ? rows_[rows_.size() - 2] : 0;
  for (const std::uint32_t i : order) {
    parent_.push_back(static_cast<std::uint32_t>(runs_.size()));
    runs_.push_back(runs[i]);
    high_.push_back(high[i]);
  }
  rows_.push_back(runs_.size());
  join_row(from, above);
  if (runs_.size() - pruned_ > kPruneAfter) prune(false);
}

/// Joins the runs from `from` on with those of the pixel to the left, and with those of the row above.
void LineMask::join_row(std::size_t from, std::size_t above) {
  const auto join_with = [&](std::size_t begin, std::size_t end, std::uint32_t shift) {
    std::size_t b = begin;
    for (std::size_t a = from; a < runs_.size(); ++a) {
      const Run& own = runs_[a];
      const auto before = [&](const Run& other) {
        return other.x + shift != own.x ? other.x + shift < own.x : other.to < own.from;
      };
      while (b < end && before(runs_[b])) ++b;
      for (std::size_t c = b; c < end && runs_[c].x + shift == own.x && runs_[c].from <= own.to; ++c)
        join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(c));
    }
  };
  join_with(from, runs_.size(), 1);
  join_with(above, from, 0);
}

std::uint32_t LineMask::root(std::uint32_t i) {
  while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
  return i;
}

void LineMask::join(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  const std::uint32_t first = std::min(a, b), second = std::max(a, b);
  parent_[second] = first;
  high_[first] = static_cast<unsigned char>(high_[first] | high_[second]);
}

/// Drops the runs of regions that have no high voxel and cannot get one: those that do not reach the last row, or all.
void LineMask::prune(bool all) {
  const std::size_t last = all ? runs_.size() : rows_[rows_.size() - 2];
  std::vector<std::uint32_t> roots(runs_.size()), now(runs_.size());
  std::vector<unsigned char> stays = high_;
  for (std::size_t i = 0; i < runs_.size(); ++i) roots[i] = root(static_cast<std::uint32_t>(i));
  for (std::size_t i = last; i < runs_.size(); ++i) stays[roots[i]] = 1;
  const std::vector<unsigned char> high = high_;
  std::size_t kept = 0, row = 1;
  for (std::size_t i = 0; i <= runs_.size(); ++i) {
    while (row < rows_.size() && rows_[row] == i) rows_[row++] = kept;
    if (i == runs_.size() || stays[roots[i]] == 0) continue;
    // A root is the first run of its region, so its new place is known.
    now[i] = static_cast<std::uint32_t>(kept);
    runs_[kept] = runs_[i];
    high_[kept] = high[roots[i]];
    parent_[kept++] = now[roots[i]];
  }
  runs_.resize(kept);
  parent_.resize(kept);
  high_.resize(kept);
  pruned_ = kept;
}

void LineMask::finish() {
  prune(true);
  runs_.shrink_to_fit();
  parent_ = {};
  high_ = {};
}

void LineMask::keep(const Strip& from, Strip& to) const {
  std::int64_t y = from.first / shape_.nx, x = from.first % shape_.nx;
  for (std::int64_t done = 0; done < from.pixels; ++y, x = 0) {
    const std::int64_t end = std::min(shape_.nx, x + from.pixels - done);
    const auto begin_row = runs_.begin() + static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(y)]);
    const auto end_row = runs_.begin() + static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(y) + 1]);
    auto run = std::lower_bound(begin_row, end_row, x, [](const Run& r, std::int64_t column) {
      return static_cast<std::int64_t>(r.x) < column;
    });
    for (; run != end_row && static_cast<std::int64_t>(run->x) < end; ++run)
      for (std::int64_t k = run->from; k <= run->to; ++k) {
        const std::int64_t at = done + static_cast<std::int64_t>(run->x) - x;
        to.plane(k)[at] = from.plane(k)[at];
      }
    done += end - x;
  }
}

std::int64_t LineMask::voxels() const {
  std::int64_t sum = 0;
  for (const Run& run : runs_) sum += run.to - run.from + 1;
  return sum;
}

}  // namespace reber
