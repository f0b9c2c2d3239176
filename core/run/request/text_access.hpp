// SPDX-License-Identifier: BSD-3-Clause
// Access to the parameters that are other than one member in a request.
#pragma once

#include <string>

#include "core/run/request/algorithm_name.hpp"
#include "core/run/request/parameter.hpp"
#include "core/run/request/scale_list.hpp"

namespace reber {

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

/// "fft/lines" is one text for users and two members in JSON. Another algorithm has other variants.
constexpr Access algorithm_access() {
  Access access = member([](auto& r) -> auto& { return part(r.convolve).algorithm; });
  access.set = [](Request& request, const ParameterValue& value) {
    ConvolveRequest& convolve = part(request.convolve);
    parameter_value::take(convolve.algorithm, value);
    convolve.variant.clear();
  };
  access.text = [](const Request& request) {
    const ConvolveRequest& convolve = part(request.convolve);
    return to_string(AlgorithmName{convolve.algorithm, convolve.variant});
  };
  access.set_text = [](Request& request, const std::string& text) {
    const AlgorithmName name = parse_algorithm(text);
    part(request.convolve).algorithm = name.algorithm;
    part(request.convolve).variant = name.variant;
  };
  return access;
}

/// Who states the seed threshold wants this one: a crowded field does not lower it, unless that is stated after it, as
/// the rows' order has it.
constexpr Access seed_access() {
  Access access = member([](auto& r) -> auto& { return part(r.detect).seed; });
  access.set = [](Request& request, const ParameterValue& value) {
    parameter_value::take(part(request.detect).seed, value);
    request.deepen = 0;
  };
  return access;
}

}  // namespace reber
