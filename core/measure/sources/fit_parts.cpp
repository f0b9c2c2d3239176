// SPDX-License-Identifier: BSD-3-Clause
// Pixels of parts and cores, by their distance from a peak and by the brightest Gaussian.
#include "core/measure/sources/fit_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/base/gaussian.hpp"
#include "core/base/significance.hpp"
#include "core/measure/sources/source.hpp"

namespace reber {
namespace {

/// Every `step`-th pixel in x and y, counted from (y, x).
FitPixels every_nth(const FitPixels& from, std::int32_t step, std::int32_t y, std::int32_t x) {
  FitPixels some;
  for (std::size_t i = 0; i < from.value.size(); ++i)
    if ((from.y[i] - y) % step == 0 && (from.x[i] - x) % step == 0) append_pixel(from, i, some);
  some.stand_for = from.stand_for * step * step;
  return some;
}

}  // namespace

void append_pixel(const FitPixels& from, std::size_t i, FitPixels& to) {
  to.y.push_back(from.y[i]), to.x.push_back(from.x[i]);
  to.value.push_back(from.value[i]), to.rms.push_back(from.rms[i]);
}

std::size_t brightest_pixel(const FitPixels& pixels) {
  return static_cast<std::size_t>(std::ranges::max_element(pixels.value) - pixels.value.begin());
}

std::size_t nearest_pixel(const FitPixels& pixels, const GaussianComponent& at) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (const double d = std::hypot(pixels.x[i] - at.x, pixels.y[i] - at.y); d < least) least = d, nearest = i;
  return nearest;
}

FitPixels in_raster_order(const FitPixels& one, const FitPixels& other) {
  FitPixels both;
  const std::size_t count = one.y.size() + other.y.size();
  both.y.reserve(count), both.x.reserve(count), both.value.reserve(count), both.rms.reserve(count);
  const auto place = [](const FitPixels& of, std::size_t i) { return std::tuple(of.y[i], of.x[i]); };
  for (std::size_t i = 0, j = 0; i < one.y.size() || j < other.y.size();) {
    const bool first = j == other.y.size() || (i < one.y.size() && place(one, i) < place(other, j));
    first ? append_pixel(one, i++, both) : append_pixel(other, j++, both);
  }
  return both;
}

double extent_of(const FitPixels& pixels) {
  const auto [left, right] = std::ranges::minmax(pixels.x);
  return std::max(right - left, pixels.y.back() - pixels.y.front()) + 1;
}

std::optional<CoreProblem> core_of(const FitPixels& pixels, std::size_t top, const Covariance& beam, double seed) {
  CoreProblem core;
  std::vector<double> ring;
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    const double distance = std::sqrt(fwhms2(beam, pixels.x[i] - pixels.x[top], pixels.y[i] - pixels.y[top]));
    if (distance <= 1)
      append_pixel(pixels, i, core.pixels);
    else if (distance <= kEndOfGaussian)
      ring.push_back(pixels.value[i]);
  }
  double level = 0;
  if (!ring.empty()) {
    const auto middle = ring.begin() + static_cast<std::ptrdiff_t>(ring.size() / 2);
    std::ranges::nth_element(ring, middle);
    level = *middle;
  }
  const double peak = pixels.value[top] - level;
  // With a higher level around it there is no compact source to tell from the emission.
  if (level > pixels.value[top] / 2 || !(peak > seed * pixels.rms[top])) return std::nullopt;
  for (double& value : core.pixels.value) value -= level;
  core.start = {peak, static_cast<double>(pixels.x[top]), static_cast<double>(pixels.y[top]), beam};
  core.reach_px = 0.5 * ellipse_of(beam).major;
  core.most_fwhm_px = 2 * ellipse_of(beam).major;
  core.flood = peak * std::exp2(-4) / pixels.rms[top];
  return core;
}

FitPixels pixels_around(const FitPixels& pixels, const GaussianComponent& peak, const Covariance& beam) {
  FitPixels near;
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (std::sqrt(fwhms2(beam, pixels.x[i] - peak.x, pixels.y[i] - peak.y)) <= kEndOfGaussian)
      append_pixel(pixels, i, near);
  return near;
}

std::vector<FitPixels> shares_of(const FitPixels& pixels, const std::vector<GaussianComponent>& among) {
  std::vector<FitPixels> shares(among.size());
  std::array<double, 6> unused{};
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    std::size_t owner = 0;
    double most = -1;
    for (std::size_t k = 0; k < among.size(); ++k) {
      const double value = among[k].evaluate(pixels.x[i], pixels.y[i], unused);
      if (value > most) most = value, owner = k;
    }
    append_pixel(pixels, i, shares[owner]);
  }
  return shares;
}

/// Takes every n-th pixel, n the least for which there is room for one component more. The lattice goes through the
/// brightest pixel, so that it is mirrored with the image. Where the beam
/// allows none, nothing changes.
void FitLadder::thin_out() {
  if (!setting_.beam || pixels_.value.empty()) return;
  const double narrow = ellipse_of(*setting_.beam).minor;
  const std::size_t top = brightest_pixel(pixels_);
  all_ = std::move(pixels_), all_margin_ = std::move(margin_);
  for (std::int32_t step = 2; narrow / step >= kLeastSampling; ++step) {
    pixels_ = every_nth(all_, step, all_.y[top], all_.x[top]);
    margin_ = every_nth(all_margin_, step, all_.y[top], all_.x[top]);
    if (affordable(candidates_.size() + 1, false)) return;
  }
  pixels_ = std::exchange(all_, {}), margin_ = std::exchange(all_margin_, {});
}

