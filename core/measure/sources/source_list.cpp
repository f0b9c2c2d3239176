// SPDX-License-Identifier: BSD-3-Clause
// Island by island: values of its pixels, groups of its Gaussians, and what several Gaussians are as one source.
#include "core/measure/sources/source_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/thread_pool.hpp"
#include "core/measure/sources/island_values.hpp"
#include "core/measure/sources/source_groups.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Gaussians [first, first + count) of the list.
struct Part {
  std::int64_t label = 0, first = 0, count = 0;
};

std::vector<Part> parts_of(std::span<const Source> gaussians) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    if (parts.empty() || parts.back().label != gaussians[i].island)
      parts.push_back({gaussians[i].island, static_cast<std::int64_t>(i), 0});
    ++parts.back().count;
  }
  return parts;
}

/// Relative errors of peak and axes (Condon 1997, eqs. 20, 21, 41 with PyBDSF's exponents) for noise of this rms.
struct Condon {
  double major = kNan, minor = kNan, pa_deg = kNan;
  Condon(double a, double b, double peak, double rms, const Beam& beam) {
    const double points = beam.major_deg * beam.minor_deg;
    const double rho = std::sqrt(a * b / (4 * points)) * std::abs(peak) / rms;
    const double of_a = 1 + points / (a * a), of_b = 1 + points / (b * b);
    major = std::numbers::sqrt2 / (rho * std::pow(of_a, 1.25) * std::pow(of_b, 0.25));
    minor = std::numbers::sqrt2 / (rho * std::pow(of_a, 0.25) * std::pow(of_b, 1.25));
    const double angle = 2 * a * b / ((a * a - b * b) * rho * std::pow(of_a, 0.25) * std::pow(of_b, 1.25));
    pa_deg = std::min(90.0, angle * 180 / std::numbers::pi);
  }
};

void set_errors(GroupedSource& made, double rms, const std::optional<Beam>& beam) {
  Source& s = made.values;
  for (double Source::*one : {&Source::e_major_deg, &Source::e_minor_deg, &Source::e_pa_deg, &Source::e_ra,
                              &Source::e_dec, &Source::e_dc_major_deg, &Source::e_dc_minor_deg, &Source::e_dc_pa_deg})
    s.*one = kNan;
  if (!beam) return;
  const Condon relative(s.major_deg, s.minor_deg, s.peak, rms, *beam);
  s.e_dc_major_deg = s.e_major_deg = relative.major * s.major_deg;
  s.e_dc_minor_deg = s.e_minor_deg = relative.minor * s.minor_deg;
  s.e_dc_pa_deg = s.e_pa_deg = relative.pa_deg;
  const double per_fwhm = 1 / std::sqrt(8 * std::numbers::ln2), pa = s.pa_deg * std::numbers::pi / 180;
  const double along = s.e_major_deg * per_fwhm, across = s.e_minor_deg * per_fwhm;
  s.e_ra = std::hypot(along * std::sin(pa), across * std::cos(pa));
  s.e_dec = std::hypot(along * std::cos(pa), across * std::sin(pa));
}

void set_shape(GroupedSource& made, const ModelMoments& moments, double rms, const Wcs& wcs,
               const std::optional<Beam>& beam) {
  Source& s = made.values;
  s.x = moments.x, s.y = moments.y;
  s.model.x = moments.x, s.model.y = moments.y, s.model.fwhm2 = moments.fwhm2;
  const auto sky = wcs.to_sky(moments.x, moments.y), at_peak = wcs.to_sky(moments.peak_x, moments.peak_y);
  const auto local = wcs.sky_per_pixel(moments.x, moments.y);
  s.ra = sky ? sky->lon_deg : kNan, s.dec = sky ? sky->lat_deg : kNan;
  s.ra_peak = at_peak ? at_peak->lon_deg : kNan, s.dec_peak = at_peak ? at_peak->lat_deg : kNan;
  const Ellipse ellipse = local ? ellipse_of(to_sky(moments.fwhm2, *local)) : Ellipse{kNan, kNan, kNan};
  s.major_deg = ellipse.major, s.minor_deg = ellipse.minor, s.pa_deg = ellipse.pa_deg;
  s.dc_major_deg = s.dc_minor_deg = s.dc_pa_deg = beam && local ? 0 : kNan;
  if (beam && local) {
    const Covariance left = sky_covariance(ellipse.major, ellipse.minor, ellipse.pa_deg) -
                            sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg);
    const Ellipse intrinsic = ellipse_of(left);
    s.dc_major_deg = intrinsic.major, s.dc_minor_deg = intrinsic.minor;
    s.dc_pa_deg = intrinsic.major > 0 ? intrinsic.pa_deg : 0;
  }
  set_errors(made, rms, beam);
}

/// One island at a time; a worker has a coordinate system of its own.
class Island {
 public:
  Island(const SourceListInputs& in, const GroupOptions& options, double per_sum, const Wcs& wcs)
      : in_(in), options_(options), per_sum_(per_sum), wcs_(wcs) {}

