// SPDX-License-Identifier: BSD-3-Clause
// Options of the stages (convolution, background, detection), shared by the sub-commands that run them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/request.hpp"

namespace reber::app {

/// A number from 0 up, for Option::check(); what it says of others is one short sentence.
[[nodiscard]] CLI::Validator not_negative();

struct ConvolveOptions {
  std::string kernel;
  std::string algorithm = "auto";
  std::string boundary = "zero";
  std::string nan;        ///< empty: interpolate, but fill for a kernel of zero sum
  std::string normalise;  ///< empty: sum, but peak for a kernel of zero sum
  double min_weight = 0.5;
  bool keep_blanks = false;
};
/// Group "Convolution".
void add_convolve_options(CLI::App& command, ConvolveOptions& options);
/// The same with --kernel given once or more often.
void add_convolve_options(CLI::App& command, ConvolveOptions& options, std::vector<std::string>& kernels);
/// Those among them that say nothing of the kernel: algorithm, boundary, blanks.
void add_convolution_rules(CLI::App& command, ConvolveOptions& options);
/// A request without a kernel.
[[nodiscard]] ConvolveRequest convolution_rules(const ConvolveOptions& options);
/// Empty without a kernel.   throws InputError
[[nodiscard]] std::optional<ConvolveRequest> convolve_request(const ConvolveOptions& options);

/// An option that may be given several times, one value each.
CLI::Option* add_repeated_option(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                                 const std::string& help);

struct BackgroundOptions {
  std::string method = "mesh";
  std::int64_t box = 0, step = 0;
  int passes = 2;
  bool adaptive = false;
  double kappa = 3;
  int filter = MeshOptions().filter;
  double min_valid = 0.5;
  std::string mean_map, rms_map;
};
/// Group "Background". method_name: --method or --background; maps: offer --mean-map and --rms-map.
void add_background_options(CLI::App& command, BackgroundOptions& options, const std::string& method_name, bool maps);
[[nodiscard]] BackgroundRequest background_request(const BackgroundOptions& options);

struct FindOptions {
  double threshold = 5;
  double flood = 3;
  std::int64_t min_area = 1;
  int connectivity = 8;
  bool no_deblend = false;
  double contrast = DeblendOptions().contrast;
  double prominence = DeblendOptions().prominence;
  std::string fit = "auto";
  bool keep_noise_peaks = false;
  double fdr = 0;
  std::string scales;
  int wavelets = 0;
  double clean_bias = 0, calibration_error = 0, position_error_arcsec = 0;
  bool negative = false, reliability = false;
};
/// Group "Detection".
void add_find_options(CLI::App& command, FindOptions& options);
/// Sets the request's detection and deblending.   throws InputError
void apply(const FindOptions& options, Request& request);

}  // namespace reber::app
