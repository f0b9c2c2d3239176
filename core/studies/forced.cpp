// SPDX-License-Identifier: BSD-3-Clause
// Forced photometry: which sources go together, which pixels they get, and what comes of them.
#include "core/studies/forced.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/fitting/noise_weights.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/studies/forced_solve.hpp"
#include "core/studies/forced_targets.hpp"

namespace reber {
namespace {

using forced::kOverlap;
using forced::Site;
using forced::Target;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Pixels of one solution; its cost goes as the cube.
constexpr std::size_t kMostPixels = 900;
/// Position is freed above this S/N.
constexpr double kFreeSnr = 3;
constexpr std::int64_t kBandRows = 512;

/// Rows of the image and its background, held for the sources that lie in them.
struct Band {
  std::int64_t y0 = 0, ny = 0, nx = 0;
  std::vector<float> image, mean, rms;
};

class Forced {
 public:
  Forced(const SkyList& list, const Result& result, const ForcedRequest& request, const Progress& progress)
      : list_(list),
        result_(result),
        header_(result.header()),
        backend_(*result.backend),
        request_(request),
        progress_(progress),
        fitter_({FitRequest::Method::gaussian, false, request.threads}, header_, result.beams()),
        beams_(result.beams()),
        noise_(fitter_.classes()) {}

  std::vector<ForcedSource> run();

 private:
  void load(std::int64_t y0, std::int64_t y1);
  [[nodiscard]] bool too_large(const std::vector<Site>& sites) const;
  [[nodiscard]] FitPixels pixels_of(const std::vector<GaussianComponent>& shapes, std::int64_t step) const;
  [[nodiscard]] FitPixels affordable(const std::vector<GaussianComponent>& shapes, std::int64_t least) const;
  void judge_area(Target& target) const;
  void solve(const std::vector<std::size_t>& group);
  void solve(const std::vector<Site>& sites, std::vector<std::size_t> recorded);
  void record(Target& target, double peak, double error) const;
  void free_positions(const std::vector<std::size_t>& groups, std::size_t noise);
  [[nodiscard]] std::int64_t step_at(std::size_t target) const;
  void take_fit(Target& target, const FittedGaussian& fit) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> rows_of(const std::vector<std::size_t>& group) const {
    return forced::rows_of(targets_, group, header_.shape);
  }

