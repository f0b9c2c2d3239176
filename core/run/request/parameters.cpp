// SPDX-License-Identifier: BSD-3-Clause
// The rows, but for those of the background. Within a section, help pages have their order.
#include "core/run/request/parameters.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/run/request/background_parameters.hpp"
#include "core/run/request/parameter_looks.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/run/request/text_access.hpp"

namespace reber {
namespace {

using namespace looks;

bool deblends(const Request& request) { return request.deblend.on; }

constexpr Parameter kRows[] = {
    {.name = "convolve.kernel",
     .option = "--kernel",
     .stage = StageId::convolve,
     .access = kernel_access(),
     .unit = {"kernel"},
     .title = "Kernel",
     .help = "One of | gaussian:FWHM (pixels) | gaussian:MAJ,MIN,ANGLE (pixels; degrees from +x to +y) | "
             "beam:MAJ,MIN,PA (smooth to this beam; arcsec, degrees) | box:SIDE | tophat:RADIUS | "
             "mexican-hat:SIGMA (pixels) | file:KERNEL.fits",
     .look = text("gaussian:5")},
    {.name = "convolve.algorithm",
     .option = "--algorithm",
     .stage = StageId::convolve,
     .access = algorithm_access(),
     .title = "Algorithm",
     .help = "How to convolve; auto takes the cheapest that can; a variant of one is named as fft/lines (reber "
             "--list-algorithms shows them)",
     .look = kChoice},
    {.name = "convolve.variant",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).variant; }),
     .title = "Variant",
     .help = "Of the algorithm, by its name in reber --list-algorithms; empty: the cheapest"},
    {.name = "convolve.boundary",
     .option = "--boundary",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).boundary; }),
     .title = "Outside",
     .help = "What stands outside the image: reflect, its own pixels in a mirror, keeps the total flux and a constant; "
             "zero loses flux over the edges; blank: nothing is known there",
     .look = kChoice},
    {.name = "convolve.nan",
     .option = "--nan",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).nan; }),
     .title = "Blank pixels",
     .help = "What blank pixels do: interpolate over them, fill them with 0, or propagate; auto: fill for "
             "mexican-hat, else interpolate",
     .look = more(kChoice)},
    {.name = "convolve.min_weight",
     .option = "--min-weight",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).min_weight; }),
     .range = from_to(0, 1),
     .unit = {"part"},
     .title = "Least weight",
     .help = "With interpolate: blank where known pixels carry less than this part of the weight",
     .look = more(slider(0, 1, "%.2f")),
     .applies = [](const Request& r) { return nan_rule(part(r.convolve)) == NanRule::interpolate; }},
    {.name = "convolve.keep_blanks",
     .option = "--keep-blanks",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).keep_blanks; }),
     .title = "Blank pixels stay blank",
     .help = "Blank pixels of the input stay blank",
     .look = more(kCheck)},
    {.name = "convolve.normalise",
     .option = "--normalise,--normalize",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).normalise; }),
     .title = "Weights",
     .help = "Scale the weights to unit sum, unit peak, or not; auto: unit peak for mexican-hat, else unit sum",
     .look = more(kChoice)},
    {.name = "detect.seed",
     .option = "--threshold",
     .stage = StageId::detect,
     .access = seed_access(),
     .range = {.low = 0, .above = true},
     .unit = {"sigma"},
     .title = "Seed",
     .help = "A source holds a pixel above this many sigma",
     .look = slider(1, 20, "%.2f sigma"),
     .applies = [](const Request& r) { return !(r.fdr > 0); }},
    {.name = "detect.fdr",
     .option = "--fdr",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.fdr; }),
     .range = from_to(0, 0.999),
     .unit = {"part"},
     .title = "False part",
     .help =
         "In place of --threshold: the part of the detected islands that may be false; sets the threshold, at least "
         "the flood level, from the peaks of the image and of its negative. 0: off",
     .look = log_slider(1e-4, 0.5, "%.4f"),
     .applies = [](const Request& r) { return r.fdr > 0; }},
    {.name = "detect.deepen",
     .option = "--deepen",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.deepen; }),
     .range = from_to(0, 0.999),
     .unit = {"part"},
     .title = "Deepen",
     .help =
         "In crowded fields the seed threshold is lowered, to 0.9 of it at most, as far as this part of the detected "
         "islands or less is expected to be false, by theory and by the negative image. 0: never, as with a "
         "--threshold that is given alone, --fdr, --scales, --wavelets and --detection-image",
     .look = more({.kind = Look::Kind::number, .empty = "never"}),
     .applies = deepening_possible},
    {.name = "detect.flood",
     .option = "--flood",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return part(r.detect).flood; }),
     .range = {.low = 0, .above = true},
     .unit = {"sigma"},
     .title = "Flood",
     .help = "A source consists of connected pixels above this many sigma",
     .look = slider(0.5, 20, "%.2f sigma")},
    {.name = "detect.min_area",
     .option = "--min-area",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return part(r.detect).min_area; }),
     .range = {.low = 1},
     .unit = {"px"},
     .title = "Least pixels",
     .help = "An island has at least this many pixels",
     .look = slider(1, 50, "%d")},
    {.name = "detect.connectivity",
     .option = "--connectivity",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return part(r.detect).connectivity; }),
     .title = "Joined by",
     .help = "8: pixels that touch at a corner belong together; 4: not",
     .look = more(kChoice)},
    {.name = "detect.scales.fwhm",
     .option = "--scales",
     .stage = StageId::detect,
     .access = scales_access(),
     .unit = {"list"},
     .title = "Scales",
     .help = "Detect on the image smoothed by Gaussians of these FWHMs, each with its own noise, e.g. 0,3,6 (pixels; "
             "0: the image) or 0b,1b,2b (beams); fluxes are measured on the image",
     .look = more(text("the image alone"))},
    {.name = "detect.scales.in_beams",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.scales.in_beams; }),
     .title = "Scales in beams",
     .help = "The scales are in beams, else in pixels; --scales says so by the letter b"},
    {.name = "detect.scales.wavelets",
     .option = "--wavelets",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.scales.wavelets; }),
     .range = from_to(0, 12),
     .unit = {"planes"},
     .title = "Wavelets",
     .help = "Detect on this many a-trous wavelet planes as well, for extended emission; plane j holds 2^j px. 0: none",
     .look = more(slider(0, 12, "%d planes", "none"))},
    {.name = "detect.search.image",
     .option = "--detection-image",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.image; }),
     .unit = {"FITS"},
     .title = "Detection image",
     .help = "Look for islands in this FITS image, of the same grid, by its own background and noise; all is measured "
             "in the image itself, such as a flat-noise image beside a primary-beam corrected one",
     .look = more(text("FITS file"))},
    {.name = "detect.search.image_mean",
     .option = "--use-detection-mean",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.image_mean; }),
     .unit = {"FITS"},
     .title = "Its mean map",
     .help = "Background of the detection image, as --use-mean is that of the image"},
    {.name = "detect.search.image_rms",
     .option = "--use-detection-rms",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.image_rms; }),
     .unit = {"FITS"},
     .title = "Its noise map",
     .help = "Noise of the detection image, as --use-rms is that of the image"},
    {.name = "detect.search.mask",
     .option = "--search-mask",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.mask; }),
     .unit = {"FITS"},
     .title = "Search inside",
     .help = "Look for sources only where this FITS mask, of the image's size, is not 0; the background is measured on "
             "all of the image",
     .look = more(text("FITS mask"))},
    {.name = "detect.search.region",
     .option = "--search-region",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.region; }),
     .unit = {"region"},
     .title = "Search in regions",
     .help = "The same for a DS9 or CASA region file, or for shapes in its words: \"fk5; circle(10.5, -30, 0.5)\"",
     .look = more(text("region file"))},
    {.name = "detect.search.moc",
     .option = "--search-moc",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return r.search.moc; }),
     .unit = {"MOC"},
     .title = "Search in a MOC",
     .help = "The same for a multi-order coverage map (IVOA MOC), as FITS, text or JSON, or for its cells themselves: "
             "\"3/1-4 6\"",
     .look = more(text("MOC file"))},
    {.name = "detect.deblend.on",
     .option = "!--no-deblend",
     .stage = StageId::measure,
     .access = member([](auto& r) -> auto& { return r.deblend.on; }),
     .title = "Deblend",
     .help = "Without deblending every island is one source, else those with several peaks become several",
     .look = more(kCheck),
     .alias = "deblend"},
    {.name = "detect.deblend.contrast",
     .option = "--contrast",
     .stage = StageId::measure,
     .access = member([](auto& r) -> auto& { return r.deblend.contrast; }),
     .range = from_to(0, 1),
     .unit = {"part"},
     .title = "Contrast",
     .help =
         "A peak is a source of its own if it holds this part of its island's flux above the saddle to the next, or "
         "rises above it by the threshold and by twice this part of the brighter peak",
     .look = more(log_slider(1e-4, 0.5, "%.4f")),
     .applies = deblends},
    {.name = "detect.deblend.prominence",
     .option = "--prominence",
     .stage = StageId::measure,
     .access = member([](auto& r) -> auto& { return r.deblend.prominence; }),
     .range = {.low = 0},
     .unit = {"sigma"},
     .title = "Prominence",
     .help = "A peak that is a source of its own rises this many sigma above that saddle",
     .look = more(slider(0, 10, "%.1f sigma")),
     .applies = deblends},
    {.name = "detect.measure",
     .option = "--fit",
     .stage = StageId::fit,
     .access = member([](auto& r) -> auto& { return r.fit.method; }),
     .title = "By",
     .help = "gaussian: sources are measured by fits that allow for correlated noise, all of an island together; "
             "moments: by moments; auto: by fits where the beam is known",
     .look = kChoice,
     .alias = "fit"},
    {.name = "detect.psf_map",
     .option = "--psf-map",
     .stage = StageId::measure,
     .access = member([](auto& r) -> auto& { return r.psf_map; }),
     .unit = {"cube"},
     .title = "Map of the beam",
     .help = "The beam varies: its major axis, minor axis and position angle (degrees) as planes of this FITS cube, on "
             "any grid, as Aegean's --psf; sources are fitted, deconvolved and summed by the beam of their place",
     .look = more(text("FITS cube"))},
    {.name = "detect.beam_is",
     .option = "--beam-is",
     .stage = StageId::measure,
     .access = member([](auto& r) -> auto& { return r.beam_is; }),
     .title = "Beam is constant",
     .help = "What of the header's beam is the same all over the image: its size in pixels, or on the sky; auto: in "
             "pixels in SIN, slant and NCP too, else on the sky",
     .look = more(kChoice)},
    {.name = "detect.keep_noise_peaks",
     .option = "--keep-noise-peaks",
     .stage = StageId::fit,
     .access = member([](auto& r) -> auto& { return r.fit.keep_noise_peaks; }),
     .title = "Keep noise peaks",
     .help =
         "Fits take faint detections for peaks of the noise where they look like it, and leave them out: keep them, "
         "flagged",
     .look = more(kCheck)},
    {.name = "detect.calibration.clean_bias",
     .option = "--clean-bias",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.calibration.clean_bias; }),
     .unit = {"Jy/beam"},
     .title = "Clean bias",
     .help = "Added to every peak, in Jy/beam; totals are scaled alike",
     .look = more({.kind = Look::Kind::number, .empty = "Jy/beam"})},
    {.name = "detect.calibration.flux_error",
     .option = "--calibration-error",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.calibration.flux_error; }),
     .range = from_to(0, 1),
     .unit = {"part"},
     .title = "Flux error",
     .help = "Part of each flux that is added to its error, in quadrature",
     .look = more(slider(0, 0.5, "%.3f"))},
    {.name = "detect.calibration.position_error",
     .option = "--position-error",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.calibration.position_error_deg; }),
     .range = {.low = 0},
     .unit = {"arcsec", "deg", 3600},
     .title = "Position error",
     .help = "Added to the errors of the positions, in quadrature",
     .look = more(slider(0, 10, "%.2f arcsec"))},
    {.name = "detect.group.tolerance",
     .option = "--group-tol",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.group.tolerance; }),
     .range = {.low = 0, .above = true},
     .title = "Group tolerance",
     .help = "In tables of sources and patches of sky models: Gaussians of an island are one source where the dip "
             "between them and their distance are within this, as PyBDSF's group_tol",
     .look = more(slider(0.1, 20, "%.1f"))},
    {.name = "detect.group.by_island",
     .option = "--group-by-island",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.group.by_island; }),
     .title = "One source per island",
     .help = "In the same: all Gaussians of an island are one source",
     .look = more(kCheck)},
    {.name = "detect.negative_too",
     .option = "--negative",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.negative_too; }),
     .title = "Negative sources too",
     .help = "Find negative sources as well; they are flagged",
     .look = more(kCheck),
     .section = Section::detection},
    {.name = "detect.reliability",
     .option = "--reliability",
     .stage = StageId::judge,
     .access = member([](auto& r) -> auto& { return r.reliability; }),
     .title = "Reliability",
     .help = "Search the negative image in the same run and say of each source how likely it is real",
     .look = more(kCheck),
     .section = Section::detection},
};

}  // namespace

std::span<const Parameter> parameters() {
  static const std::vector<Parameter> rows = [] {
    const auto background = background_parameters();
    std::vector<Parameter> all(background.begin(), background.end());
    all.insert(all.begin(), std::begin(kRows), std::end(kRows));
    const auto after_background = [](const Parameter& row) { return std::min(section_of(row), Section::detection); };
    std::ranges::stable_sort(all, {}, after_background);
    return all;
  }();
  return rows;
}

std::vector<std::string> options_in_force(const Request& request) {
  std::vector<std::string> lines = request.call;
  const std::vector<std::string> rows = option_lines(request, parameters());
  lines.insert(lines.end(), rows.begin(), rows.end());
  return lines;
}

const Parameter* find_parameter(std::string_view name, std::span<const Parameter> rows) {
  const auto found = std::ranges::find_if(
      rows, [&](const Parameter& row) { return row.name == name || (!row.alias.empty() && row.alias == name); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace reber
