// SPDX-License-Identifier: BSD-3-Clause
// Placing and grouping of the sources of a list.
#include "core/studies/forced_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber::forced {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The list in the image's frame.
SkyList in_image(const SkyList& list, const Wcs& wcs) {
  if (const auto system = system_of(wcs)) return in_system(list, *system);
  if (list.frame == wcs.frame_name()) return list;
  throw InputError(fmt::format(
      "the image's positions are of the frame '{}', which is not known: the list's, {}, cannot be turned into it",
      printable(wcs.frame_name()), printable(list.frame)));
}

/// What is common to all targets.
struct Placing {
  const SkyList& list;
  const ImageHeader& header;
  const std::optional<Beam>& beam;
  std::optional<Covariance> beam_px;
  ForcedRequest::ShapeOf shape;
};

void set_shape(Target& target, std::size_t row, const Placing& p) {
  ForcedSource& source = target.source;
  const auto local = p.header.wcs.sky_per_pixel(source.x, source.y);
  if (p.beam_px) target.shape.fwhm2 = *p.beam_px;
  if (p.beam) source.major = p.beam->major_deg, source.minor = p.beam->minor_deg, source.pa = p.beam->pa_deg;
  if (p.shape == ForcedRequest::ShapeOf::catalogue && local) {
    const auto at = [&](const std::vector<double>& values) { return values.empty() ? kNan : values[row]; };
    const double major = at(p.list.major), pa = at(p.list.pa);
    const double minor = std::isfinite(at(p.list.minor)) ? at(p.list.minor) : major;
    constexpr double kNoSmaller = 0.999;
    const bool larger = !p.beam || major * minor >= kNoSmaller * p.beam->major_deg * p.beam->minor_deg;
    if (major > 0 && minor > 0 && larger) {
      source.major = major, source.minor = minor, source.pa = std::isfinite(pa) ? pa : 0;
      target.shape.fwhm2 = to_pixels(sky_covariance(major, minor, source.pa), *local);
      return;
    }
    source.flag |= kForcedBeamShape;
  }
  if (!p.beam_px)
    throw InputError(fmt::format("{} has no beam and source {} no shape: give --beam, or a list with sizes",
                                 p.header.path, p.list.name[row]));
}

}  // namespace

std::vector<Target> place(const SkyList& given, const ImageHeader& header, const BeamField& beams,
                          const std::optional<Covariance>& beam_px, ForcedRequest::ShapeOf shape,
                          const Progress& progress) {
  std::vector<Target> targets;
  const auto& wcs = header.wcs;
  const bool sky = !given.lon.empty() && wcs.celestial();
  const SkyList list = sky ? in_image(given, wcs) : given;
  if (!sky && list.x.empty())
    throw InputError(fmt::format("the list has no {} positions, which {} needs",
                                 wcs.celestial() ? "sky or pixel" : "pixel", header.path));
  for (std::size_t row = 0; row < static_cast<std::size_t>(list.rows); ++row) {
    progress.check();
    Target target;
    ForcedSource& s = target.source;
    s.row = static_cast<std::int64_t>(row);
    for (double* value : {&s.lon, &s.lat, &s.e_lon, &s.e_lat, &s.x, &s.y, &s.major, &s.minor, &s.pa, &s.peak, &s.e_peak,
                          &s.total, &s.e_total, &s.limit, &s.snr, &s.rms, &s.mean, &s.chi2})
      *value = kNan;
    if (sky && std::isfinite(list.lon[row])) {
      s.lon = list.lon[row], s.lat = list.lat[row];
      if (const auto at = wcs.to_pixel({s.lon, s.lat})) s.x = at->x, s.y = at->y;
      if (!std::isfinite(s.x)) s.flag |= kForcedOffImage;
    } else if (!sky && std::isfinite(list.x[row])) {
      s.x = list.x[row], s.y = list.y[row];
      if (const auto at = wcs.to_sky(s.x, s.y)) s.lon = at->lon_deg, s.lat = at->lat_deg;
    } else {
      s.flag |= kForcedNoPosition;
    }
    const auto nx = static_cast<double>(header.shape.nx), ny = static_cast<double>(header.shape.ny);
    if (std::isfinite(s.x)) {
      if (s.x >= -0.5 && s.y >= -0.5 && s.x < nx - 0.5 && s.y < ny - 0.5)
        target.measured = true;
      else
        s.flag |= kForcedOffImage;
    }
    if (target.measured) {
      const bool varies = beams.varies();
      const LocalBeam local = varies ? beams.at(s.x, s.y) : LocalBeam{};
      const std::optional<Beam> beam = varies ? local.sky : beams.nominal();
      set_shape(target, row, {list, header, beam, varies ? local.pixels : beam_px, shape});
      target.shape.peak = 1, target.shape.x = s.x, target.shape.y = s.y;
    }
    targets.push_back(target);
  }
  return targets;
}

