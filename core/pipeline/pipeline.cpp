// SPDX-License-Identifier: BSD-3-Clause
// The stages of a run, in order. Each is one function that leaves a StageReport behind.
#include "core/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/pipeline/background_stage.hpp"
#include "core/pipeline/bright_sources.hpp"
#include "core/pipeline/detection_planes.hpp"
#include "core/pipeline/fdr.hpp"
#include "core/pipeline/history.hpp"
#include "core/pipeline/pipeline_rules.hpp"
#include "core/pipeline/products.hpp"
#include "core/pipeline/stage.hpp"
#include "core/plan/algorithm_choice.hpp"
#include "core/plan/tiling.hpp"
#include "core/sources/reliability.hpp"

namespace reber {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// One run in progress.
class Run {
 public:
  Run(const Request& request, Backend& backend, const Progress& progress, const LogSink& log, PipelineCache* cache)
      : request_(request), backend_(backend), job_(progress, &counters_), log_(log), cache_(cache) {}

  PipelineResult execute() {
    const auto start = Clock::now();
    if (cache_ != nullptr) take_cached();
    open();
    plan();
    if (!request_.dry_run) {
      if (source_to_read_) read();
      if (request_.convolve) convolve();
      if (request_.background) measure_background();
      if (request_.detect) find_sources();
      result_.history = history_lines({request_, result_.report, convolution_ && choice_ ? &*convolution_ : nullptr,
                                       choice_ ? &*choice_ : nullptr, background_history_, fit_history_});
      write();
    }
    result_.report.wall_ms = ms_since(start);
    return std::move(result_);
  }

 private:
  void fact(const std::string& name, std::string value) { result_.report.facts.emplace_back(name, std::move(value)); }
  void warn(const std::string& text) {
    result_.report.warnings.push_back(text);
    log_.warning(text);
  }

  template <typename Body>
  void stage(const std::string& name, Body body) {
    run_stage(counters_, log_, result_.report, name, body);
  }

  void take_cached();
  void open();
  void plan();
  void read();
  void convolve();
  void spare_bright_sources();
  void measure_background();
  void background_from_maps();
  [[nodiscard]] std::unique_ptr<IslandMap> search(DetectOptions& options);
  void find_sources();
  void add_negative(const std::vector<Source>& negative, double seed);
  [[nodiscard]] std::string fit_sources(const IslandMap& islands, std::vector<SourceSums>& sums,
                                        std::vector<SourceFit>& fits);
  void write();
  [[nodiscard]] std::shared_ptr<const Plane> load_map(const std::string& path, const char* what);
  [[nodiscard]] const ImageHeader& header() const { return result_.image->header(); }
  [[nodiscard]] std::string in_unit(double value) const { return words_in_unit(value, header().unit); }