  const SkyList& list_;
  const Result& result_;
  const ImageHeader& header_;
  Backend& backend_;
  const ForcedRequest& request_;
  const Progress& progress_;
  SourceFitter fitter_;
  const BeamField beams_;
  double per_sum_ = kNan;
  std::optional<Covariance> beam_px_;
  std::vector<Target> targets_;
  BeamClasses noise_;  ///< of the targets
  std::vector<std::vector<std::size_t>> groups_;
  Band band_;
};

void Forced::load(std::int64_t y0, std::int64_t y1) {
  band_ = {y0, y1 - y0, header_.shape.nx, {}, {}, {}};
  for (const auto& [kind, into] : {std::pair(MapKind::image, &band_.image), std::pair(MapKind::mean, &band_.mean),
                                   std::pair(MapKind::rms, &band_.rms)}) {
    into->resize(static_cast<std::size_t>(band_.ny * band_.nx));
    backend_.render_rows(kind, *result_.plane(), result_.background(), y0, band_.ny, into->data(), progress_);
  }
}

/// Known pixels within one FWHM of any member: the nearest to each centre, and of the others every step-th row and
/// column.
FitPixels Forced::pixels_of(const std::vector<GaussianComponent>& shapes, std::int64_t step) const {
  std::map<std::pair<std::int64_t, std::int64_t>, bool> places;
  for (const GaussianComponent& g : shapes) {
    const double det = g.fwhm2.xx * g.fwhm2.yy - g.fwhm2.xy * g.fwhm2.xy;
    const double wide = std::sqrt(g.fwhm2.xx) + 1, tall = std::sqrt(g.fwhm2.yy) + 1;
    for (auto y = static_cast<std::int64_t>(std::ceil(g.y - tall)); static_cast<double>(y) <= g.y + tall; ++y)
      for (auto x = static_cast<std::int64_t>(std::ceil(g.x - wide)); static_cast<double>(x) <= g.x + wide; ++x) {
        const bool nearest = x == std::llround(g.x) && y == std::llround(g.y);
        if (!nearest && (x % step != 0 || y % step != 0)) continue;
        const double dx = static_cast<double>(x) - g.x, dy = static_cast<double>(y) - g.y;
        if (!nearest && (g.fwhm2.yy * dx * dx - 2 * g.fwhm2.xy * dx * dy + g.fwhm2.xx * dy * dy) / det > 1) continue;
        if (x >= 0 && y >= band_.y0 && x < band_.nx && y < band_.y0 + band_.ny) places[{y, x}] = true;
      }
  }
  FitPixels out;
  for (const auto& [place, unused] : places) {
    const auto at = static_cast<std::size_t>((place.first - band_.y0) * band_.nx + place.second);
    const double value = static_cast<double>(band_.image[at]) - static_cast<double>(band_.mean[at]);
    if (!std::isfinite(value) || !(band_.rms[at] > 0)) continue;
    out.y.push_back(static_cast<std::int32_t>(place.first));
    out.x.push_back(static_cast<std::int32_t>(place.second));
    out.value.push_back(value);
    out.rms.push_back(band_.rms[at]);
  }
  return out;
}

/// Pixels apart where the beam is wide.
std::int64_t Forced::step_at(std::size_t target) const {
  constexpr double kSamplesPerFwhm = 2.5;
  const auto beam = beams_.varies() ? std::optional(noise_.beam(noise_.of(target))) : beam_px_;
  return beam ? std::max<std::int64_t>(1, static_cast<std::int64_t>(ellipse_of(*beam).minor / kSamplesPerFwhm / 2)) : 1;
}

FitPixels Forced::affordable(const std::vector<GaussianComponent>& shapes, std::int64_t least) const {
  FitPixels pixels = pixels_of(shapes, least);
  for (std::int64_t step = least + 1; pixels.value.size() > kMostPixels && shapes.size() < kMostPixels / 4; ++step)
    pixels = pixels_of(shapes, step);
  return pixels;
}

/// Edge and blank flags, and the background at the centre.
void Forced::judge_area(Target& target) const {
  const GaussianComponent& g = target.shape;
  std::int64_t all = 0, outside = 0, blank = 0;
  const double half = 0.5 * target.reach();
  for (auto y = static_cast<std::int64_t>(std::floor(g.y - half)); static_cast<double>(y) <= std::ceil(g.y + half); ++y)
    for (auto x = static_cast<std::int64_t>(std::floor(g.x - half)); static_cast<double>(x) <= std::ceil(g.x + half);
         ++x) {
      ++all;
      if (x < 0 || y < band_.y0 || x >= band_.nx || y >= band_.y0 + band_.ny) {
        ++outside;
        continue;
      }
      const auto at = static_cast<std::size_t>((y - band_.y0) * band_.nx + x);
      if (!std::isfinite(band_.image[at]) || !std::isfinite(band_.mean[at]) || !(band_.rms[at] > 0)) ++blank;
    }
  if (outside > 0) target.source.flag |= kForcedEdge;
  if (blank > 0) target.source.flag |= kForcedBlankPart;
  const auto at = static_cast<std::size_t>((std::llround(g.y) - band_.y0) * band_.nx + std::llround(g.x));
  const bool known = std::isfinite(band_.image[at]) && std::isfinite(band_.mean[at]) && band_.rms[at] > 0;
  if (!known || 2 * (outside + blank) > all) {
    target.source.flag |= kForcedBlank;
    return;
  }
  target.source.rms = static_cast<double>(band_.rms[at]) * header_.unit.factor;
  target.source.mean = static_cast<double>(band_.mean[at]) * header_.unit.factor;
}

std::vector<GaussianComponent> shapes_of(const std::vector<Site>& sites) {
  std::vector<GaussianComponent> shapes;
  for (const Site& site : sites) shapes.push_back(site.shape);
  return shapes;
}

/// The site and those that overlap it, the nearest merged as far as few enough are left; first that with the site.
std::vector<Site> with_neighbours(const std::vector<Site>& sites, std::size_t site) {
  constexpr std::size_t kMostSites = 13;
  constexpr double kNearest = 0.1, kFarthest = 2, kStep = 1.3;  // parts of the FWHM
  std::vector<std::pair<double, std::size_t>> near;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const double d = std::hypot(sites[site].shape.x - sites[k].shape.x, sites[site].shape.y - sites[k].shape.y);
    if (k != site && d <= kOverlap * (sites[site].reach() + sites[k].reach())) near.emplace_back(d, k);
  }
  std::ranges::sort(near);
  std::vector<Site> all{sites[site]};
  for (const auto& [d, k] : near) all.push_back(sites[k]);
  std::vector<Site> few = all;
  for (double part = kNearest; few.size() > kMostSites && part <= kFarthest; part *= kStep)
    few = forced::merged(all, part);
  few.resize(std::min(few.size(), kMostSites));
  return few;
}

bool Forced::too_large(const std::vector<Site>& sites) const {
  constexpr std::size_t kMostSites = 40;
  return sites.size() > kMostSites ||
         pixels_of(shapes_of(sites), step_at(sites.front().members.front())).value.size() > kMostPixels;
}

void Forced::record(Target& target, double peak, double error) const {
  ForcedSource& s = target.source;
  const double unit = header_.unit.factor;
  const double area = gaussian_area(target.shape.fwhm2) * flux_per_sum_at(header_, beams_, per_sum_, s.x, s.y);
  s.peak = peak * unit, s.e_peak = error * unit;
  s.total = peak * area, s.e_total = error * area;
  s.snr = peak / error;
  s.flag &= ~kForcedLimit;
  s.limit = kNan;
  if (s.snr >= request_.limit_sigma) return;
  s.flag |= kForcedLimit;
  const bool total = std::isfinite(s.total);
  s.limit = std::max(total ? s.total : s.peak, 0.0) + request_.limit_sigma * (total ? s.e_total : s.e_peak);
}

void Forced::solve(const std::vector<std::size_t>& group) {
  std::vector<std::size_t> members;
  for (const std::size_t i : group) {
    judge_area(targets_[i]);
    if ((targets_[i].source.flag & kForcedBlank) == 0) members.push_back(i);
  }
  if (members.empty()) return;
  std::vector<Site> sites;
  for (const std::size_t i : members) sites.push_back({targets_[i].shape, {i}});
  constexpr double kOnePlace = 0.02;  // of the FWHM: in a crowd these are one
  if (too_large(sites)) sites = forced::merged(sites, kOnePlace);
  if (!too_large(sites)) return solve(sites, members);
  for (std::size_t site = 0; site < sites.size(); ++site) {
    progress_.check();
    solve(with_neighbours(sites, site), sites[site].members);
  }
}

/// recorded: which members of the sites, in order
void Forced::solve(const std::vector<Site>& sites, std::vector<std::size_t> recorded) {
  const std::vector<GaussianComponent> shapes = shapes_of(sites);
  std::int64_t together = 0;
  for (const Site& site : sites) together += static_cast<std::int64_t>(site.members.size());
  const std::size_t first = sites.front().members.front(), noise = noise_.of(first);
  const auto solved =
      solve_amplitudes(affordable(shapes, step_at(first)), shapes, noise_.weights(noise), noise_.errors(noise));
  std::ranges::sort(recorded);
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const auto parts = static_cast<double>(sites[k].members.size());
    for (const std::size_t i : sites[k].members) {
      if (!std::ranges::binary_search(recorded, i)) continue;
      Target& target = targets_[i];
      target.source.together = together;
      if (!solved || solved->shares[k] == 0) {
        target.source.flag |= kForcedUnsolved;
        continue;
      }
      if (solved->shares[k] * sites[k].members.size() > 1) target.source.flag |= kForcedShared;
      target.source.chi2 = solved->chi2;
      record(target, solved->value[k] / parts, solved->error[k] / parts);
    }
  }
}

