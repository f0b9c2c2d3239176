// SPDX-License-Identifier: BSD-3-Clause
// Stage options: definition, and conversion into a Request's parts.
#include "app/options/stage_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/pipeline/scale_list.hpp"

namespace reber::app {

CLI::Validator not_negative() {
  return {[](std::string& text) {
            double value = 0;
            const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || stop != text.data() + text.size() || std::isnan(value))
              return "'" + text + "' is not a number";
            return value >= 0 ? std::string() : text + " is below 0";
          },
          "NONNEGATIVE"};
}
namespace {

constexpr const char* kKernelHelp =
    "One of | gaussian:FWHM (pixels) | gaussian:MAJ,MIN,ANGLE (pixels; degrees from +x to +y) | "
    "beam:MAJ,MIN,PA (smooth to this beam; arcsec, degrees) | box:SIDE | tophat:RADIUS | "
    "mexican-hat:SIGMA (pixels) | file:KERNEL.fits";

void add_normalise(CLI::App& command, ConvolveOptions& options) {
  command
      .add_option("--normalise,--normalize", options.normalise,
                  "Scale the weights to unit sum (default), unit peak (default for mexican-hat), or not")
      ->check(CLI::IsMember({"sum", "peak", "none"}))
      ->type_name("sum|peak|none")
      ->group("Convolution");
}

}  // namespace

void add_convolve_options(CLI::App& command, ConvolveOptions& options) {
  command.add_option("--kernel", options.kernel, kKernelHelp)->type_name("KERNEL")->group("Convolution");
  add_convolution_rules(command, options);
  add_normalise(command, options);
}

void add_convolve_options(CLI::App& command, ConvolveOptions& options, std::vector<std::string>& kernels) {
  add_repeated_option(command, "--kernel", kernels, kKernelHelp)->type_name("KERNEL")->group("Convolution");
  add_convolution_rules(command, options);
  add_normalise(command, options);
}

CLI::Option* add_repeated_option(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                                 const std::string& help) {
  return command.add_option(name, values, help)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
}

void add_convolution_rules(CLI::App& command, ConvolveOptions& options) {
  const std::string group = "Convolution";
  command.add_option("--algorithm", options.algorithm, "How to convolve; auto takes the cheapest that can")
      ->check(CLI::IsMember({"auto", "direct", "separable", "fft"}))
      ->type_name("auto|direct|separable|fft")
      ->capture_default_str()
      ->group(group);
  command.add_option("--boundary", options.boundary, "What stands outside the image; blank: nothing is known there")
      ->check(CLI::IsMember({"zero", "reflect", "mirror", "nearest", "wrap", "blank"}))
      ->type_name("zero|reflect|mirror|nearest|wrap|blank")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--nan", options.nan,
                  "What blank pixels do: interpolate over them (default), fill them with 0 (default for mexican-hat), "
                  "or propagate")
      ->check(CLI::IsMember({"interpolate", "fill", "propagate"}))
      ->type_name("interpolate|fill|propagate")
      ->group(group);
  command
      .add_option("--min-weight", options.min_weight,
                  "With interpolate: blank where known pixels carry less than this part of the weight")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("PART")
      ->capture_default_str()
      ->group(group);
  command.add_flag("--keep-blanks", options.keep_blanks, "Blank pixels of the input stay blank")->group(group);
}

ConvolveRequest convolution_rules(const ConvolveOptions& options) {
  ConvolveRequest request;
  if (options.algorithm != "auto") request.algorithm = from_string<Algorithm>(options.algorithm, "--algorithm");
  request.boundary = from_string<Boundary>(options.boundary, "--boundary");
  request.nan = options.nan.empty() ? NanRule::interpolate : from_string<NanRule>(options.nan, "--nan");
  request.min_weight = options.min_weight;
  request.keep_blanks = options.keep_blanks;
  return request;
}

