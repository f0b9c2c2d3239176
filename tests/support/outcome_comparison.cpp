// SPDX-License-Identifier: BSD-3-Clause
// The table of comparisons, in the order of a run.
#include "tests/support/outcome_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/sky/model/image.hpp"
#include "core/studies/differences.hpp"

namespace reber::testing {
namespace {

using Checks = std::vector<StageCheck>;

void add(Checks& checks, StageId stage, Sign sign, std::string metric, double worst, double bound) {
  checks.push_back({stage_name(stage, sign), std::move(metric), worst, bound, "", worst <= bound});
}
void add(Checks& checks, StageId stage, std::string metric, double worst, double bound) {
  add(checks, stage, Sign::positive, std::move(metric), worst, bound);
}

Image stored(const Result& result, MapKind kind, const Plane& plane) {
  Image image(plane.shape());
  result.backend->render_rows(kind, plane, result.background(), 0, plane.shape().ny, image.data());
  return image;
}

/// Largest difference of two maps over a unit, and the number of pixels that differ.
struct MapDifference {
  double worst = 0;
  std::int64_t pixels = 0;
};
template <typename UnitAt>
MapDifference compare_maps(const Image& a, const Image& b, UnitAt unit_at) {
  MapDifference found;
  for (std::int64_t i = 0; i < b.shape().count(); ++i) {
    const double d = difference(a.data()[i], b.data()[i]);
    if (!(d > 0)) continue;
    ++found.pixels;
    found.worst = std::max(found.worst, d / unit_at(i));
  }
  return found;
}

void compare_opened(const Result& a, const Result& b, Checks& checks) {
  const ImageHeader &p = a.header(), &q = b.header();
  const bool same = p.shape == q.shape && p.unit.text == q.unit.text && p.hdu == q.hdu && p.plane == q.plane;
  add(checks, StageId::open, "headers that differ", same ? 0 : 1, 0);
}

void compare_read(const Result& a, const Result& b, Checks& checks) {
  if (!a.outcomes.read || !b.outcomes.read) return;
  const auto one = [](std::int64_t) { return 1.0; };
  const MapDifference found = compare_maps(stored(a, MapKind::image, *a.outcomes.read->value),
                                           stored(b, MapKind::image, *b.outcomes.read->value), one);
  add(checks, StageId::read, "pixels that differ", static_cast<double>(found.pixels), 0);
}

/// Bound of the plane's error, in the image's unit; 0 where nothing is convolved.
double plane_error(const Result& result) {
  const RunPlan& plan = result.outcomes.planned->value;
  if (!plan.choice) return 0;
  const Image input = stored(result, MapKind::image, *result.outcomes.read->value);
  double brightest = 0, weights = 0, bound = 0;
  for (std::int64_t i = 0; i < input.shape().count(); ++i)
    if (std::isfinite(input.data()[i])) brightest = std::max(brightest, std::abs(static_cast<double>(input.data()[i])));
  for (const double weight : plan.convolution->spec.kernel.weights) weights += std::abs(weight);
  // The algorithm that was taken may have been chosen with the pixels there: the largest bound of those possible.
  for (const ConvolutionQuote& quote : plan.quotes)
    if (quote.possible)
      bound = std::max(bound, convolution_bound(quote.algorithm, plan.convolution->spec.kernel.shape));
  return bound * brightest * weights;
}

void compare_convolved(const Result& a, const Result& b, Checks& checks) {
  if (!a.outcomes.convolved || !b.outcomes.convolved) return;
  const double unit = std::max(plane_error(b), 1e-300);
  const MapDifference found = compare_maps(stored(a, MapKind::image, *a.plane()), stored(b, MapKind::image, *b.plane()),
                                           [unit](std::int64_t) { return unit; });
  add(checks, StageId::convolve, "largest difference / bound of the algorithm", found.worst, 1);
}

/// A cell is stored as float, one last bit of which is 1.2e-7, and interpolated as float: 1e-6 of mean and rms. An
/// error of the plane moves both by as much.
void compare_background(const Result& a, const Result& b, Checks& checks) {
  if (a.background() == nullptr || b.background() == nullptr) return;
  const Image rms = stored(b, MapKind::rms, *b.plane()), mean = stored(b, MapKind::mean, *b.plane());
  const double error = plane_error(b);
  const auto unit_at = [&](std::int64_t i) {
    return 1e-6 * (std::abs(mean.data()[i]) + std::abs(rms.data()[i])) + error + 1e-300;
  };
  add(checks, StageId::background, "largest difference of the mean / bound",
      compare_maps(stored(a, MapKind::mean, *a.plane()), mean, unit_at).worst, 1);
  add(checks, StageId::background, "largest difference of the rms / bound",
      compare_maps(stored(a, MapKind::rms, *a.plane()), rms, unit_at).worst, 1);
}

template <typename Compare>
void each_sign(const Result& a, const Result& b, Compare compare) {
  const auto of = [](const Result& r, Sign sign) -> const FoundSources& {
    return sign == Sign::positive ? r.outcomes.positive : r.outcomes.negative;
  };
  for (const Sign sign : {Sign::positive, Sign::negative}) compare(sign, of(a, sign), of(b, sign));
}

void compare_detected(const Result& a, const Result& b, Checks& checks) {
  each_sign(a, b, [&](Sign sign, const FoundSources& p, const FoundSources& q) {
    if (!p.detected || !q.detected) return;
    const LabelRuns got = a.backend->label_runs(*p.detected->value.islands);
    const LabelRuns expected = b.backend->label_runs(*q.detected->value.islands);
    const double more = static_cast<double>(p.detected->value.islands->count() - q.detected->value.islands->count());
    add(checks, StageId::detect, sign, "difference in number of islands", std::abs(more), 0);
    add(checks, StageId::detect, sign, "maps of labels that differ", got == expected ? 0 : 1, 0);
  });
}

/// Largest relative difference of fluxes, each of which is a sum in double of what float planes hold.
double worst_flux(const std::vector<SourceRow>& a, const std::vector<SourceRow>& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, relative(a[i].sums.s, b[i].sums.s));
  return worst;
}

void compare_measured(const Result& a, const Result& b, Checks& checks) {
  each_sign(a, b, [&](Sign sign, const FoundSources& p, const FoundSources& q) {
    if (p.measured && q.measured)
      add(checks, StageId::measure, sign, "largest relative difference of a flux",
          worst_flux(p.measured->value, q.measured->value), 1e-4);
  });
}

/// Fits end where a step gains less than a part of the noise: differences count in errors of the fit.
void compare_fitted(const Result& a, const Result& b, Checks& checks) {
  each_sign(a, b, [&](Sign sign, const FoundSources& p, const FoundSources& q) {
    if (!p.fitted || !q.fitted) return;
    const auto &rows = p.fitted->value.rows, &expected = q.fitted->value.rows;
    const auto fitted = [](const SourceRow& row) { return row.fit.gaussian.has_value(); };
    add(checks, StageId::fit, sign, "difference in number of rows",
        std::abs(static_cast<double>(rows.size()) - static_cast<double>(expected.size())), 0);
    add(checks, StageId::fit, sign, "difference in number of fitted sources",
        std::abs(static_cast<double>(std::ranges::count_if(rows, fitted) - std::ranges::count_if(expected, fitted))),
        0);
  });
}

void compare_judged(const Result& a, const Result& b, Checks& checks) {
  if (!a.outcomes.judged || !b.outcomes.judged) return;
  const auto &got = a.sources(), &expected = b.sources();
  const double more = static_cast<double>(got.size()) - static_cast<double>(expected.size());
  add(checks, StageId::judge, "difference in number of sources", std::abs(more), 0);
  if (got.size() != expected.size()) return;
  double flux = 0, place = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Source &p = got[i], &q = expected[i];
    flux = std::max(flux, difference(p.peak, q.peak) / (q.e_peak > 0 ? q.e_peak : 1));
    place = std::max({place, difference(p.x, q.x), difference(p.y, q.y)});
  }
  add(checks, StageId::judge, "largest difference of a peak / its error", flux, 1e-2);
  add(checks, StageId::judge, "largest distance of two positions, pixels", place, 1e-2);
}

void compare_written(const Result& a, const Result& b, Checks& checks) {
  if (!a.outcomes.written || !b.outcomes.written) return;
  const double more =
      static_cast<double>(a.outcomes.written->value.size()) - static_cast<double>(b.outcomes.written->value.size());
  add(checks, StageId::write, "difference in number of files", std::abs(more), 0);
}

constexpr std::array kComparisons = {
    StageComparison{StageId::open, compare_opened},        StageComparison{StageId::read, compare_read},
    StageComparison{StageId::convolve, compare_convolved}, StageComparison{StageId::background, compare_background},
    StageComparison{StageId::detect, compare_detected},    StageComparison{StageId::measure, compare_measured},
    StageComparison{StageId::fit, compare_fitted},         StageComparison{StageId::judge, compare_judged},
    StageComparison{StageId::write, compare_written},
};

}  // namespace

std::span<const StageComparison> stage_comparisons() { return kComparisons; }

std::vector<StageCheck> compare_outcomes(const Result& tested, const Result& oracle) {
  Checks checks;
  for (const StageComparison& row : kComparisons) row.compare(tested, oracle, checks);
  return checks;
}

}  // namespace reber::testing
