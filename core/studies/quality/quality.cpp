// SPDX-License-Identifier: BSD-3-Clause
// From a finished run to facts, metrics and the chain of what was done.
#include "core/studies/quality/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/printable.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/studies/quality/history_chain.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kArcsec = 3600;

/// Puts metrics into the order of the table.
class Collector {
 public:
  explicit Collector(std::vector<Metric>& metrics) : metrics_(metrics) {}
  /// reason: where the value is none
  void add(std::string_view name, double value, const std::string& reason = {}, double error = 0,
           const std::string& of = {}) {
    Metric metric;
    metric.row = metric_row(name);
    metric.of = of;
    metric.value = value;
    metric.error = std::isfinite(error) ? error : 0;
    if (!std::isfinite(value)) metric.reason = reason;
    metrics_.push_back(std::move(metric));
  }

 private:
  std::vector<Metric>& metrics_;
};

double part_of(std::int64_t some, std::int64_t all) {
  return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : kNan;
}

/// One sigma of a part (binomial), at least that of one in `trials`.
double error_of(double part, std::int64_t trials) {
  const auto n = static_cast<double>(std::max<std::int64_t>(1, trials));
  return std::max(1 / n, std::sqrt(std::max(0.0, part * (1 - part)) / n));
}

void image_metrics(const Request& request, const Result& result, const Quality& quality, Collector& out) {
  const FieldNumbers& field = quality.field;
  const auto beam = result.beam();
  const auto geometry = result.header().centre_geometry();
  out.add("beam", request.beam || result.outcomes.opened->value.header->beam ? 1 : 0);
  out.add("sky", geometry ? 1 : 0);
  out.add("blank", part_of(field.blank - field.corners, field.pixels));
  out.add("noise_known", part_of(field.known, field.pixels - field.blank), "every pixel is blank");
  double sampling = kNan;
  if (beam && geometry && std::abs(geometry->determinant()) > 0)
    sampling = ellipse_of(to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *geometry)).minor;
  out.add("beam_sampling", sampling, beam ? "no sky coordinates" : "no beam");
  out.add("beam_ratio", beam && beam->minor_deg > 0 ? beam->major_deg / beam->minor_deg : kNan, "no beam");
}

/// Beams that the pixels with an S/N hold: how many of them are independent.
double beams_in(const Result& result, const FieldNumbers& field) {
  constexpr double kUsual = 20;  // pixels, where there is no beam
  const auto beam = result.beam();
  const auto geometry = result.header().centre_geometry();
  const double pixels = beam && geometry ? beam->area_deg2() / std::abs(geometry->determinant()) : kUsual;
  return std::max(1.0, static_cast<double>(field.known) / std::max(1.0, pixels));
}

void noise_metrics(const Result& result, const Quality& quality, Collector& out) {
  const FieldNumbers& field = quality.field;
  const std::string none = "the noise is zero or unknown everywhere";
  out.add("median_rms", field.rms_median, none);
  out.add("rms_ratio", field.rms_high / field.rms_low, none);
  double least = INFINITY, most = -INFINITY;
  for (const double one : field.quadrants)
    if (std::isfinite(one)) least = std::min(least, one), most = std::max(most, one);
  // Of normal numbers: the median's error, that of a 15.87 % quantile less it, and that of a noise from a quarter.
  const double root = std::sqrt(beams_in(result, field));
  out.add("rms_quadrants", most > 0 ? most / least : kNan, none, 2 / root);
  out.add("background", field.snr_median, none, 1.25 / root);
  out.add("snr_width", field.snr_median - field.snr_low, none, 1.6 / root);
  const std::string small = std::isfinite(field.rms_median) ? "the image is too small" : none;
  out.add("ripple", quality.wave.strength, small);
  out.add("ripple_amplitude", quality.wave.amplitude, small);
}