std::optional<ConvolveRequest> convolve_request(const ConvolveOptions& options) {
  if (options.kernel.empty()) return std::nullopt;
  ConvolveRequest request = convolution_rules(options);
  request.kernel = parse_kernel(options.kernel);
  const bool zero_sum = std::holds_alternative<MexicanHatKernel>(request.kernel);
  if (options.nan.empty() && zero_sum) request.nan = NanRule::fill;
  if (zero_sum && request.nan == NanRule::interpolate) {
    throw InputError(
        "--nan interpolate divides by the sum of the weights, which is zero for a mexican hat; use fill "
        "or propagate");
  }
  if (options.normalise.empty()) {
    request.normalise = zero_sum ? Normalise::peak : Normalise::sum;
  } else {
    request.normalise = from_string<Normalise>(options.normalise, "--normalise");
  }
  return request;
}

void add_background_options(CLI::App& command, BackgroundOptions& options, const std::string& method_name, bool maps) {
  const std::string group = "Background";
  command
      .add_option(
          method_name, options.method,
          "mesh: background and noise vary, measured in cells; grid: in overlapping boxes; clip: one value each "
          "for the whole image")
      ->check(CLI::IsMember({"mesh", "grid", "clip"}))
      ->type_name("mesh|grid|clip")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--box", options.box,
                  "Side of the cells or boxes in pixels; 0: cells of 12 beams, and at least 64 px, where the image is "
                  "large enough, boxes of twice that")
      ->check(not_negative())
      ->type_name("PX")
      ->capture_default_str()
      ->group(group);
  command.add_option("--step", options.step, "From one box of the grid to the next, in pixels; 0: half a box")
      ->check(not_negative())
      ->type_name("PX")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--passes", options.passes,
                  "Measurements in a row; each after the first leaves out the sources found with the one before")
      ->check(CLI::Range(1, 10))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--adaptive", options.adaptive,
                "Boxes of a third of the side near sources above 50 sigma, for noise that rises around them")
      ->group(group);
  command.add_option("--kappa", options.kappa, "Pixels further than this many sigma from the median are clipped")
      ->check(CLI::PositiveNumber)
      ->type_name("SIGMA")
      ->capture_default_str()
      ->group(group);
  command.add_option("--filter", options.filter, "Side of the median filter over the cells, odd; 1 for none")
      ->check(CLI::PositiveNumber)
      ->type_name("CELLS")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--min-valid", options.min_valid,
                  "A cell with fewer known pixels than this part takes its neighbours' values")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("PART")
      ->capture_default_str()
      ->group(group);
  if (!maps) return;
  command
      .add_option(
          "--mean,--mean-map", options.mean_map,
          "Take the background from this FITS map, of the image's size; for an inverted image, from the inverted map")
      ->type_name("FITS")
      ->group(group);
  command
      .add_option(
          "--rms,--rms-map", options.rms_map,
          "Take the noise from this FITS map, of the image's size; pixels that are blank, zero or negative in it "
          "hold no source")
      ->type_name("FITS")
      ->group(group);
}

BackgroundRequest background_request(const BackgroundOptions& options) {
  if (options.filter % 2 == 0) {
    throw InputError(fmt::format("--filter {}: the side of a median filter must be odd", options.filter));
  }
  BackgroundRequest request;
  if (options.step > 0 && options.method != "grid")
    throw InputError("--step is the step of sliding boxes: it needs --background grid");
  if (options.adaptive && options.method == "clip")
    throw InputError("--adaptive needs boxes: --background mesh or grid, not clip");
  request.method = from_string<BackgroundRequest::Method>(options.method, "--background");
  request.box = options.box;
  request.step = options.step;
  request.passes = options.passes;
  request.adaptive = options.adaptive;
  request.mesh.clip.kappa = options.kappa;
  request.mesh.filter = options.filter;
  request.mesh.min_valid = options.min_valid;
  request.mean_path = options.mean_map;
  request.rms_path = options.rms_map;
  return request;
}