void Forced::take_fit(Target& target, const FittedGaussian& fit) const {
  ForcedSource& s = target.source;
  target.shape.x = s.x = fit.component.x;
  target.shape.y = s.y = fit.component.y;
  record(target, fit.component.peak, std::sqrt(fit.covariance[0][0]));
  const auto sky = header_.wcs.to_sky(s.x, s.y);
  const auto local = header_.wcs.sky_per_pixel(s.x, s.y);
  if (!sky || !local) return;
  s.lon = sky->lon_deg, s.lat = sky->lat_deg;
  const auto& c = fit.covariance;
  const auto error = [&](double a, double b) {
    return std::sqrt(a * a * c[1][1] + 2 * a * b * c[1][2] + b * b * c[2][2]);
  };
  s.e_lon = error(local->a, local->b), s.e_lat = error(local->c, local->d);
}

/// The bright ones of groups that share with none, positions free, in one batch.   noise: of them all
void Forced::free_positions(const std::vector<std::size_t>& groups, std::size_t noise) {
  FitBatch batch;
  batch.weights = noise_.weights(noise);
  batch.errors = noise_.errors(noise);
  std::vector<std::vector<std::size_t>> fitted;
  std::array<double, GaussianComponent::kParameters> unused{};
  for (const std::size_t g : groups) {
    std::vector<std::size_t> bright, faint;
    for (const std::size_t i : groups_[g]) {
      const bool is_bright = targets_[i].source.snr >= kFreeSnr && (targets_[i].source.flag & kForcedShared) == 0;
      if (is_bright)
        bright.push_back(i);
      else if (std::isfinite(targets_[i].source.peak))
        faint.push_back(i);
      targets_[i].source.flag |= kForcedHeld;
    }
    std::vector<GaussianComponent> start;
    for (const std::size_t i : bright) start.push_back(targets_[i].shape);
    FitPixels pixels = bright.empty() ? FitPixels() : affordable(start, step_at(bright.front()));
    if (bright.empty() || pixels.value.size() > kMostPixels) continue;
    const double unit = header_.unit.factor;
    for (std::size_t p = 0; p < pixels.value.size(); ++p)
      for (const std::size_t i : faint)
        pixels.value[p] -=
            targets_[i].source.peak / unit * targets_[i].shape.evaluate(pixels.x[p], pixels.y[p], unused);
    std::vector<FitBounds> bounds;
    for (std::size_t k = 0; k < bright.size(); ++k) {
      const std::size_t i = bright[k];
      start[k].peak = targets_[i].source.peak / unit;
      FitBounds bound;
      bound.reach = 0.5 * targets_[i].reach();
      bound.shape_free = false;
      bounds.push_back(bound);
    }
    batch.add(pixels, start, bounds, true);
    fitted.push_back(std::move(bright));
  }
  if (fitted.empty()) return;
  const FitResults results = backend_.fits().fit(batch, progress_);
  for (std::size_t p = 0; p < fitted.size(); ++p) {
    if (results.problems[p].status != FitStatus::settled) continue;
    for (std::size_t k = 0; k < fitted[p].size(); ++k) {
      const FittedGaussian& fit = results.components[static_cast<std::size_t>(batch.problems[p].first_component) + k];
      if (fit.at_bound) continue;
      Target& target = targets_[fitted[p][k]];
      target.source.flag &= ~kForcedHeld;
      take_fit(target, fit);
    }
  }
}