  void make(const Part& part, std::span<const Source> gaussians, IslandValues& island,
            std::vector<GroupedSource>& sources) {
    const bool negative = gaussians.front().negative;
    view_ = negative ? (in_.negative != nullptr ? island_view(*in_.negative, part.label - in_.islands) : IslandView{})
                     : island_view(in_.pixels, part.label);
    models_.clear();
    for (const Source& s : gaussians) models_.push_back(s.model);
    const double unit = in_.header.unit.factor, sign = negative ? -1 : 1;
    const auto brightest = std::ranges::max_element(gaussians, {}, [](const Source& s) { return std::abs(s.peak); });
    const double per_sum = flux_per_sum_at(in_.header, in_.beams, per_sum_, brightest->x, brightest->y);
    island = view_.empty() ? unknown() : island_values(view_, models_, {sign, unit, per_sum, 1 / (per_sum / unit)});
    island.label = part.label, island.negative = negative;
    island.first = part.first, island.components = part.count;
    std::vector<GaussianComponent> upright = models_;
    for (GaussianComponent& g : upright) g.peak *= sign;
    const std::vector<std::int64_t> groups = group_gaussians(upright, in_.flood * island.rms / unit, options_);
    sources.resize(static_cast<std::size_t>(1 + *std::ranges::max_element(groups)));
    for (std::size_t i = 0; i < groups.size(); ++i)
      sources[static_cast<std::size_t>(groups[i])].gaussians.push_back(part.first + static_cast<std::int64_t>(i));
    for (GroupedSource& source : sources) fill(source, part, gaussians, island, sources.size());
  }

 private:
  static IslandValues unknown() {
    IslandValues none;
    for (double IslandValues::*one :
         {&IslandValues::total, &IslandValues::e_total, &IslandValues::rms, &IslandValues::mean,
          &IslandValues::residual_mean, &IslandValues::residual_spread, &IslandValues::residual_least,
          &IslandValues::residual_most, &IslandValues::residual_rms, &IslandValues::chi2, &IslandValues::length_px,
          &IslandValues::peak, &IslandValues::x_mean, &IslandValues::y_mean, &IslandValues::x_centre,
          &IslandValues::y_centre})
      none.*one = kNan;
    return none;
  }

  void fill(GroupedSource& made, const Part& part, std::span<const Source> gaussians, const IslandValues& island,
            std::size_t others) const {
    const auto own = [&](std::size_t k) -> const Source& {
      return gaussians[static_cast<std::size_t>(made.gaussians[k] - part.first)];
    };
    std::size_t brightest = 0;
    for (std::size_t k = 1; k < made.gaussians.size(); ++k)
      if (std::abs(own(k).peak) > std::abs(own(brightest).peak)) brightest = k;
    made.values = own(brightest);
    made.e_ra_peak = made.values.e_ra, made.e_dec_peak = made.values.e_dec;
    made.values.shared = others > 1;
    if (made.gaussians.size() == 1) {
      made.code = others > 1 ? 'C' : 'S';
      made.values.ra_peak = made.values.ra, made.values.dec_peak = made.values.dec;
      return;
    }
    made.code = 'M';
    Source& s = made.values;
    s.total = s.e_total = 0;
    std::vector<GaussianComponent> models;
    for (std::size_t k = 0; k < made.gaussians.size(); ++k) {
      s.total += own(k).total;
      s.e_total = std::hypot(s.e_total, own(k).e_total);
      s.flag |= own(k).flag;
      s.fitted = s.fitted && own(k).fitted;
      s.npix += k == brightest ? 0 : own(k).npix;
      models.push_back(own(k).model);
    }
    if (view_.empty()) return;
    const ModelMoments moments = model_moments(view_, models);
    s.peak = moments.peak * in_.header.unit.factor;
    s.e_peak = island.rms;
    set_shape(made, moments, island.rms, wcs_,
              in_.beams.varies() ? in_.beams.at(moments.x, moments.y).sky : in_.beams.nominal());
  }

  const SourceListInputs& in_;
  const GroupOptions& options_;
  const double per_sum_;
  const Wcs& wcs_;
  IslandView view_;
  std::vector<GaussianComponent> models_;
};

}  // namespace

SourceList make_source_list(const SourceListInputs& in, const GroupOptions& options) {
  SourceList list;
  list.gaussians.assign(in.sources.begin(), in.sources.end());
  std::ranges::stable_sort(list.gaussians, {}, &Source::island);
  const std::vector<Part> parts = parts_of(list.gaussians);
  list.islands.resize(parts.size());
  std::vector<std::vector<GroupedSource>> found(parts.size());
  const double per_sum = flux_per_sum(in.header, in.beams.nominal());
  ThreadPool pool(parts.size() > 64 ? 0 : 1);
  // WCSLIB writes into its structures.
  const std::vector<Wcs> own(static_cast<std::size_t>(pool.threads()), in.header.wcs);
  pool.for_each_worker(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i, int worker) {
    const auto k = static_cast<std::size_t>(i);
    Island island(in, options, per_sum, own[static_cast<std::size_t>(worker)]);
    const auto first = static_cast<std::size_t>(parts[k].first), count = static_cast<std::size_t>(parts[k].count);
    island.make(parts[k], std::span(list.gaussians).subspan(first, count), list.islands[k], found[k]);
  });
  list.source_of.resize(list.gaussians.size());
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (GroupedSource& source : found[k]) {
      source.island = static_cast<std::int64_t>(k);
      for (const std::int64_t g : source.gaussians)
        list.source_of[static_cast<std::size_t>(g)] = static_cast<std::int64_t>(list.sources.size());
      list.sources.push_back(std::move(source));
    }
  return list;
}

}  // namespace reber
