// SPDX-License-Identifier: BSD-3-Clause
// Islands by groups: who has which, their sums and pixels.
#include "kernels/banded/islands.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace reber::banded {
namespace {

std::shared_ptr<const LabelRuns> joined(Shape shape, const std::vector<IslandGroup>& groups) {
  auto all = std::make_shared<LabelRuns>();
  all->shape = shape;
  for (const IslandGroup& group : groups)
    for (const LabelRuns::Run& run : group.runs.runs) {
      const std::int32_t label = group.label[static_cast<std::size_t>(run.label - 1)];
      if (label == 0) continue;
      const auto y = static_cast<std::int32_t>(run.y + group.rows.begin);
      all->runs.push_back({y, run.x0, run.x1, label});
    }
  const auto raster = [](const LabelRuns::Run& a, const LabelRuns::Run& b) {
    return a.y != b.y ? a.y < b.y : a.x0 < b.x0;
  };
  if (!std::ranges::is_sorted(all->runs, raster)) std::ranges::sort(all->runs, raster);
  return all;
}

/// The map of a group on the member that has it now.
const IslandMap& map_on(Backend& by, IslandGroup& group, const DetectOptions& options, const Job& job) {
  if (!group.map || group.by != &by) {
    group.map = by.islands_of(group.runs, options, job);
    group.by = &by;
  }
  return *group.map;
}

/// Islands by groups whose pixels all have right values in the plane: these, or the same dealt anew into `anew`.
const BandedIslands& suited(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                            const BandedIslands& islands, std::unique_ptr<BandedIslands>& anew) {
  const std::int64_t ny = islands.shape().ny;
  const auto right = [&](const IslandGroup& group) {
    const Rows valid = inside(group.rows, plane.margin(), ny);
    return group.reach.size() == 0 ||
           valid.holds({group.reach.begin + group.rows.begin, group.reach.end + group.rows.begin});
  };
  if (plane.margin() == 0 || std::ranges::all_of(islands.groups(), right)) return islands;
  anew = islands_of_runs(members, *islands.runs(), islands.count(), islands.options(), plane.margin());
  return *anew;
}

/// Calls body(group, member, plane, model, job) for all groups, those of different members side by side.
template <class Body>
void for_each_group(Members& members, const BandedPlane& plane, const BackgroundModel& background,
                    const BandedIslands& islands, const Job& job, const Body& body) {
  std::vector<Asked> wanted;
  std::vector<Members::Task> tasks;
  for (IslandGroup& group : islands.groups()) {
    if (group.reach.size() == 0) continue;
    wanted.push_back({group.rows, group.part});
    tasks.push_back({group.part, [&](Backend& by, const Job& own) {
                       const auto pixels = plane.rows(by, group.rows, own);
                       const BackgroundModel model = model_for(background, group.rows, by, own);
                       body(group, by, *pixels, model, map_on(by, group, islands.options(), own), own);
                     }});
  }
  plane.prepare(wanted, job);
  prepare_maps(background, wanted, job);
  members.run(tasks, job);
}

/// Of each label the rows that it reaches; labels from 1 on.
std::vector<Rows> reaches_of(const LabelRuns& runs, std::int64_t count) {
  std::vector<Rows> reach(static_cast<std::size_t>(count), Rows{-1, -1});
  for (const LabelRuns::Run& run : runs.runs) {
    Rows& rows = reach[static_cast<std::size_t>(run.label - 1)];
    if (rows.begin < 0) rows.begin = run.y;
    rows.end = run.y + 1;
  }
  return reach;
}

/// A group of these islands of the image, numbered anew.
IslandGroup group_of(const LabelRuns& runs, const std::vector<std::int32_t>& number, std::int32_t wanted, Rows rows,
                     std::size_t part) {
  IslandGroup group;
  group.part = part;
  group.rows = rows;
  group.runs.shape = {rows.size(), runs.shape.nx};
  std::vector<std::int32_t> own(number.size(), 0);
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (number[k] != wanted) continue;
    group.label.push_back(static_cast<std::int32_t>(k + 1));
    own[k] = static_cast<std::int32_t>(group.label.size());
  }
  for (const LabelRuns::Run& run : runs.runs) {
    const std::int32_t label = own[static_cast<std::size_t>(run.label - 1)];
    if (label == 0) continue;
    const auto y = static_cast<std::int32_t>(run.y - rows.begin);
    if (group.reach.size() == 0) group.reach.begin = y;
    group.reach.end = y + 1;
    group.runs.runs.push_back({y, run.x0, run.x1, label});
  }
  return group;
}

}  // namespace

BandedIslands::BandedIslands(std::shared_ptr<Members> members, Shape image, const DetectOptions& options,
                             std::int64_t islands, std::vector<IslandGroup> groups)
    : members_(std::move(members)),
      shape_(image),
      options_(options),
      count_(islands),
      groups_(std::move(groups)),
      runs_(joined(image, groups_)) {}