std::optional<FitLadder> FitLadder::core_ladder() const {
  if (!setting_.beam || core() || initial_.size() != 1 || pixels_.value.empty()) return std::nullopt;
  const bool whole = around_.value.empty();
  const FitPixels& all = !whole ? around_ : all_.value.empty() ? pixels_ : all_;
  const std::size_t top = whole ? brightest_pixel(all) : nearest_pixel(all, initial_[0].start);
  std::optional<CoreProblem> problem = core_of(all, top, *setting_.beam, setting_.seed);
  if (!problem) return std::nullopt;
  Candidate one = initial_[0];
  one.start = problem->start;
  one.bounds.reach = problem->reach_px;
  one.bounds.most_fwhm = problem->most_fwhm_px;
  LadderSetting setting = setting_;
  setting.flood = problem->flood;  // in place of the threshold where islands end
  return FitLadder(std::move(problem->pixels), {one}, setting, flag_ | kFlagCore);
}

std::vector<FitLadder> FitLadder::parts() const {
  std::vector<FitLadder> ladders;
  if (together_ || setting_.as_asked) return ladders;
  if (results_.empty() && rung_ == Rung::finished)
    if (std::optional<FitLadder> core = core_ladder()) ladders.push_back(std::move(*core));
  if (!in_parts_) return ladders;
  const bool some = !all_.value.empty();
  const FitPixels &all = some ? all_ : pixels_, &beside = some ? all_margin_ : margin_;
  std::vector<GaussianComponent> starts;
  for (const Candidate& one : initial_) starts.push_back(one.start);
  std::vector<FitPixels> pixels = shares_of(all, starts), margins = shares_of(beside, starts);
  for (std::size_t k = 0; k < initial_.size(); ++k) {
    FitPixels near = setting_.beam ? pixels_around(all, starts[k], *setting_.beam) : FitPixels();
    // A compact peak can lie below the wide Gaussians of its neighbours everywhere.
    if (pixels[k].value.empty()) pixels[k] = near;
    if (pixels[k].value.empty()) continue;
    ladders.emplace_back(std::move(pixels[k]), std::vector<Candidate>{initial_[k]}, setting_, flag_ | kFlagPart,
                         std::move(margins[k]));
    ladders.back().around_ = std::move(near);
  }
  return ladders;
}

FitLadder FitLadder::together(FitPixels pixels, std::vector<Candidate> starts, const LadderSetting& setting,
                              FitPixels margin) {
  FitLadder ladder(std::move(pixels), std::move(starts), setting, 0, std::move(margin));
  ladder.together_ = true;
  if (!ladder.affordable(ladder.candidates_.size(), false)) {
    ladder.rung_ = Rung::finished;
    return ladder;
  }
  ladder.rung_ = Rung::plain;
  ladder.correlated_ = false;
  return ladder;
}

std::optional<FitLadder> together_of(const FitPixels& pixels, const std::vector<LadderResult>& results,
                                     std::size_t sources, const LadderSetting& setting, FitPixels margin) {
  const auto flagged = [&](std::int64_t flag) {
    return std::ranges::any_of(results, [&](const LadderResult& one) { return (one.flag & flag) != 0; });
  };
  const auto found = static_cast<std::size_t>(
      std::ranges::count_if(results, [](const LadderResult& one) { return one.source != Candidate::kExtra; }));
  if (!setting.beam || results.size() < 2 || found != sources || !flagged(kFlagPart) || flagged(kFlagCore))
    return std::nullopt;
  const double extent = extent_of(pixels);
  const Ellipse beam = ellipse_of(*setting.beam);
  std::vector<Candidate> starts;
  for (const LadderResult& one : results) {
    Candidate start;
    start.start = one.gaussian.component;
    start.source = one.source;
    start.bounds = {0.5 * ellipse_of(start.start.fwhm2).major, 0.8 * beam.minor,
                    std::numbers::sqrt2 * std::max(extent, beam.major), (one.flag & kFlagBeamShape) == 0};
    starts.push_back(start);
  }
  return FitLadder::together(pixels, std::move(starts), setting, std::move(margin));
}

std::optional<std::size_t> entry_of(const IslandPixels& all, std::int64_t label) {
  const auto at = std::ranges::lower_bound(all.label, label);
  if (at == all.label.end() || *at != label) return std::nullopt;
  const auto k = static_cast<std::size_t>(at - all.label.begin());
  return all.first[k + 1] > all.first[k] ? std::optional(k) : std::nullopt;
}

FitPixels pixels_of(const IslandPixels& all, std::size_t which, bool negative) {
  const std::int64_t first = all.first[which], last = all.first[which + 1];
  FitPixels pixels{{all.y.begin() + first, all.y.begin() + last},
                   {all.x.begin() + first, all.x.begin() + last},
                   std::vector<double>(static_cast<std::size_t>(last - first)),
                   {all.rms.begin() + first, all.rms.begin() + last}};
  for (std::int64_t p = first; p < last; ++p) {
    const auto at = static_cast<std::size_t>(p);
    const double above = static_cast<double>(all.pixel[at]) - static_cast<double>(all.mean[at]);
    pixels.value[static_cast<std::size_t>(p - first)] = negative ? -above : above;
  }
  return pixels;
}

FitPixels pixels_of_label(const IslandPixels& all, std::int64_t label, bool negative) {
  const auto at = entry_of(all, label);
  return at ? pixels_of(all, *at, negative) : FitPixels();
}

}  // namespace reber
