// SPDX-License-Identifier: BSD-3-Clause
// Bands first, then strips about the zones between them, then one numbering of all.
#include "kernels/banded/label.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace reber::banded {
namespace {

constexpr std::int64_t kFirstReach = 64, kGrowth = 4;  // rows of a strip beyond its zone

/// What one labelling of some rows gives.
struct Labelled {
  Rows rows, valid;  ///< of the plane; those with right values
  IslandGroup group;
  std::vector<Rows> reach;            ///< of each island, rows of the image
  std::vector<LabelRuns::Run> first;  ///< of each island, its first run
};

/// A zone between bands, and the strip about it.
struct Zone {
  Rows zone, strip;
  bool whole = false;  ///< whether the strip holds all islands of the zone
};

/// Takes the runs of so many islands.
void take(Labelled& found, LabelRuns runs, std::size_t count) {
  IslandGroup& group = found.group;
  group.rows = found.rows;
  group.runs = std::move(runs);
  found.reach.assign(count, Rows{-1, -1});
  found.first.resize(found.reach.size());
  group.label.assign(found.reach.size(), 0);
  for (const LabelRuns::Run& run : group.runs.runs) {
    const auto k = static_cast<std::size_t>(run.label - 1);
    if (found.reach[k].begin < 0) {
      found.reach[k].begin = run.y + found.rows.begin;
      found.first[k] = run;
    }
    found.reach[k].end = run.y + 1 + found.rows.begin;
  }
}
void take(Labelled& found, Backend& by, std::unique_ptr<IslandMap> map, const Job& job) {
  take(found, by.label_runs(*map, job), static_cast<std::size_t>(map->count()));
  found.group.by = &by;
  found.group.map = std::move(map);
}

void label_all(Members& members, const std::vector<Members::Task>& tasks, std::vector<Labelled>& found, std::int64_t nx,
               const Job& job) {
  members.share(
      tasks,
      [&](std::size_t k, Packed& to) {
        to.add(std::vector<std::size_t>{found[k].reach.size()});
        to.add(found[k].group.runs.runs);
      },
      [&](std::size_t k, Unpacked& from) {
        const std::size_t count = from.next<std::size_t>().at(0);
        take(found[k], {{found[k].rows.size(), nx}, from.next<LabelRuns::Run>()}, count);
      },
      job);
}

/// The work of one find_islands().
class BandedLabelling {
 public:
  BandedLabelling(const std::shared_ptr<Members>& members, const BandedPlane& plane, const BackgroundModel& background,
                  const DetectOptions& options, const Job& job)
      : members_(members), plane_(plane), background_(background), options_(options), job_(job) {}

  std::unique_ptr<BandedIslands> run() {
    std::vector<Rows> interiors = label_bands();
    std::vector<Zone> zones;
    for (const Rows& gap : gaps_between(interiors, ny())) zones.push_back({gap, {}});
    grow(zones);
    label_strips(zones);
    return joined();
  }

 private:
  [[nodiscard]] std::int64_t ny() const { return plane_.shape().ny; }

  /// The background of a band, and the rows that it is right for. Where cells are small, that of the cells that were
  /// measured with it: its member may have compared the pixels already.
  [[nodiscard]] BackgroundModel model_of(Rows band, Rows cells, Backend& by, const Job& job) const {
    if (cells.size() == 0) return model_for(background_, band, by, job);
    const Rows all = covering(background_.grid, cells, band);
    BackgroundModel model = model_for(background_, band, by, job, all);
    model.grid = clamped(std::move(model.grid), {cells.begin - all.begin, cells.end - all.begin});
    return model;
  }
  [[nodiscard]] Rows cells_of(Rows band) const {
    constexpr std::int64_t kEnough = 8;
    const Rows cells = cells_of_band(background_.grid, band, plane_.margin());
    return cells.size() >= kEnough ? cells : Rows{};
  }

  /// returns the rows of each band in which an island lies wholly where it does not touch their edges
  std::vector<Rows> label_bands() {
    std::vector<Rows> interiors;
    const std::vector<Rows> valid = plane_.valid_bands();
    std::vector<Labelled> found(plane_.bands().size());
    std::vector<Members::Task> tasks;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Rows band = plane_.bands()[k];
      const Rows cells = cells_of(band);
      const Rows right = cells.size() > 0 ? valid[k].with(rows_of_nodes(background_.grid, cells)) : valid[k];
      found[k].rows = band;
      found[k].valid = right;
      found[k].group.part = k;
      interiors.push_back(right.size() > 0 ? inside(right, 1, ny()) : Rows{});
      tasks.push_back({k, [this, &out = found[k], band, cells](Backend& by, const Job& own) {
                         const auto pixels = plane_.rows(by, band, own);
                         const BackgroundModel model = model_of(band, cells, by, own);
                         take(out, by, by.label(*pixels, model, options_, own), own);
                       }});
    }
    prepare(plane_.asked_bands());
    label_all(*members_, tasks, found, plane_.shape().nx, job_);
    for (std::size_t k = 0; k < found.size(); ++k)
      accept(std::move(found[k]), [&](Rows reach) { return interiors[k].holds(reach); });
    return interiors;
  }