void source_metrics(const Result& result, const Quality& quality, Collector& out) {
  const auto found = std::ssize(quality.sources), negative = std::ssize(quality.negatives);
  out.add("sources", static_cast<double>(found));
  const double part = part_of(negative, found);
  out.add("negatives", part, "no source was found", error_of(part, found));
  double peak = kNan;
  for (const Source& one : quality.sources)
    if (!(peak >= one.peak)) peak = one.peak;
  out.add("dynamic_range", peak / quality.field.rms_median, "no source was found");
  const double resolved =
      result.beam() ? part_of(std::ranges::count(quality.sources, 1, &Source::resolved), found) : kNan;
  out.add("resolved", resolved, result.beam() ? "no source was found" : "no beam", error_of(resolved, found));
}

void completeness_metrics(const Quality& quality, Collector& out) {
  if (!quality.completeness) {
    for (const char* name : {"complete_50", "complete_90", "recovered_flux"})
      out.add(name, kNan, quality.no_completeness);
    return;
  }
  constexpr double kBright = 20;
  const CompletenessResult& made = *quality.completeness;
  const std::string beyond = "not reached in the range of S/N that was injected";
  out.add("complete_50", made.snr_50 / made.threshold, beyond);
  out.add("complete_90", made.snr_90 * made.median_rms, beyond);
  double sum = 0, weights = 0;
  for (const CompletenessBin& bin : made.bins) {
    if (bin.low < kBright || !(bin.total_ratio.e_median > 0)) continue;
    const double weight = 1 / (bin.total_ratio.e_median * bin.total_ratio.e_median);
    sum += weight * bin.total_ratio.median, weights += weight;
  }
  out.add("recovered_flux", weights > 0 ? sum / weights : kNan, "no bright source was injected and found",
          1 / std::sqrt(weights));
}

void comparison_metrics(const Result& result, const Comparison& one, Collector& out) {
  const auto beam = result.beam();
  const double fwhm = beam ? kArcsec * std::sqrt(beam->major_deg * beam->minor_deg) : kNan;
  const bool made = one.failure.empty();
  const auto add = [&](const char* name, double value, double error, const std::string& reason) {
    out.add(name, made ? value : kNan, made ? reason : one.failure, error, one.name);
  };
  add("pairs", static_cast<double>(one.summary.pairs.size()), 0, "");
  add("offset", one.offset(), one.e_offset(), "");
  add("offset_beams", one.offset() / fwhm, one.e_offset() / fwhm, "no beam");
  add("offset_scatter", std::hypot(one.summary.d_lon.scatter, one.summary.d_lat.scatter), 0, "");
  const std::string no_flux = one.flux_note.empty() ? "no pair has a total flux in both lists" : one.flux_note;
  add("flux_ratio", one.flux.median, one.flux.e_median, no_flux);
  const auto pairs = static_cast<double>(std::max<std::int64_t>(1, one.flux.count));
  add("flux_scatter", one.flux.scatter, one.flux.scatter / std::sqrt(2 * pairs), no_flux);
}

std::string degrees(double value) { return fmt::format("{:.6f}", value); }

std::vector<std::pair<std::string, std::string>> facts_of(const Request& request, const Result& result) {
  const ImageHeader& header = *result.outcomes.opened->value.header;
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* name, const std::string& value) {
    facts.emplace_back(name, value.empty() ? "not stated" : printable(value));
  };
  add("Object", header.object);
  add("Telescope", header.telescope);
  add("Date", header.date_obs);
  const double hz = header.wcs.frequency_hz();
  add("Frequency", std::isfinite(hz) ? fmt::format("{:.6g} MHz", hz / 1e6) : "");
  const auto geometry = header.centre_geometry();
  const auto centre =
      header.wcs.to_sky(0.5 * static_cast<double>(header.shape.nx - 1), 0.5 * static_cast<double>(header.shape.ny - 1));
  add("Centre", centre ? fmt::format("{}, {} deg ({}, {})", degrees(centre->lon_deg), degrees(centre->lat_deg),
                                     header.wcs.frame_name(), header.wcs.projection())
                       : "no sky coordinates: " + header.wcs.why_not());
  std::string size = fmt::format("{} x {} pixels", header.shape.nx, header.shape.ny);
  if (geometry) size += fmt::format(" of {:.4g}\"", kArcsec * std::sqrt(std::abs(geometry->determinant())));
  add("Size", size);
  const auto beam = result.beam();
  std::string beam_text = beam ? fmt::format("{:.4g}\" x {:.4g}\" at {:.4g} deg", beam->major_deg * kArcsec,
                                             beam->minor_deg * kArcsec, beam->pa_deg)
                               : "none: " + header.beam_note;
  if (beam && !request.beam && !header.beam) beam_text += ", estimated: " + header.beam_note;
  add("Beam", beam_text);
  add("Unit", header.unit.text);
  if (header.planes > 1) add("Plane", fmt::format("{} of {}", header.plane, header.planes));
  return facts;
}