  const Request& request_;
  Backend& backend_;
  OpCounters counters_;  ///< of the stage under way
  const Job job_;
  const LogSink& log_;
  PipelineCache* const cache_;  ///< may be null
  PipelineResult result_;
  bool source_to_read_ = false;
  TilingPlan tiling_;
  std::optional<ResolvedConvolution> convolution_;
  std::optional<AlgorithmChoice> choice_;
  std::optional<SourceFitter> fitter_;
  std::vector<std::string> background_history_, fit_history_;
};

void Run::take_cached() {
  result_.image = cache_->image;
  convolution_ = cache_->convolution;
  choice_ = cache_->choice;
  background_history_ = cache_->background_history;
}

void Run::open() {
  if (!result_.image) result_.image = std::make_shared<const FitsImage>(FitsImage::open(request_.input, request_.open));
  if (cache_ != nullptr) cache_->image = result_.image;
  const ImageHeader& head = header();
  result_.report.input = request_.input;
  const BackendInfo info = backend_.info();
  result_.report.backend = info.name;
  result_.report.device = info.device;
  for (const std::string& warning : head.warnings) warn(warning);
  result_.beam = request_.beam ? request_.beam : head.beam;
  fact("image", fmt::format("{} x {} pixels, BITPIX {}, HDU {}{}", head.shape.nx, head.shape.ny, head.bitpix, head.hdu,
                            head.planes > 1 ? fmt::format(", plane {} of {}", head.plane, head.planes) : ""));
  const bool known = head.unit.kind != Unit::Kind::unknown;
  fact("unit", fmt::format("{}{}", head.unit.text.empty() ? "none" : head.unit.text,
                           known ? "" : " (no total fluxes without a known unit; --unit gives one)"));
  if (result_.beam)
    fact("beam", fmt::format("{:.4g} x {:.4g} arcsec, PA {:.4g} deg", result_.beam->major_deg * 3600,
                             result_.beam->minor_deg * 3600, result_.beam->pa_deg));
  else
    fact("beam", "none: " + head.beam_note);
  fact("sky", head.wcs.celestial() ? fmt::format("{}, {} projection", head.wcs.frame_name(), head.wcs.projection())
                                   : "none: " + head.wcs.why_not());
}

void Run::plan() {
  const ImageHeader& head = header();
  source_to_read_ = request_.convolve || request_.background || request_.detect;
  MemoryNeeds needs;
  needs.shape = head.shape;
  if (request_.convolve) {
    if (!convolution_) convolution_ = resolve_convolution(*request_.convolve, head, result_.beam);
    if (!convolution_->copy) {
      const auto quotes = backend_.quote(convolution_->spec, head.shape);
      if (!choice_) choice_ = choose_algorithm(quotes, request_.convolve->algorithm, 0);
      for (const ConvolutionQuote& quote : quotes)
        if (quote.algorithm == choice_->algorithm) needs.workspace_bytes = quote.workspace_bytes;
      needs.convolve = true;
      needs.halo_rows = convolution_->spec.kernel.shape.ny / 2 + 1;
      fact("kernel", fmt::format("{}, {} x {} weights", convolution_->spec.kernel.text,
                                 convolution_->spec.kernel.shape.nx, convolution_->spec.kernel.shape.ny));
      fact("algorithm", fmt::format("{}: {}", to_string(choice_->algorithm), choice_->reason));
    }
    for (const std::string& note : convolution_->notes) fact("convolution", note);
  }
  const std::int64_t offered = backend_.info().device_memory_bytes;
  const std::int64_t cap = request_.device_memory_bytes;
  // A pass without the sources needs a copy of the image.
  needs.copy = request_.background && request_.background->method != BackgroundRequest::Method::clip &&
               request_.background->passes > 1;
  tiling_ = plan_tiling(needs, offered > 0 && cap > 0 ? std::min(cap, offered) : offered);
  if (source_to_read_) fact("plan", tiling_.reason);
}

void Run::read() {
  if (cache_ != nullptr && cache_->input) result_.plane = cache_->input;
  if (result_.plane) return;
  stage("read", [&] {
    const auto pixels = result_.image->pixels();
    result_.plane = backend_.load(*pixels, tiling_, job_);
    const std::int64_t all = result_.plane->shape().count(), blank = result_.plane->blank();
    if (result_.plane->infinite() > 0)
      warn(fmt::format("{} infinite pixels count as blank", result_.plane->infinite()));
    fact("blank pixels", fmt::format("{} of {}", blank, all));
    return fmt::format("{:.1f} MB of pixels", static_cast<double>(all * std::abs(header().bitpix) / 8) * 1e-6);
  });
  if (result_.plane->blank() == result_.plane->shape().count())
    warn(fmt::format("{}: no finite pixels", request_.input));
  if (cache_ != nullptr) cache_->input = result_.plane;
}

/// Now that pixels are there, the choice is made again with their range.
void Run::spare_bright_sources() {
  const double range = dynamic_range(backend_, *result_.plane, job_);
  const auto quotes = backend_.quote(convolution_->spec, result_.plane->shape());
  const std::optional<RangeChoice> again = choice_for_range(quotes, range);
  if (!again) return;
  choice_ = again->choice;
  fact("algorithm", fmt::format("{}: {}", to_string(choice_->algorithm), choice_->reason));
  if (!again->warning.empty()) warn(again->warning);
}

void Run::convolve() {
  result_.beam = convolution_->beam_after;
  if (cache_ != nullptr && cache_->plane) result_.plane = cache_->plane;
  if (convolution_->copy || (cache_ != nullptr && cache_->plane)) return;
  stage("convolve", [&] {
    if (!request_.convolve->algorithm && choice_->algorithm == Algorithm::fft) spare_bright_sources();
    const auto plan = backend_.plan_convolution(convolution_->spec, result_.plane->shape(), choice_->algorithm, job_);
    result_.plane = backend_.convolve(*result_.plane, *plan, job_);
    return fmt::format("{}: {}", to_string(choice_->algorithm), plan->description());
  });
  if (cache_ != nullptr) {
    cache_->plane = result_.plane;
    cache_->convolution = convolution_;
    cache_->choice = choice_;
  }
}

std::shared_ptr<const Plane> Run::load_map(const std::string& path, const char* what) {
  const FitsImage map = FitsImage::open(path);
  if (map.header().shape != header().shape)
    throw InputError(fmt::format("{}: the {} map is {} x {} pixels, the image {} x {}; they must be of one size", path,
                                 what, map.header().shape.nx, map.header().shape.ny, header().shape.nx,
                                 header().shape.ny));
  if (map.header().unit.text != header().unit.text && !map.header().unit.text.empty())
    warn(fmt::format("{}: the {} map is in '{}', the image in '{}'; taken as it stands", path, what,
                     map.header().unit.text, header().unit.text));
  const auto pixels = map.pixels();
  return backend_.load(*pixels, tiling_, job_);
}

void Run::background_from_maps() {
  const auto& wanted = *request_.background;
  BackgroundModel& model = *result_.background;
  if (!wanted.mean_path.empty()) {
    model.mean_map = load_map(wanted.mean_path, "mean");
    if (model.mean_map->blank() > result_.plane->blank())
      warn(fmt::format("{}: {} pixels of the mean map are blank; no source is looked for there", wanted.mean_path,
                       model.mean_map->blank()));
    background_history_.push_back("mean map " + wanted.mean_path);
  }
  if (!wanted.rms_path.empty()) {
    model.rms_map = load_map(wanted.rms_path, "rms");
    const std::string warning = check_rms_map(backend_, *model.rms_map, wanted.rms_path, job_);
    if (!warning.empty()) warn(warning);
    background_history_.push_back("rms map " + wanted.rms_path);
  }
}

void Run::measure_background() {
  if (cache_ != nullptr && cache_->background) result_.background = cache_->background;
  if (result_.background) return;
  const BackgroundRequest& wanted = *request_.background;
  const Shape shape = result_.plane->shape();
  stage("background", [&]() -> std::string {
    if (!wanted.mean_path.empty() && !wanted.rms_path.empty()) {
      result_.background = BackgroundModel::constant(shape, 0, 0);
      background_from_maps();
      return "maps given by the user";
    }
    MeasuredBackground measured =
        reber::measure_background(backend_, *result_.plane, wanted, beam_pixels(header(), result_.beam), job_);
    result_.background = std::move(measured.model);
    for (const std::string& warning : measured.warnings) warn(warning);
    if (!measured.boxes.empty()) fact("boxes", measured.boxes);
    const std::string& what = measured.what;
    background_history_.push_back(what);
    background_from_maps();
    return what;
  });
  const auto middle = [](std::vector<float> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return static_cast<double>(values[values.size() / 2]);
  };
  if (!result_.background->mean_map)
    fact("background", fmt::format("median {}", in_unit(middle(result_.background->mean))));
  if (!result_.background->rms_map) {
    const double rms = middle(result_.background->rms);
    fact("noise rms", fmt::format("median {}", in_unit(rms)));
    if (!(rms > 0)) warn("the noise rms is zero or unknown: no source can be found");
  }
  if (cache_ != nullptr) {
    cache_->background = result_.background;
    cache_->background_history = background_history_;
  }
}

/// Islands of the image's S/N or, where scales are asked for, of the S/N of all of them. Sets the seed threshold where
/// a false discovery rate does; negative sources are then looked for with the threshold of the positive ones.
std::unique_ptr<IslandMap> Run::search(DetectOptions& options) {
  const Plane* plane = result_.plane.get();
  const BackgroundModel* background = &*result_.background;
  DetectionPlane scales;
  const BackgroundModel unit = BackgroundModel::constant(plane->shape(), 0, 1);
  if (request_.scales.any()) {
    scales = make_detection_plane(backend_, *plane, *background, request_.scales, *request_.background,
                                  beam_pixels(header(), result_.beam), options.negative, job_);
    if (!options.negative)
      for (const std::string& note : scales.notes) fact("detection", note);
    plane = scales.snr.get();
    background = &unit;
  }
  if (request_.fdr > 0 && !options.negative) {
    const auto beam_px = beam_pixels(header(), result_.beam);
    const auto area =
        beam_px ? std::optional(std::numbers::pi / (4 * std::numbers::ln2) * *beam_px * *beam_px) : std::nullopt;
    const FdrThreshold found = measure_fdr(backend_, *plane, *background, request_.fdr, area, job_);
    options.seed = std::nextafter(static_cast<float>(found.sigma), 0.0f);
    options.flood = std::min(options.flood, options.seed);
    fact("threshold", fmt::format("{:.4g} sigma: {} of {} pixels, of which a part of {:g} is false (c = {:.3g})",
                                  found.sigma, found.detected, found.pixels, request_.fdr, found.correction));
  }
  return backend_.label(*plane, *background, options, job_);
}

void Run::find_sources() {
  DetectOptions options = *request_.detect;
  std::vector<SourceSums> sums;
  std::vector<SourceFit> fits;
  const auto detect = [&](const char* name, bool fitted) {
    std::unique_ptr<IslandMap> islands;
    stage(fmt::format("detect{}", name), [&] {
      islands = search(options);
      return fmt::format("seed {:g}, flood {:g} sigma, {}-connected, at least {} px: {} islands", options.seed,
                         options.flood, static_cast<int>(options.connectivity), options.min_area, islands->count());
    });
    stage(fmt::format("measure{}", name), [&] {
      const auto whole = backend_.measure(*result_.plane, *result_.background, *islands, job_);
      IslandPixels pixels;
      if (request_.deblend.on)
        pixels = backend_.island_pixels(*result_.plane, *result_.background, *islands,
                                        least_blend(header(), result_.beam), job_);
      sums = deblend(whole, pixels, options, request_.deblend, job_.progress());
      return fmt::format("moments; {} islands deblended into {} sources", islands->count(), sums.size());
    });
    fits.clear();
    if (fitted && request_.fit.wanted(result_.beam.has_value()))
      stage(fmt::format("fit{}", name), [&] { return fit_sources(*islands, sums, fits); });
    return islands;
  };
  result_.islands = detect("", true);
  result_.sources =
      make_sources(sums, options, header(), result_.beam, fits, request_.calibration, request_.fit.threads);
  if (request_.negative_too || request_.reliability) {
    options.negative = !options.negative;
    detect("-neg", true);
    add_negative(make_sources(sums, options, header(), result_.beam, fits, request_.calibration, request_.fit.threads),
                 options.seed);
  }
  fact("sources", fmt::format("{}", result_.sources.size()));
}

/// Judges the sources by the negative detections, and keeps those where they are wanted.
void Run::add_negative(const std::vector<Source>& negative, double seed) {
  fact("negative detections", fmt::format("{}", negative.size()));
  if (request_.reliability) {
    const double expected = set_reliabilities(result_.sources, negative, seed);
    fact("reliability",
         fmt::format("{:.1f} of {} sources expected to be false{}", expected, result_.sources.size(),
                     negative.empty() ? " (no negative detection: fewer than 3, with 95 % confidence)" : ""));
  }
  if (request_.negative_too) merge_negative(result_.sources, negative, result_.islands->count());
}

/// The noise is measured once, outside the islands that were found first.
std::string Run::fit_sources(const IslandMap& islands, std::vector<SourceSums>& sums, std::vector<SourceFit>& fits) {
  if (!fitter_) {
    fitter_.emplace(request_.fit, header(), result_.beam);
    fitter_->measure_noise(backend_, *result_.plane, *result_.background, islands, job_);
    fit_history_ = {fitter_->description()};
  }
  const IslandPixels pixels = backend_.island_pixels(*result_.plane, *result_.background, islands, 1, job_);
  fits = fitter_->fit(backend_, sums, pixels, islands.options(), job_);
  const auto noise =
      request_.fit.keep_noise_peaks
          ? std::ranges::count_if(fits, [](const SourceFit& fit) { return (fit.flag & kFlagNoise) != 0; })
          : leave_out_noise_peaks(sums, fits);
  if (noise > 0) {
    const std::string text = fmt::format("{} {}", noise, request_.fit.keep_noise_peaks ? "kept, flagged" : "left out");
    const std::string name = islands.options().negative ? "noise peaks, negative" : "noise peaks";
    fact(name, text);
    fit_history_.push_back(fmt::format("{}: {}", name, text));
  }
  const auto fitted = std::ranges::count_if(fits, [](const SourceFit& fit) { return fit.gaussian.has_value(); });
  return fmt::format("{} of {} sources; {}", fitted, sums.size(), fitter_->description());
}

void Run::write() {
  if (!any_product(request_.output)) return;
  stage("write", [&] {
    result_.report.outputs = write_products(request_.output, backend_, result_, result_.history, job_);
    return fmt::format("{} files", result_.report.outputs.size());
  });
}

}  // namespace

PipelineResult run_pipeline(const Request& request, Backend& backend, const Progress& progress, const LogSink& log,
                            PipelineCache* cache) {
  if (request.detect && !request.background)
    throw InternalError("a request that detects sources must measure the background");
  return Run(request, backend, progress, log, cache).execute();
}

}  // namespace reber