std::unique_ptr<BandedIslands> islands_of_runs(const std::shared_ptr<Members>& members, const LabelRuns& runs,
                                               std::int64_t count, const DetectOptions& options, std::int64_t margin) {
  const std::int64_t ny = runs.shape.ny;
  const std::vector<Rows> bands = bands_of(runs.shape, members->shares());
  const std::vector<Rows> reach = reaches_of(runs, count);
  std::vector<Rows> places = bands, across;
  std::vector<std::int32_t> number(reach.size(), -1);
  for (std::size_t k = 0; k < reach.size(); ++k) {
    for (std::size_t b = 0; b < bands.size(); ++b)
      if (inside(bands[b], margin, ny).holds(reach[k])) number[k] = static_cast<std::int32_t>(b);
    if (number[k] < 0) across.push_back(reach[k]);
  }
  // Those that no band holds, in as few pieces of the image as have no row in common.
  std::ranges::sort(across, {}, &Rows::begin);
  std::vector<Rows> joined;
  for (const Rows& rows : across) {
    if (joined.empty() || rows.begin > joined.back().end)
      joined.push_back(rows);
    else
      joined.back().end = std::max(joined.back().end, rows.end);
  }
  for (const Rows& rows : joined) places.push_back(about(rows, margin, ny));
  for (std::size_t k = 0; k < reach.size(); ++k)
    for (std::size_t j = 0; number[k] < 0 && j < joined.size(); ++j)
      if (joined[j].holds(reach[k])) number[k] = static_cast<std::int32_t>(bands.size() + j);
  std::vector<IslandGroup> groups;
  for (std::size_t place = 0; place < places.size(); ++place)
    groups.push_back(group_of(runs, number, static_cast<std::int32_t>(place), places[place], place));
  return std::make_unique<BandedIslands>(members, runs.shape, options, count, std::move(groups));
}

std::vector<IslandSums> measure_islands(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                        const BackgroundModel& background, const BandedIslands& given, const Job& job) {
  std::unique_ptr<BandedIslands> anew;
  const BandedIslands& islands = suited(members, plane, given, anew);
  std::vector<IslandSums> all(static_cast<std::size_t>(islands.count()));
  for_each_group(*members, plane, background, islands, job,
                 [&](IslandGroup& group, Backend& by, const Plane& pixels, const BackgroundModel& model,
                     const IslandMap& map, const Job& own) {
                   const std::vector<IslandSums> sums = by.measure(pixels, model, map, own);
                   const auto first = static_cast<std::int32_t>(group.rows.begin);
                   for (std::size_t k = 0; k < sums.size(); ++k) {
                     if (group.label[k] == 0) continue;
                     IslandSums& to = all[static_cast<std::size_t>(group.label[k] - 1)];
                     to = sums[k];
                     to.first_y += first, to.y0 += first, to.y1 += first, to.peak_y += first;
                   }
                 });
  return all;
}

IslandPixels gather_pixels(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                           const BackgroundModel& background, const BandedIslands& given, std::int64_t min_pixels,
                           const Job& job) {
  std::unique_ptr<BandedIslands> anew;
  const BandedIslands& islands = suited(members, plane, given, anew);
  std::vector<IslandPixels> each(islands.groups().size());
  for_each_group(*members, plane, background, islands, job,
                 [&](IslandGroup& group, Backend& by, const Plane& pixels, const BackgroundModel& model,
                     const IslandMap& map, const Job& own) {
                   each[static_cast<std::size_t>(&group - islands.groups().data())] =
                       by.island_pixels(pixels, model, map, min_pixels, own);
                 });
  /// Where the pixels of an island are.
  struct Place {
    std::int32_t label;
    std::size_t group, entry;
  };
  std::vector<Place> places;
  for (std::size_t g = 0; g < each.size(); ++g)
    for (std::size_t k = 0; k < each[g].label.size(); ++k)
      if (const std::int32_t label = islands.groups()[g].label[static_cast<std::size_t>(each[g].label[k] - 1)])
        places.push_back({label, g, k});
  std::ranges::sort(places, {}, &Place::label);
  IslandPixels all;
  for (const auto& [label, g, entry] : places) {
    const IslandPixels& from = each[g];
    const auto begin = from.first[entry], end = from.first[entry + 1];
    const auto append = [&](auto& to, const auto& values) {
      to.insert(to.end(), values.begin() + begin, values.begin() + end);
    };
    all.label.push_back(label);
    append(all.x, from.x), append(all.pixel, from.pixel), append(all.mean, from.mean), append(all.rms, from.rms);
    for (auto k = begin; k < end; ++k)
      all.y.push_back(from.y[static_cast<std::size_t>(k)] + static_cast<std::int32_t>(islands.groups()[g].rows.begin));
    all.first.push_back(static_cast<std::int64_t>(all.x.size()));
  }
  return all;
}

LabelRuns clipped(const LabelRuns& runs, Rows rows) {
  LabelRuns some{{rows.size(), runs.shape.nx}, {}};
  auto run = std::ranges::lower_bound(runs.runs, rows.begin, {}, &LabelRuns::Run::y);
  for (; run != runs.runs.end() && run->y < rows.end; ++run)
    some.runs.push_back({static_cast<std::int32_t>(run->y - rows.begin), run->x0, run->x1, 1});
  return some;
}

void draw_labels(const LabelRuns& runs, const Rect& where, std::int32_t* out) {
  std::fill_n(out, where.shape().count(), 0);
  auto run = std::ranges::lower_bound(runs.runs, where.y0, {}, &LabelRuns::Run::y);
  for (; run != runs.runs.end() && run->y < where.y0 + where.ny; ++run) {
    const std::int64_t begin = std::max<std::int64_t>(run->x0 - where.x0, 0);
    const std::int64_t end = std::min<std::int64_t>(run->x1 - where.x0, where.nx);
    if (begin < end)
      std::fill(out + (run->y - where.y0) * where.nx + begin, out + (run->y - where.y0) * where.nx + end, run->label);
  }
}

}  // namespace reber::banded