void measure_sources(const Result& result, Quality& quality) {
  for (const Source& one : result.sources()) (one.negative ? quality.negatives : quality.sources).push_back(one);
  if (result.outcomes.positive.detected) quality.threshold = result.outcomes.positive.detected->value.options.seed;
}

void compare_all(const Request& request, const Result& result, const QualityOptions& options, const Progress& progress,
                 Quality& quality) {
  if (options.against.empty()) return;
  MatchInput image{request.input, make_catalogue(quality.sources, result.header(), {}), {}};
  image.list = sky_list(image.table);
  for (const AgainstInput& one : options.against)
    quality.against.push_back(compare(image, result.header().wcs.frequency_hz(), one, progress));
}

}  // namespace

const Metric* Quality::find(std::string_view name, std::string_view of) const {
  for (const Metric& metric : metrics)
    if (metric.row->name == name && metric.of == of) return &metric;
  return nullptr;
}

std::vector<const Metric*> Quality::with(Metric::Status status) const {
  std::vector<const Metric*> out;
  for (const Metric& metric : metrics)
    if (metric.status == status) out.push_back(&metric);
  return out;
}

Quality measure_quality(const Request& request, const Result& result, std::optional<CompletenessResult> completeness,
                        const std::string& no_completeness, const QualityOptions& options, const Progress& progress) {
  Quality quality;
  const ImageHeader& header = *result.outcomes.opened->value.header;
  quality.input = request.input;
  quality.object = header.object;
  quality.unit = result.header().unit.name();
  quality.program = request.program;
  quality.used = options.levels;
  quality.facts = facts_of(request, result);
  quality.warnings = result.report.warnings;
  quality.made = history_chain(header.cards);
  quality.searched = search_chain(result.history);
  progress.report("measure the image's quality", 0);
  quality.field = measure_field(result, progress);
  quality.wave = strongest_wave(result, progress, options.threads);
  measure_sources(result, quality);
  quality.completeness = std::move(completeness);
  quality.no_completeness = no_completeness;
  quality.counts = count_sources(result, quality.field, quality.completeness ? &*quality.completeness : nullptr);
  compare_all(request, result, options, progress, quality);
  constexpr std::size_t kCards = 6;
  quality.cards = make_cards(result, kCards, progress);
  Collector out(quality.metrics);
  image_metrics(request, result, quality, out);
  noise_metrics(result, quality, out);
  source_metrics(result, quality, out);
  completeness_metrics(quality, out);
  const std::string no_chi2 =
      quality.counts.none.empty() ? "the frequency is not known, or no bin has five sources" : quality.counts.none;
  out.add("counts_chi2", quality.counts.chi2, no_chi2);
  for (const Comparison& one : quality.against) comparison_metrics(result, one, out);
  judge(quality.metrics, options.levels);
  return quality;
}

std::string verdict_of(const Quality& quality) {
  std::string causes, consequences;
  const auto add = [](std::string& list, const Metric& metric) {
    list += (list.empty() ? "" : ", ") + std::string(metric.row->title);
    if (!metric.of.empty()) list += " against " + metric.of;
  };
  for (const Metric& metric : quality.metrics)
    if (metric.flagged()) add(metric.because_of.empty() ? causes : consequences, metric);
  if (causes.empty() && consequences.empty()) return "Nothing is flagged.";
  return "Flagged: " + causes + (consequences.empty() ? "." : "; and, as a consequence: " + consequences + ".");
}

}  // namespace reber