  void prepare(const std::vector<Asked>& wanted) {
    plane_.prepare(wanted, job_);
    prepare_maps(background_, wanted, job_);
  }

  /// Labels the strips that `which` names, with these thresholds.
  std::vector<Labelled> label_some(const std::vector<Zone>& zones, const std::vector<std::size_t>& which,
                                   const DetectOptions& options) {
    std::vector<Labelled> found(which.size());
    std::vector<Members::Task> tasks;
    std::vector<Asked> wanted;
    for (std::size_t n = 0; n < which.size(); ++n) {
      found[n].rows = zones[which[n]].strip;
      found[n].valid = inside(found[n].rows, plane_.margin(), ny());
      found[n].group.part = which[n];
      wanted.push_back({found[n].rows, which[n]});
      tasks.push_back({which[n], [this, &out = found[n], &options](Backend& by, const Job& own) {
                         const auto pixels = plane_.rows(by, out.rows, own);
                         const BackgroundModel model = model_for(background_, out.rows, by, own);
                         take(out, by, by.label(*pixels, model, options, own), own);
                       }});
    }
    prepare(wanted);
    label_all(*members_, tasks, found, plane_.shape().nx, job_);
    return found;
  }

  /// Finds for each zone the strip that holds all that has pixels in it.
  void grow(std::vector<Zone>& zones) {
    const DetectOptions all{options_.flood, options_.flood, 1, options_.connectivity, options_.negative};
    std::int64_t reach = kFirstReach;
    for (std::vector<std::size_t> open(zones.size()); true; reach *= kGrowth) {
      open.clear();
      for (std::size_t z = 0; z < zones.size(); ++z) {
        if (zones[z].whole) continue;
        zones[z].strip = about(zones[z].zone, reach + plane_.margin(), ny());
        zones[z].whole = zones[z].strip == plane_.all();
        if (!zones[z].whole) open.push_back(z);
      }
      if (open.empty()) return;
      for (const Labelled& found : label_some(zones, open, all)) {
        Zone& zone = zones[found.group.part];
        const Rows interior = inside(found.valid, 1, ny());
        zone.whole = std::ranges::all_of(
            found.reach, [&](Rows rows) { return rows.with(zone.zone).size() == 0 || interior.holds(rows); });
      }
    }
  }

  void label_strips(const std::vector<Zone>& zones) {
    std::vector<std::size_t> every(zones.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    std::vector<Labelled> found = label_some(zones, every, options_);
    for (std::size_t z = 0; z < zones.size(); ++z)
      accept(std::move(found[z]), [&](Rows reach) {
        const bool before = z > 0 && reach.begin < zones[z - 1].zone.end;  // the zone before has it
        return !before && reach.with(zones[z].zone).size() > 0;
      });
  }

  template <class Wanted>
  void accept(Labelled found, const Wanted& wanted) {
    const auto from = static_cast<std::int32_t>(found.rows.begin);
    for (std::size_t k = 0; k < found.reach.size(); ++k) {
      if (!wanted(found.reach[k])) continue;
      Rows& reach = found.group.reach;
      const Rows own{found.reach[k].begin - from, found.reach[k].end - from};
      reach = reach.size() == 0 ? own : Rows{std::min(reach.begin, own.begin), std::max(reach.end, own.end)};
      numbered_.push_back({found.first[k].y + from, found.first[k].x0, groups_.size(), k});
    }
    groups_.push_back(std::move(found.group));
  }

  std::unique_ptr<BandedIslands> joined() {
    std::ranges::sort(numbered_, [](const First& a, const First& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    std::int32_t number = 0;
    for (const First& one : numbered_) groups_[one.group].label[one.island] = ++number;
    return std::make_unique<BandedIslands>(members_, plane_.shape(), options_, number, std::move(groups_));
  }

  /// Where an island begins.
  struct First {
    std::int32_t y, x;
    std::size_t group, island;
  };

  const std::shared_ptr<Members>& members_;
  const BandedPlane& plane_;
  const BackgroundModel& background_;
  const DetectOptions& options_;
  const Job& job_;
  std::vector<IslandGroup> groups_;
  std::vector<First> numbered_;
};

}  // namespace

std::unique_ptr<BandedIslands> find_islands(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                            const BackgroundModel& background, const DetectOptions& options,
                                            const Job& job) {
  return BandedLabelling(members, plane, background, options, job).run();
}

}  // namespace reber::banded
