// SPDX-License-Identifier: BSD-3-Clause
// The rows. Within a section, help pages have their order.
#include "core/request/parameters.hpp"

#include <algorithm>

#include "core/request/parameter_rules.hpp"
#include "core/request/scale_list.hpp"

namespace reber {
namespace {

using Method = BackgroundRequest::Method;

constexpr Range from_to(double low, double high) { return {.low = low, .high = high}; }

constexpr Look slider(double low, double high, std::string_view format, std::string_view empty = {}) {
  return {Look::Kind::slider, low, high, format, empty};
}
constexpr Look log_slider(double low, double high, std::string_view format) {
  return {Look::Kind::log_slider, low, high, format};
}
constexpr Look text(std::string_view hint) { return {.kind = Look::Kind::text, .empty = hint}; }
constexpr Look kChoice{.kind = Look::Kind::choice};
constexpr Look kCheck{.kind = Look::Kind::check};
constexpr Look more(Look look) {
  look.more = true;
  return look;
}

bool boxes(const Request& request) { return part(request.background).method != Method::clip; }
bool sliding(const Request& request) { return part(request.background).method == Method::grid; }
bool deblends(const Request& request) { return request.deblend.on; }

/// Scales are one text for users and two members in JSON.
constexpr Access scales_access() {
  Access access = member([](auto& r) -> auto& { return r.scales.fwhm; });
  access.text = [](const Request& request) { return scales_text(request.scales); };
  access.set_text = [](Request& request, const std::string& list) {
    const ScaleRequest read = parse_scales(list);
    request.scales.fwhm = read.fwhm;
    request.scales.in_beams = read.in_beams;
  };
  return access;
}

/// A kernel that nobody has asked for has no text.
constexpr Access kernel_access() {
  Access access = member([](auto& r) -> auto& { return part(r.convolve).kernel; });
  access.text = [](const Request& request) {
    const KernelSpec& kernel = part(request.convolve).kernel;
    return kernel == KernelSpec() ? std::string() : to_string(kernel);
  };
  access.set_text = [](Request& request, const std::string& kernel) {
    part(request.convolve).kernel = parse_kernel(kernel);
  };
  return access;
}

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
     .access = member([](auto& r) -> auto& { return part(r.convolve).algorithm; }),
     .title = "Algorithm",
     .help = "How to convolve; auto takes the cheapest that can",
     .look = kChoice},
    {.name = "convolve.boundary",
     .option = "--boundary",
     .stage = StageId::convolve,
     .access = member([](auto& r) -> auto& { return part(r.convolve).boundary; }),
     .title = "Outside",
     .help = "What stands outside the image; blank: nothing is known there",
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
    {.name = "background.method",
     .option = "--background",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).method; }),
     .title = "Method",
     .help = "mesh: background and noise vary, measured in cells; grid: in overlapping boxes; clip: one value each for "
             "the whole image",
     .look = kChoice},
    {.name = "background.box",
     .option = "--box",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).box; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Box",
     .help = "Side of the cells or boxes in pixels; 0: cells of 12 beams, and at least 64 px, where the image is large "
             "enough, boxes of twice that",
     .look = slider(0, 512, "%d px", "from the beam"),
     .applies = boxes},
    {.name = "background.step",
     .option = "--step",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).step; }),
     .range = {.low = 0},
     .unit = {"px"},
     .title = "Step",
     .help = "From one box of the grid to the next, in pixels; 0: half a box",
     .look = slider(0, 256, "%d px", "half a box"),
     .applies = sliding},
    {.name = "background.passes",
     .option = "--passes",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).passes; }),
     .range = from_to(1, 10),
     .title = "Passes",
     .help = "Measurements in a row; each after the first leaves out the sources found with the one before",
     .look = more(slider(1, 10, "%d")),
     .applies = boxes},
    {.name = "background.adaptive",
     .option = "--adaptive",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).adaptive; }),
     .title = "Smaller near bright sources",
     .help = "Boxes of a third of the side near sources above 50 sigma, for noise that rises around them",
     .look = more(kCheck),
     .applies = boxes},
    {.name = "background.kappa",
     .option = "--kappa",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.clip.kappa; }),
     .range = {.low = 0, .above = true},
     .unit = {"sigma"},
     .title = "Clip",
     .help = "Pixels further than this many sigma from the median are clipped",
     .look = more(slider(1.5, 6, "%.1f sigma"))},
    {.name = "background.max_rounds",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.clip.max_rounds; }),
     .range = from_to(1, 100000),
     .title = "Rounds of the clip",
     .help = "The clip ends after this many rounds, settled or not"},
    {.name = "background.filter",
     .option = "--filter",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.filter; }),
     .range = {.low = 1, .odd = true},
     .unit = {"cells"},
     .title = "Filter",
     .help = "Side of the median filter over the cells; 1 for none",
     .look = more(slider(1, 9, "%d x %d")),
     .applies = boxes},
    {.name = "background.min_valid",
     .option = "--min-valid",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.min_valid; }),
     .range = from_to(0, 1),
     .unit = {"part"},
     .title = "Least filled",
     .help = "A cell with fewer known pixels than this part takes its neighbours' values",
     .look = more(slider(0, 1, "%.2f")),
     .applies = boxes},
    {.name = "background.centre",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mesh.centre; }),
     .range = from_to(0, 100),
     .title = "Centre of a cell",
     .help = "A cell's background is this x median - (this - 1) x mean of the pixels that the clip keeps"},
    {.name = "background.mean_path",
     .option = "--mean,--mean-map",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).mean_path; }),
     .unit = {"FITS"},
     .title = "Mean map",
     .help =
         "Take the background from this FITS map, of the image's size; for an inverted image, from the inverted map",
     .look = more(text("FITS file"))},
    {.name = "background.rms_path",
     .option = "--rms,--rms-map",
     .stage = StageId::background,
     .access = member([](auto& r) -> auto& { return part(r.background).rms_path; }),
     .unit = {"FITS"},
     .title = "Noise map",
     .help = "Take the noise from this FITS map, of the image's size; pixels that are blank, zero or negative in it "
             "hold no source",
     .look = more(text("FITS file"))},
    {.name = "detect.seed",
     .option = "--threshold",
     .stage = StageId::detect,
     .access = member([](auto& r) -> auto& { return part(r.detect).seed; }),
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
     .help = "In place of --threshold: the part of the detected pixels that may be false; sets the threshold from the "
             "S/N of all pixels. 0: off",
     .look = log_slider(1e-4, 0.5, "%.4f"),
     .applies = [](const Request& r) { return r.fdr > 0; }},
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

std::span<const Parameter> parameters() { return kRows; }

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
