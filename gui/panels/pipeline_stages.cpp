// SPDX-License-Identifier: BSD-3-Clause
// Parameters of each stage of the pipeline. What they begin with is the command line's.
#include "gui/panels/pipeline_stages.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/pipeline/scale_list.hpp"
#include "gui/panels/pipeline_fields.hpp"

namespace reber::gui {
namespace {

bool check(Context& context, const char* text, const char* name, bool& value, const char* words) {
  const bool changed = ImGui::Checkbox(text, &value);
  context.widgets.item(name);
  tip(words);
  return changed;
}

/// A kernel of zero sum has rules of its own, as on the command line.
void set_kernel(ConvolveRequest& convolve, const std::string& text) {
  const bool zero_sum = std::holds_alternative<MexicanHatKernel>(convolve.kernel);
  convolve.kernel = parse_kernel(text);
  const bool now = std::holds_alternative<MexicanHatKernel>(convolve.kernel);
  if (now == zero_sum) return;
  convolve.nan = now ? NanRule::fill : NanRule::interpolate;
  convolve.normalise = now ? Normalise::peak : Normalise::sum;
}

bool edit_blanks(Context& context, ConvolveRequest& convolve) {
  static constexpr std::array<std::pair<NanRule, const char*>, 3> kRules{
      {{NanRule::interpolate, "interpolate"}, {NanRule::fill, "fill with 0"}, {NanRule::propagate, "propagate"}}};
  bool changed = choice(context, "Blank pixels", "pipeline.nan", convolve.nan, kRules);
  if (convolve.nan == NanRule::interpolate && std::holds_alternative<MexicanHatKernel>(convolve.kernel)) {
    convolve.nan = NanRule::fill;  // it would divide by the sum of the weights, which is zero
    changed = true;
  }
  if (convolve.nan == NanRule::interpolate) {
    changed = number(context, "Least weight", "pipeline.min_weight", convolve.min_weight, 0, 1, "%.2f") || changed;
    tip("Blank where known pixels carry less than this part of the kernel's weight.");
  }
  static constexpr std::array<std::pair<Normalise, const char*>, 3> kScales{
      {{Normalise::sum, "unit sum"}, {Normalise::peak, "unit peak"}, {Normalise::none, "as they are"}}};
  changed = choice(context, "Weights", "pipeline.normalise", convolve.normalise, kScales) || changed;
  return check(context, "Blank pixels stay blank", "pipeline.keep_blanks", convolve.keep_blanks,
               "Pixels without a value in the image have none after the convolution.") ||
         changed;
}

bool edit_maps(Context& context, Document& document) {
  BackgroundRequest& background = *document.request.background;
  bool changed = text_value(context, "Mean map", "pipeline.mean_map", document.id, background.mean_path, "FITS file",
                            [&](const std::string& text) { background.mean_path = text; });
  tip("Background taken from this map, of the image's size, in place of measuring it.");
  changed = text_value(context, "Noise map", "pipeline.rms_map", document.id, background.rms_path, "FITS file",
                       [&](const std::string& text) { background.rms_path = text; }) ||
            changed;
  tip("Noise taken from this map. Pixels that are blank, zero or negative in it hold no source.");
  return changed;
}

bool edit_boxes(Context& context, BackgroundRequest& background) {
  const bool sliding = background.method == BackgroundRequest::Method::grid;
  bool changed = whole_number(context, sliding ? "Box" : "Cell", "pipeline.box", background.box, 0, 512,
                              background.box == 0 ? "from the beam" : "%d px");
  tip("Side in pixels. From the beam: cells of 12 beams, and at least 64 px, where the image is large enough; boxes of "
      "twice that.");
  if (sliding) {
    changed = whole_number(context, "Step", "pipeline.step", background.step, 0, 256,
                           background.step == 0 ? "half a box" : "%d px") ||
              changed;
    tip("From one box to the next.");
  }
  return changed;
}

bool edit_box_rules(Context& context, BackgroundRequest& background) {
  bool changed = false;
  std::int64_t passes = background.passes;
  if (whole_number(context, "Passes", "pipeline.passes", passes, 1, 10, "%d")) {
    background.passes = static_cast<int>(passes);
    changed = true;
  }
  tip("Measurements in a row; each after the first leaves out the sources found with the one before.");
  std::int64_t half = background.mesh.filter / 2;
  const std::string words = std::to_string(background.mesh.filter) + " x " + std::to_string(background.mesh.filter);
  if (whole_number(context, "Filter", "pipeline.filter", half, 0, 4, words.c_str())) {
    background.mesh.filter = 2 * static_cast<int>(half) + 1;
    changed = true;
  }
  tip("Median over that many cells; 1 x 1 for none.");
  return check(context, "Smaller near bright sources", "pipeline.adaptive", background.adaptive,
               "Boxes of a third of the side near sources above 50 sigma, for noise that rises around them.") ||
         changed;
}

/// One S/N a pixel has a p-value; the larger one of several has none.
bool fdr_possible(const Request& request) { return request.scales.fwhm.size() < 2 && request.scales.wavelets == 0; }

bool edit_threshold(Context& context, Request& request) {
  DetectOptions& detect = *request.detect;
  bool by_rate = request.fdr > 0, changed = false;
  static constexpr std::array<std::pair<bool, const char*>, 2> kRules{
      {{false, "in sigma"}, {true, "false discoveries"}}};
  ImGui::BeginDisabled(!fdr_possible(request));
  if (choice(context, "Threshold", "pipeline.rule", by_rate, kRules)) {
    request.fdr = by_rate ? 0.01 : 0;
    changed = true;
  }
  ImGui::EndDisabled();
  tip(fdr_possible(request) ? "A number of sigma, or the part of the detected pixels that may be false."
                            : "False discoveries need the p-value of one S/N a pixel: not with several scales.");
  if (by_rate) {
    changed =
        number(context, "False part", "pipeline.fdr", request.fdr, 1e-4, 0.5, "%.4f", ImGuiSliderFlags_Logarithmic) ||
        changed;
    tip("The seed threshold follows from the S/N of all pixels.");
  } else if (number(context, "Seed", "pipeline.seed", detect.seed, 1, 20, "%.2f sigma")) {
    detect.flood = std::min(detect.flood, detect.seed);
    changed = true;
  }
  if (!by_rate) tip("An island must hold a pixel above this. Ctrl+wheel on the image changes it by a tenth.");
  if (number(context, "Flood", "pipeline.flood", detect.flood, 0.5, 20, "%.2f sigma")) {
    detect.seed = std::max(detect.seed, detect.flood);
    changed = true;
  }
  tip("An island is made of the pixels above this.");
  return changed;
}

bool edit_scales(Context& context, Document& document) {
  Request& request = document.request;
  bool changed = text_value(context, "Scales", "pipeline.scales", document.id, scales_text(request.scales),
                            "the image alone", [&](const std::string& text) {
                              const int wavelets = request.scales.wavelets;
                              request.scales = parse_scales(text);
                              request.scales.wavelets = wavelets;
                            });
  tip("Detects on the image smoothed by Gaussians of these FWHMs, each with its own noise: 0,3,6 (pixels; 0 is the "
      "image) "
      "or 0b,1b,2b (beams). Fluxes are measured on the image.");
  std::int64_t wavelets = request.scales.wavelets;
  if (whole_number(context, "Wavelets", "pipeline.wavelets", wavelets, 0, 12, wavelets == 0 ? "none" : "%d planes")) {
    request.scales.wavelets = static_cast<int>(wavelets);
    changed = true;
  }
  tip("Detects on this many a-trous wavelet planes as well, for extended emission; plane j holds 2^j pixels.");
  if (changed && !fdr_possible(request)) request.fdr = 0;
  return changed;
}

bool edit_clean_bias(Context& context, Document& document) {
  double& bias = document.request.calibration.clean_bias;
  const bool changed =
      text_value(context, "Clean bias", "pipeline.clean_bias", document.id, bias == 0 ? "" : fmt::format("{:g}", bias),
                 "Jy/beam", [&bias](const std::string& text) {
                   char* end = nullptr;
                   const double value = std::strtod(text.c_str(), &end);
                   if (*end != '\0' || !std::isfinite(value))
                     throw InputError(fmt::format("'{}' is not a number of Jy/beam", text));
                   bias = value;
                 });
  tip("Added to every peak; totals are scaled alike.");
  return changed;
}

}  // namespace

bool edit_convolution(Context& context, Document& document) {
  Request& request = document.request;
  bool on = request.convolve.has_value();
  bool changed = stage_heading(context, document, "Convolve", "convolve", &on);
  if (on && !request.convolve) {
    request.convolve.emplace();
    request.convolve->kernel = GaussianPixels{5, 5, 0};
  }
  if (!on) request.convolve.reset();
  if (!request.convolve) return changed;
  ConvolveRequest& convolve = *request.convolve;
  ImGui::Indent();
  changed = text_value(context, "Kernel", "pipeline.kernel", document.id, to_string(convolve.kernel), "gaussian:5",
                       [&](const std::string& text) { set_kernel(convolve, text); }) ||
            changed;
  tip("gaussian:FWHM, gaussian:MAJ,MIN,ANGLE (pixels), beam:MAJ,MIN,PA (arcsec: the beam to reach), box:N, tophat:R, "
      "mexican-hat:S, file:PATH");
  static constexpr std::array<std::pair<std::optional<Algorithm>, const char*>, 4> kAlgorithms{
      {{std::nullopt, "auto"},
       {Algorithm::direct, "direct"},
       {Algorithm::separable, "separable"},
       {Algorithm::fft, "fft"}}};
  changed = choice(context, "Algorithm", "pipeline.algorithm", convolve.algorithm, kAlgorithms) || changed;
  static constexpr std::array<std::pair<Boundary, const char*>, 6> kBoundaries{{{Boundary::zero, "zero"},
                                                                                {Boundary::reflect, "reflect"},
                                                                                {Boundary::mirror, "mirror"},
                                                                                {Boundary::nearest, "nearest"},
                                                                                {Boundary::wrap, "wrap"},
                                                                                {Boundary::blank, "blank"}}};
  changed = choice(context, "Outside", "pipeline.boundary", convolve.boundary, kBoundaries) || changed;
  if (more(context, "pipeline.convolve.more")) changed = edit_blanks(context, convolve) || changed;
  ImGui::Unindent();
  return changed;
}

bool edit_background(Context& context, Document& document) {
  Request& request = document.request;
  bool changed = stage_heading(context, document, "Background", "background", nullptr);
  if (!request.background) {
    request.background.emplace();
    changed = true;
  }
  BackgroundRequest& background = *request.background;
  ImGui::Indent();
  using Method = BackgroundRequest::Method;
  static constexpr std::array<std::pair<Method, const char*>, 3> kMethods{
      {{Method::mesh, "mesh of cells"}, {Method::grid, "sliding boxes"}, {Method::clip, "one value"}}};
  if (choice(context, "Method", "pipeline.method", background.method, kMethods)) {
    changed = true;
    if (background.method == Method::clip) background.adaptive = false;
    if (background.method != Method::grid) background.step = 0;
  }
  if (background.method != Method::clip) changed = edit_boxes(context, background) || changed;
  if (more(context, "pipeline.background.more")) {
    if (background.method != Method::clip) changed = edit_box_rules(context, background) || changed;
    changed = number(context, "Clip", "pipeline.clip", background.mesh.clip.kappa, 1.5, 6, "%.1f sigma") || changed;
    tip("Pixels further than this from the median are left out.");
    if (background.method != Method::clip) {
      changed =
          number(context, "Least filled", "pipeline.min_valid", background.mesh.min_valid, 0, 1, "%.2f") || changed;
      tip("A cell with fewer known pixels than this part takes its neighbours' values.");
    }
    changed = edit_maps(context, document) || changed;
  }
  ImGui::Unindent();
  return changed;
}

bool edit_detection(Context& context, Document& document) {
  Request& request = document.request;
  bool on = request.detect.has_value();
  bool changed = stage_heading(context, document, "Find sources", "detect", &on);
  if (on && !request.detect) request.detect.emplace();
  if (!on) request.detect.reset();
  if (!request.detect) return changed;
  DetectOptions& detect = *request.detect;
  ImGui::Indent();
  changed = edit_threshold(context, request) || changed;
  changed = whole_number(context, "Least pixels", "pipeline.area", detect.min_area, 1, 50, "%d") || changed;
  if (more(context, "pipeline.detect.more")) {
    changed = edit_scales(context, document) || changed;
    static constexpr std::array<std::pair<Connectivity, const char*>, 2> kConnectivities{
        {{Connectivity::eight, "8 neighbours"}, {Connectivity::four, "4 neighbours"}}};
    changed = choice(context, "Joined by", "pipeline.connectivity", detect.connectivity, kConnectivities) || changed;
    changed = check(context, "Negative sources too", "pipeline.negative", request.negative_too,
                    "Holes below the background are listed as well, and flagged.") ||
              changed;
    changed = check(context, "Reliability", "pipeline.reliability", request.reliability,
                    "Searches the negative image in the same run and says of each source how likely it is real.") ||
              changed;
  }
  ImGui::Unindent();
  return changed;
}

bool edit_measurement(Context& context, Document& document) {
  Request& request = document.request;
  if (!request.detect) return false;
  bool changed = stage_heading(context, document, "Measure", "fit", nullptr);
  ImGui::Indent();
  using Method = FitRequest::Method;
  static constexpr std::array<std::pair<Method, const char*>, 3> kMethods{
      {{Method::automatic, "auto"}, {Method::moments, "moments"}, {Method::gaussian, "Gaussian fit"}}};
  changed = choice(context, "By", "pipeline.fit", request.fit.method, kMethods) || changed;
  tip("Auto: by Gaussian fits where the beam is known, else by moments.");
  if (more(context, "pipeline.measure.more")) {
    changed = check(context, "Deblend", "pipeline.deblend", request.deblend.on,
                    "Islands with several peaks become several sources.") ||
              changed;
    if (request.deblend.on) {
      changed = number(context, "Contrast", "pipeline.contrast", request.deblend.contrast, 1e-4, 0.5, "%.4f",
                       ImGuiSliderFlags_Logarithmic) ||
                changed;
      tip("A peak is a source of its own if it holds this part of its island's flux above the saddle to the next");
      changed = number(context, "Prominence", "pipeline.prominence", request.deblend.prominence, 0, 10, "%.1f sigma") ||
                changed;
      tip("and rises this far above that saddle.");
    }
    changed = check(context, "Keep noise peaks", "pipeline.keep_noise_peaks", request.fit.keep_noise_peaks,
                    "Fits leave out faint detections that look like peaks of the noise; this keeps them, flagged.") ||
              changed;
    changed = edit_clean_bias(context, document) || changed;
    changed =
        number(context, "Flux error", "pipeline.flux_error", request.calibration.flux_error, 0, 0.5, "%.3f") || changed;
    tip("Part of each flux that is added to its error, in quadrature.");
    double arcsec = 3600 * request.calibration.position_error;
    if (number(context, "Position error", "pipeline.position_error", arcsec, 0, 10, "%.2f arcsec")) {
      request.calibration.position_error = arcsec / 3600;
      changed = true;
    }
    tip("Added to the errors of the positions, in quadrature.");
  }
  ImGui::Unindent();
  return changed;
}

}  // namespace reber::gui