// Connects sources that overlap; cells as wide as the widest reach keep that near-linear.
std::vector<std::vector<std::size_t>> group(const std::vector<Target>& targets, Shape shape, const Progress& progress) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::size_t> root(targets.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  double widest = 1;
  for (const Target& one : targets)
    if (one.measured) widest = std::max(widest, 2 * kOverlap * one.reach());
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> cells;
  const auto cell = [&](double v) { return static_cast<std::int64_t>(std::floor(v / widest)); };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    progress.check();
    if (!targets[i].measured) continue;
    const GaussianComponent& a = targets[i].shape;
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto near = cells.find({cell(a.y) + dy, cell(a.x) + dx});
        if (near == cells.end()) continue;
        for (const std::size_t k : near->second) {
          const GaussianComponent& b = targets[k].shape;
          if (std::hypot(a.x - b.x, a.y - b.y) > kOverlap * (targets[i].reach() + targets[k].reach())) continue;
          const std::size_t p = find(i), q = find(k);
          root[std::max(p, q)] = std::min(p, q);
        }
      }
    cells[{cell(a.y), cell(a.x)}].push_back(i);
  }
  std::map<std::size_t, std::vector<std::size_t>> by_root;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i].measured) by_root[find(i)].push_back(i);
  for (auto& [first, members] : by_root) groups.push_back(std::move(members));
  std::ranges::sort(groups, [&](const auto& a, const auto& b) {
    return std::pair(rows_of(targets, a, shape).first, a.front()) <
           std::pair(rows_of(targets, b, shape).first, b.front());
  });
  return groups;
}

std::vector<Site> merged(const std::vector<Site>& sites, double near) {
  constexpr double kOneShape = 0.01;
  const auto same_shape = [](const Covariance& a, const Covariance& b) {
    const double bound = kOneShape * std::max(a.xx, a.yy);
    return std::abs(a.xx - b.xx) <= bound && std::abs(a.xy - b.xy) <= bound && std::abs(a.yy - b.yy) <= bound;
  };
  double widest = 1;
  for (const Site& site : sites) widest = std::max(widest, near * site.reach());
  std::vector<Site> out;
  std::vector<GaussianComponent> firsts;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> cells;
  const auto cell = [&](double v) { return static_cast<std::int64_t>(std::floor(v / widest)); };
  const auto found_for = [&](const Site& site) -> std::optional<std::size_t> {
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto there = cells.find({cell(site.shape.y) + dy, cell(site.shape.x) + dx});
        if (there == cells.end()) continue;
        for (const std::size_t k : there->second)
          if (std::hypot(firsts[k].x - site.shape.x, firsts[k].y - site.shape.y) <= near * site.reach() &&
              same_shape(firsts[k].fwhm2, site.shape.fwhm2))
            return k;
      }
    return std::nullopt;
  };
  for (const Site& site : sites) {
    if (const auto k = found_for(site)) {
      Site& with = out[*k];
      const auto had = static_cast<double>(with.members.size()), more = static_cast<double>(site.members.size());
      with.shape.x = (had * with.shape.x + more * site.shape.x) / (had + more);
      with.shape.y = (had * with.shape.y + more * site.shape.y) / (had + more);
      with.members.insert(with.members.end(), site.members.begin(), site.members.end());
      continue;
    }
    cells[{cell(site.shape.y), cell(site.shape.x)}].push_back(out.size());
    firsts.push_back(site.shape);
    out.push_back(site);
  }
  return out;
}

std::pair<std::int64_t, std::int64_t> rows_of(const std::vector<Target>& targets, const std::vector<std::size_t>& group,
                                              Shape shape) {
  std::int64_t low = shape.ny, high = 0;
  for (const std::size_t i : group) {
    const double reach = targets[i].reach() + 2;
    low = std::min(low, static_cast<std::int64_t>(std::floor(targets[i].shape.y - reach)));
    high = std::max(high, static_cast<std::int64_t>(std::ceil(targets[i].shape.y + reach)) + 1);
  }
  return {std::clamp<std::int64_t>(low, 0, shape.ny), std::clamp<std::int64_t>(high, 0, shape.ny)};
}

}  // namespace reber::forced
