// SPDX-License-Identifier: BSD-3-Clause
// Scales, then the threshold, then labels.
#include "core/run/pipeline/detect_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/measure/background/padding.hpp"
#include "core/measure/fitting/noise_tails.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/detection_planes.hpp"
#include "core/run/pipeline/fdr.hpp"
#include "core/run/pipeline/read_stage.hpp"
#include "core/run/request/map_choice.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/sky/mask/mask_file.hpp"
#include "core/sky/mask/moc_mask.hpp"
#include "core/sky/mask/region_mask.hpp"

namespace reber {
namespace {

void set_threshold_by_fdr(const Plane& plane, const BackgroundModel& background, double rate, DetectOptions& options,
                          StageWork& work) {
  const FdrThreshold found = measure_fdr(work.backend, plane, background, rate, options, work.job);
  options.seed = std::nextafter(static_cast<float>(found.sigma), 0.0f);
  work.fact("threshold", fmt::format("{:.4g} sigma: {} islands, of which {:.3g} are expected to be false (asked: {:g})",
                                     found.sigma, found.detected, found.expected_false, rate));
}

/// Islands of the usual threshold, or of a lower one where the request allows for it and the image too.
std::unique_ptr<IslandMap> label_deepened(const Plane& plane, const BackgroundModel& background,
                                          const SearchedNoise& noise, double part, DetectOptions& options,
                                          StageWork& work) {
  auto islands = work.backend.label(plane, background, options, work.job);
  if (!(part > 0)) return islands;
  auto made = deepen(work.backend, plane, background, std::move(islands), options, noise, part, work.job);
  if (made.lowered) {
    options.seed = made.islands->options().seed;
    const std::string what = fmt::format("{:.4g} sigma: {} islands, of which {:.3g} are expected to be false",
                                         made.lowered->sigma, made.lowered->detected, made.lowered->expected_false);
    work.fact("threshold", what);
    work.note("threshold lowered to " + what);
  }
  return std::move(made.islands);
}

/// Another image of the same grid, with its own background.
struct DetectionImage {
  std::shared_ptr<const Plane> plane;
  BackgroundModel background;
};

void refuse_other_grid(const ImageHeader& own, const ImageHeader& image, const std::string& path) {
  constexpr double kMostPixels = 0.1;
  if (own.shape != image.shape)
    throw InputError(
        fmt::format("{}: the detection image is {} x {} pixels, the image {} x {}; they must be of one grid", path,
                    own.shape.nx, own.shape.ny, image.shape.nx, image.shape.ny));
  for (const double part : {0.0, 1.0}) {
    const double x = part * static_cast<double>(image.shape.nx - 1), y = part * static_cast<double>(image.shape.ny - 1);
    const auto sky = image.wcs.to_sky(x, y);
    const auto place = sky ? own.wcs.to_pixel(*sky) : std::nullopt;
    if (place && !(std::hypot(place->x - x, place->y - y) <= kMostPixels))
      throw InputError(
          fmt::format("{}: pixel {}, {} of the image lies at {:.2f}, {:.2f} of the detection image; they must "
                      "be of one grid",
                      path, x, y, place->x, place->y));
  }
}

DetectionImage read_detection_image(const MeasuredPlane& in, const TilingPlan& tiling, const Request& request,
                                    StageWork& work) {
  const std::string& path = request.search.image;
  const ImagePlane file = ImagePlane::open(path, request.open, work.job.progress());
  const ImageHeader& header = file.header();
  refuse_other_grid(header, in.header, path);
  DetectionImage made;
  auto [plane, padding] = without_padding(work.backend, load_or_stream(file, tiling, work), header.bitpix, work.job);
  made.plane = std::move(plane);
  if (!padding.empty()) work.warn("detection image: " + padding);
  BackgroundRequest wanted = *request.background;
  if (!request.search.image_mean.empty() || map_choice(wanted.mean_path).kind == MapChoice::Kind::map)
    wanted.mean_path = request.search.image_mean;
  wanted.rms_path = request.search.image_rms;
  const LogSink silent;
  StageWork its(work.backend, work.job, silent);
  made.background = run_background({*made.plane, header, in.beam, tiling}, wanted, its);
  for (const std::string& warning : its.warnings) work.warn(warning);
  for (const std::string& line : its.history) work.note("detection image: " + line);
  work.fact("detection image", fmt::format("{}: {}", path, its.algorithm));
  return made;
}

/// Where the mask, the regions and the MOC of a search all are.
std::shared_ptr<const SearchedPixels> searched_pixels(const ImageHeader& image, const SearchRequest& search,
                                                      StageWork& work) {
  auto searched = std::make_shared<SearchedPixels>(image.shape);
  const Progress& progress = work.job.progress();
  const auto warn = [&](const std::string& text) { work.warn(text); };
  if (!search.mask.empty()) searched->keep(mask_for(search.mask, image, warn, progress), progress);
  if (!search.region.empty()) {
    const auto take = [&](std::int64_t y, const PixelRuns& inside) { searched->keep(y, inside); };
    for_each_row_inside(read_regions(search.region, image.wcs, warn, progress), image.shape, take, warn, progress);
  }
  if (!search.moc.empty())
    searched->keep(mask_of(read_moc(search.moc, progress), image.wcs, image.shape, progress), progress);
  const std::int64_t count = searched->count(progress);
  if (count == 0) work.warn("no pixel of the image lies where sources are to be looked for");
  work.fact("search", fmt::format("{} of {} pixels", count, image.shape.count()));
  return searched;
}

SearchedNoise searched_noise(const Plane& plane, const SearchedPixels* searched, std::optional<double> beam_px,
                             const Progress& progress) {
  std::int64_t pixels = plane.shape().count() - plane.blank();
  if (searched != nullptr) pixels = std::min<std::int64_t>(pixels, searched->count(progress));
  return {static_cast<double>(pixels), beam_px.value_or(0)};
}

/// Says where negative peaks show that the noise is not Gaussian, of a search that takes it for that. Not of planes
/// that are left in their file, which would be read once more.
void warn_of_tails(const Plane& plane, const BackgroundModel& background, const DetectOptions& options, double pixels,
                   const ImageHeader& header, StageWork& work) {
  const auto peaks = too_many_negative_peaks(work.backend, plane, background, options, pixels, work.job);
  if (!peaks || may_be_negative(header)) return;
  work.fact("negative peaks", fmt::format("{}, {:.2g} expected of Gaussian noise", peaks->found, peaks->expected));
  work.warn(
      fmt::format("{} negative peaks above {:g} sigma, {:.2g} expected: the noise has heavier tails than a Gaussian, "
                  "or there are negative artefacts, and as many sources may be false; use --fdr or --reliability",
                  peaks->found, options.seed, peaks->expected));
}

}  // namespace

DetectOptions options_of_negative(const Detected& positive) {
  DetectOptions options = positive.options;
  options.negative = !options.negative;
  return options;
}

Detected run_detect(const MeasuredPlane& in, const TilingPlan& tiling, const DetectOptions& options,
                    const Request& request, StageWork& work) {
  const auto known = [&] { return std::make_shared<KnownPixels>(known_pixels(work.backend, in.plane, work.job)); };
  // Before the islands: on a device two label maps at a time could be one too many. Of a plane that is left in its file
  // after them: a backend that looks ahead has theirs begun.
  Detected made{nullptr, options, tiling.in_source ? nullptr : known(), {}, nullptr};
  const std::optional<double> beam_px = beam_pixels(in.header, in.beam);
  const Plane* plane = &in.plane;
  const BackgroundModel* background = &in.background;
  DetectionImage other;
  if (!request.search.image.empty()) {
    other = read_detection_image(in, tiling, request, work);
    plane = other.plane.get();
    background = &other.background;
  }
  const Plane& searched = *plane;
  DetectionPlane scales;
  const BackgroundModel unit = BackgroundModel::constant(plane->shape(), 0, 1);
  if (request.scales.any()) {
    scales = make_detection_plane(work.backend, *plane, *background, request.scales, *request.background, beam_px,
                                  options.negative, work.job);
    if (!options.negative)
      for (const std::string& note : scales.notes) {
        work.fact("detection", note);
        work.note(note);
      }
    plane = scales.snr.get();
    background = &unit;
  }
  std::unique_ptr<Plane> inside;
  if (request.search.masked()) {
    made.searched = searched_pixels(in.header, request.search, work);
    const auto outside = work.backend.load(*blank_outside(made.searched), tiling, work.job);
    if (!scales.snr) inside = work.backend.derive(SnrPlane{*plane, *background}, work.job);
    inside = work.backend.derive(CombinedPlane{PlaneRule::difference, scales.snr ? *scales.snr : *inside, *outside},
                                 work.job);
    plane = inside.get();
    background = &unit;
  }
  if (request.fdr > 0 && !options.negative) set_threshold_by_fdr(*plane, *background, request.fdr, made.options, work);
  DetectOptions& used = made.options;
  const double part = deepening_possible(request) && !used.negative ? request.deepen : 0;
  made.islands = label_deepened(
      *plane, *background, searched_noise(*plane, made.searched.get(), beam_px, work.job.progress()), part, used, work);
  if (!made.known) made.known = known();
  if (!options.negative && !request.negative_too && !request.reliability && !(request.fdr > 0) &&
      !request.scales.any() && !tiling.in_source)
    warn_of_tails(*plane, *background, options,
                  searched_noise(*plane, made.searched.get(), beam_px, work.job.progress()).pixels, in.header, work);
  // What was searched is not needed any more, and the wavelets take as much memory.
  inside.reset();
  scales.snr.reset();
  made.waves = best_wavelets(work.backend, searched, scales, *made.islands, work.job);
  work.algorithm = fmt::format("seed {:g}, flood {:g} sigma, {}-connected, at least {} px: {} islands", used.seed,
                               used.flood, static_cast<int>(used.connectivity), used.min_area, made.islands->count());
  return made;
}

}  // namespace reber