std::vector<ForcedSource> Forced::run() {
  const auto centre = header_.centre_geometry();
  const std::optional<Beam> beam = result_.beam();
  if (beam && centre) beam_px_ = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
  per_sum_ = flux_per_sum(header_, beam);
  fitter_.measure_noise(backend_, *result_.plane(), *result_.background(), *result_.islands());
  if (beams_.varies() && fitter_.noise_measured() &&
      ordinary_weights_are_better(backend_, *fitter_.beam_px(), fitter_.weights_noise(), fitter_.measured_noise(),
                                  progress_))
    fitter_.take_ordinary_weights();  // the noise does not follow the beam
  noise_ = fitter_.classes();
  targets_ = forced::place(list_, header_, beams_, beam_px_, request_.shape, progress_);
  if (beams_.varies())
    for (const Target& one : targets_) noise_.add(beams_.at(one.source.x, one.source.y).pixels);
  groups_ = forced::group(targets_, header_.shape, progress_);
  ThreadPool pool(request_.threads);
  for (std::size_t first = 0; first < groups_.size();) {
    const std::int64_t y0 = rows_of(groups_[first]).first;
    std::int64_t y1 = rows_of(groups_[first]).second;
    std::vector<std::size_t> members;
    for (; first < groups_.size(); ++first) {
      const std::int64_t end = rows_of(groups_[first]).second;
      if (!members.empty() && end > std::max(y1, y0 + kBandRows)) break;
      y1 = std::max(y1, end);
      members.push_back(first);
    }
    load(y0, y1);
    pool.for_each(static_cast<std::int64_t>(members.size()), [&](std::int64_t k) {
      progress_.check();
      solve(groups_[members[static_cast<std::size_t>(k)]]);
    });
    std::vector<std::vector<std::size_t>> of_noise(noise_.count());
    for (const std::size_t g : members) of_noise[noise_.of(groups_[g].front())].push_back(g);
    for (std::size_t k = 0; request_.free == ForcedRequest::Free::position && k < of_noise.size(); ++k)
      if (!of_noise[k].empty()) free_positions(of_noise[k], k);
    progress_.report("measure", static_cast<double>(first) / static_cast<double>(groups_.size()));
  }
  std::vector<ForcedSource> out;
  for (const Target& one : targets_) out.push_back(one.source);
  return out;
}

}  // namespace

std::vector<ForcedSource> measure_forced(const SkyList& list, const Result& result, const ForcedRequest& request,
                                         const Progress& progress) {
  return Forced(list, result, request, progress).run();
}

}  // namespace reber
