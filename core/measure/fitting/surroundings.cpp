// SPDX-License-Identifier: BSD-3-Clause
// Squared distances of the pixels of a rectangle from an island and from all others, exact in whole numbers.
#include "core/measure/fitting/surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>

namespace reber {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 24;
constexpr std::int32_t kFar = std::int32_t{1} << 30;  // the square of no distance

struct IslandRun {
  std::int32_t y, x0, x1;
  std::size_t island;  ///< entry
};

/// A rectangle of the image around an island.
struct Box {
  std::int64_t x0, y0, x1, y1;
  [[nodiscard]] std::int64_t nx() const { return x1 - x0; }
  [[nodiscard]] std::int64_t ny() const { return y1 - y0; }
};

/// Twice the reach around the island: another one beyond that is nearer to no pixel within reach.
Box box_of(const IslandPixels& islands, const Surrounding& one, Shape image) {
  const auto first = islands.first[one.island], last = islands.first[one.island + 1];
  const auto [left, right] = std::minmax_element(islands.x.begin() + first, islands.x.begin() + last);
  const auto around = static_cast<std::int64_t>(std::ceil(2 * one.reach_px)) + 1;
  return {std::max<std::int64_t>(*left - around, 0),
          std::max<std::int64_t>(islands.y[static_cast<std::size_t>(first)] - around, 0),
          std::min<std::int64_t>(*right + 1 + around, image.nx),
          std::min<std::int64_t>(islands.y[static_cast<std::size_t>(last) - 1] + 1 + around, image.ny)};
}

/// Runs of islands on the rows that boxes lie on, by rows.
class RunsByRow {
 public:
  RunsByRow(const IslandPixels& islands, const std::vector<Box>& boxes, std::int64_t ny)
      : first_(static_cast<std::size_t>(ny + 1)) {
    std::vector<std::uint8_t> wanted(static_cast<std::size_t>(ny));
    for (const Box& box : boxes) std::fill(wanted.begin() + box.y0, wanted.begin() + box.y1, std::uint8_t{1});
    for (std::size_t k = 0; k < islands.label.size(); ++k) add_runs(islands, k, wanted);
    std::ranges::stable_sort(runs_, {}, &IslandRun::y);
    for (const IslandRun& run : runs_) ++first_[static_cast<std::size_t>(run.y) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  /// Of the rows [y0, y1), which a box has.
  [[nodiscard]] std::span<const IslandRun> of_rows(std::int64_t y0, std::int64_t y1) const {
    const std::size_t first = first_[static_cast<std::size_t>(y0)];
    return std::span(runs_).subspan(first, first_[static_cast<std::size_t>(y1)] - first);
  }

 private:
  void add_runs(const IslandPixels& islands, std::size_t k, const std::vector<std::uint8_t>& wanted) {
    for (auto p = static_cast<std::size_t>(islands.first[k]), end = static_cast<std::size_t>(islands.first[k + 1]);
         p < end;) {
      std::size_t last = p + 1;
      while (last < end && islands.y[last] == islands.y[p] && islands.x[last] == islands.x[last - 1] + 1) ++last;
      if (wanted[static_cast<std::size_t>(islands.y[p])] != 0)
        runs_.push_back({islands.y[p], islands.x[p], islands.x[last - 1] + 1, k});
      p = last;
    }
  }

  std::vector<IslandRun> runs_;
  std::vector<std::size_t> first_;  ///< of each row
};

/// In place, along a row: the least of values[j] + (i - j)^2 over j, by the lower envelope of these parabolas
/// (Felzenszwalb & Huttenlocher 2012). Those that stand above `most` are left out: what is no farther stays exact.
class Envelope {
 public:
  void operator()(std::int32_t* values, std::int64_t count, std::int64_t most) {
    feet_.clear(), from_.clear(), heights_.clear();
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t height = values[j];
      if (height > most) continue;
      std::int64_t begins = 0;
      while (!feet_.empty()) {
        begins = overtakes(j, height);
        if (begins > from_.back()) break;
        feet_.pop_back(), from_.pop_back(), heights_.pop_back();
        begins = 0;
      }
      if (!feet_.empty() && begins >= count) continue;
      feet_.push_back(j), from_.push_back(begins), heights_.push_back(height);
    }
    std::size_t at = 0;
    for (std::int64_t i = 0; i < count && !feet_.empty(); ++i) {
      while (at + 1 < feet_.size() && from_[at + 1] <= i) ++at;
      const std::int64_t square = heights_[at] + (i - feet_[at]) * (i - feet_[at]);
      values[i] = static_cast<std::int32_t>(std::min<std::int64_t>(square, kFar));
    }
  }

 private:
  /// The first place where the parabola of foot j is not above the last one kept.
  [[nodiscard]] std::int64_t overtakes(std::int64_t j, std::int64_t height) const {
    const std::int64_t k = feet_.back();
    const std::int64_t above = (height + j * j) - (heights_.back() + k * k), twice = 2 * (j - k);
    return above <= 0 ? 0 : (above + twice - 1) / twice;
  }
  std::vector<std::int64_t> feet_, from_, heights_;
};

/// Squared distance of each pixel of a rectangle from the nearest one that is marked 0; the others are kFar before.
/// Distances above the root of `most` may come out larger, up to kFar.
void distances(std::vector<std::int32_t>& squares, const Box& box, std::int64_t most) {
  // Steps up and down first, whole rows at a time.
  const std::int64_t nx = box.nx(), ny = box.ny();
  constexpr std::int32_t kMostSteps = 1 << 15;  // their square is kFar
  std::int32_t* steps = squares.data();
  for (std::int64_t x = 0; x < nx; ++x) steps[x] = steps[x] == 0 ? 0 : kMostSteps;
  for (std::int64_t y = 1; y < ny; ++y) {
    std::int32_t *row = steps + y * nx, *above = row - nx;
    for (std::int64_t x = 0; x < nx; ++x) row[x] = row[x] == 0 ? 0 : std::min(above[x] + 1, kMostSteps);
  }
  for (std::int64_t y = ny - 2; y >= 0; --y) {
    std::int32_t *row = steps + y * nx, *below = row + nx;
    for (std::int64_t x = 0; x < nx; ++x) row[x] = std::min(row[x], below[x] + 1);
  }
  for (std::int64_t at = 0; at < nx * ny; ++at) squares[at] *= squares[at];
  Envelope envelope;
  for (std::int64_t y = 0; y < ny; ++y) envelope(squares.data() + y * nx, nx, most);
}

std::vector<std::int32_t> distances_of(bool own, const Surrounding& one, const Box& box, const RunsByRow& runs) {
  std::vector<std::int32_t> squares(static_cast<std::size_t>(box.nx() * box.ny()), kFar);
  bool any = false;
  for (const IslandRun& run : runs.of_rows(box.y0, box.y1)) {
    if ((run.island == one.island) != own) continue;
    for (std::int64_t x = std::max<std::int64_t>(run.x0, box.x0); x < std::min<std::int64_t>(run.x1, box.x1); ++x) {
      squares[static_cast<std::size_t>((run.y - box.y0) * box.nx() + x - box.x0)] = 0;
      any = true;
    }
  }
  if (any) distances(squares, box, static_cast<std::int64_t>(one.reach_px * one.reach_px));
  return squares;
}

/// Runs of the pixels around an island.
void add_surrounding(const Surrounding& one, const Box& box, const RunsByRow& runs, std::vector<IslandRun>& to) {
  const std::vector<std::int32_t> own = distances_of(true, one, box, runs),
                                  others = distances_of(false, one, box, runs);
  const double most = one.reach_px * one.reach_px;
  for (std::int64_t y = 0; y < box.ny(); ++y)
    for (std::int64_t x = 0; x < box.nx();) {
      const auto wanted = [&](std::int64_t at) {
        const auto i = static_cast<std::size_t>(y * box.nx() + at);
        return own[i] > 0 && others[i] > own[i] && static_cast<double>(own[i]) <= most;
      };
      std::int64_t end = x;
      while (end < box.nx() && wanted(end)) ++end;
      if (end > x)
        to.push_back({static_cast<std::int32_t>(box.y0 + y), static_cast<std::int32_t>(box.x0 + x),
                      static_cast<std::int32_t>(box.x0 + end), one.island});
      x = end + 1;
    }
}

}  // namespace

MarginRuns surrounding_runs(const IslandPixels& islands, const std::vector<Surrounding>& wanted, Shape image,
                            ThreadPool& pool) {
  MarginRuns made{{image, {}}, {}};
  if (wanted.empty()) return made;
  std::vector<Box> boxes;
  for (const Surrounding& one : wanted) boxes.push_back(box_of(islands, one, image));
  const RunsByRow runs(islands, boxes, image.ny);
  std::vector<std::vector<IslandRun>> each(wanted.size());
  pool.for_each(std::ssize(wanted), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    if (boxes[k].nx() * boxes[k].ny() <= kMostPixels) add_surrounding(wanted[k], boxes[k], runs, each[k]);
  });
  std::vector<IslandRun> around;
  for (const std::vector<IslandRun>& its : each) around.insert(around.end(), its.begin(), its.end());
  std::ranges::sort(around, {}, [](const IslandRun& run) { return std::tuple(run.y, run.x0); });
  std::vector<std::int32_t> number(islands.label.size(), 0);
  for (const IslandRun& run : around) {
    if (number[run.island] == 0) {
      made.island.push_back(islands.label[run.island]);
      number[run.island] = static_cast<std::int32_t>(made.island.size());
    }
    made.runs.runs.push_back({run.y, run.x0, run.x1, number[run.island]});
  }
  return made;
}

std::vector<double> distances_from(const FitPixels& island, const FitPixels& around) {
  Box box{island.x.front(), island.y.front(), island.x.front() + 1, island.y.front() + 1};
  for (const FitPixels* pixels : {&island, &around})
    for (std::size_t i = 0; i < pixels->x.size(); ++i) {
      box.x0 = std::min<std::int64_t>(box.x0, pixels->x[i]), box.x1 = std::max<std::int64_t>(box.x1, pixels->x[i] + 1);
      box.y0 = std::min<std::int64_t>(box.y0, pixels->y[i]), box.y1 = std::max<std::int64_t>(box.y1, pixels->y[i] + 1);
    }
  std::vector<std::int32_t> squares(static_cast<std::size_t>(box.nx() * box.ny()), kFar);
  const auto at = [&](const FitPixels& pixels, std::size_t i) {
    return static_cast<std::size_t>((pixels.y[i] - box.y0) * box.nx() + pixels.x[i] - box.x0);
  };
  for (std::size_t i = 0; i < island.x.size(); ++i) squares[at(island, i)] = 0;
  distances(squares, box, kFar - 1);
  std::vector<double> from(around.x.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::sqrt(static_cast<double>(squares[at(around, i)]));
  return from;
}

}  // namespace reber