void add_find_options(CLI::App& command, FindOptions& options) {
  const std::string group = "Detection";
  command.add_option("--threshold", options.threshold, "A source holds a pixel above this many sigma")
      ->check(CLI::PositiveNumber)
      ->type_name("SIGMA")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--fdr", options.fdr,
          "In place of --threshold: the part of the detected pixels that may be false; sets the threshold from the "
          "S/N of all pixels. 0: off")
      ->check(CLI::Range(0.0, 0.999))
      ->type_name("PART")
      ->capture_default_str()
      ->group(group);
  command.add_option("--flood", options.flood, "and consists of connected pixels above this many")
      ->check(CLI::PositiveNumber)
      ->type_name("SIGMA")
      ->capture_default_str()
      ->group(group);
  command.add_option("--min-area", options.min_area, "and has at least this many pixels")
      ->check(CLI::PositiveNumber)
      ->type_name("PX")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--connectivity", options.connectivity, "8: pixels that touch at a corner belong together; 4: not")
      ->check(CLI::IsMember({4, 8}))
      ->type_name("4|8")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--scales", options.scales,
          "Detect on the image smoothed by Gaussians of these FWHMs, each with its own noise, e.g. 0,3,6 (pixels; "
          "0: the image) or 0b,1b,2b (beams); fluxes are measured on the image")
      ->type_name("LIST")
      ->group(group);
  command
      .add_option(
          "--wavelets", options.wavelets,
          "Detect on this many a-trous wavelet planes as well, for extended emission; plane j holds 2^j px. 0: none")
      ->check(CLI::Range(0, 12))
      ->type_name("PLANES")
      ->capture_default_str()
      ->group(group);
  command.add_flag("--no-deblend", options.no_deblend, "Take every island for one source")->group(group);
  command
      .add_option(
          "--contrast", options.contrast,
          "A peak is a source of its own if it holds this part of its island's flux above the saddle to the next")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("PART")
      ->capture_default_str()
      ->group(group);
  command.add_option("--prominence", options.prominence, "and rises this many sigma above that saddle")
      ->check(not_negative())
      ->type_name("SIGMA")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--fit", options.fit,
                  "gaussian: sources are measured by fits that allow for correlated noise, all of an island together; "
                  "moments: by moments; auto: by fits where the beam is known")
      ->check(CLI::IsMember({"auto", "moments", "none", "gaussian"}))
      ->type_name("auto|moments|gaussian")
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--keep-noise-peaks", options.keep_noise_peaks,
                "Fits take faint detections for peaks of the noise where they look like it, and leave them out: keep "
                "them, flagged")
      ->group(group);
  command.add_option("--clean-bias", options.clean_bias, "Added to every peak, in Jy/beam; totals are scaled alike")
      ->type_name("JY")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--calibration-error", options.calibration_error,
                  "Part of each flux that is added to its error, in quadrature")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("PART")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--position-error", options.position_error_arcsec,
                  "Added to the errors of the positions, in quadrature")
      ->check(not_negative())
      ->type_name("ARCSEC")
      ->capture_default_str()
      ->group(group);
  command.add_flag("--negative", options.negative, "Find negative sources as well; they are flagged")->group(group);
  command
      .add_flag("--reliability", options.reliability,
                "Search the negative image in the same run and say of each source how likely it is real")
      ->group(group);
}

void apply(const FindOptions& options, Request& request) {
  if (!(options.flood <= options.threshold)) {
    throw InputError(fmt::format("--flood {:g} must not be above --threshold {:g}", options.flood, options.threshold));
  }
  DetectOptions detect;
  detect.seed = options.threshold;
  detect.flood = options.flood;
  detect.min_area = options.min_area;
  detect.connectivity = options.connectivity == 4 ? Connectivity::four : Connectivity::eight;
  request.detect = detect;
  request.fdr = options.fdr;
  request.scales = parse_scales(options.scales);
  request.scales.wavelets = options.wavelets;
  if (options.fdr > 0 && (request.scales.fwhm.size() > 1 || options.wavelets > 0))
    throw InputError(
        "--fdr needs the p-value of one S/N a pixel: it goes with one of --scales, not with several or --wavelets");
  request.negative_too = options.negative;
  request.reliability = options.reliability;
  request.deblend.on = !options.no_deblend;
  request.deblend.contrast = options.contrast;
  request.deblend.prominence = options.prominence;
  request.calibration = {options.clean_bias, options.calibration_error, options.position_error_arcsec / 3600};
  request.fit.keep_noise_peaks = options.keep_noise_peaks;
  request.fit.method = from_string<FitRequest::Method>(options.fit, "--fit");
}

}  // namespace reber::app
