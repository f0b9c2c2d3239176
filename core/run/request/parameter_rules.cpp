// SPDX-License-Identifier: BSD-3-Clause
// The table of rules: what is refused, in which words, and who follows when a user edits.
#include "core/run/request/parameter_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/error.hpp"
#include "core/run/request/bounds.hpp"
#include "core/run/request/scale_list.hpp"

namespace reber {
namespace {

using Method = BackgroundRequest::Method;

bool zero_sum(const ConvolveRequest& convolve) { return std::holds_alternative<MexicanHatKernel>(convolve.kernel); }

struct Rule {
  std::string_view parameter;  ///< that the complaint is about
  bool (*broken)(const Request&);
  std::string (*text)(const Request&);
  /// Makes the others follow the parameter that was edited.
  void (*follow)(Request&, std::string_view edited);
};

constexpr std::array<Rule, 9> kRules{{
    {"convolve.nan",
     [](const Request& r) { return r.convolve && zero_sum(*r.convolve) && r.convolve->nan == NanRule::interpolate; },
     [](const Request&) {
       return std::string(
           "--nan interpolate divides by the sum of the weights, which is zero for a mexican hat; use fill or "
           "propagate");
     },
     [](Request& r, std::string_view edited) {
       if (edited == "convolve.kernel") r.convolve->nan.reset();
     }},
    {"background.step",
     [](const Request& r) { return r.background && r.background->step > 0 && r.background->method != Method::grid; },
     [](const Request&) { return std::string("--step is the step of sliding boxes: it needs --background grid"); },
     [](Request& r, std::string_view edited) {
       if (edited == "background.method") r.background->step = 0;
     }},
    {"background.adaptive",
     [](const Request& r) { return r.background && r.background->adaptive && r.background->method == Method::clip; },
     [](const Request&) { return std::string("--adaptive needs boxes: --background mesh or grid, not clip"); },
     [](Request& r, std::string_view edited) {
       if (edited == "background.method") r.background->adaptive = false;
     }},
    {"background.bright_box",
     [](const Request& r) {
       return r.background && (r.background->bright_box > 0 || r.background->bright_step > 0) &&
              !r.background->adaptive;
     },
     [](const Request&) {
       return std::string("--bright-box and --bright-step are of the boxes near bright sources: they need --adaptive");
     },
     [](Request& r, std::string_view edited) {
       if (edited == "background.adaptive" || edited == "background.method")
         r.background->bright_box = r.background->bright_step = 0;
     }},
    {"detect.scales.fwhm",
     [](const Request& r) {
       return !std::ranges::all_of(r.scales.fwhm, [](double fwhm) { return fwhm >= 0 && fwhm <= kMostScale; });
     },
     [](const Request&) { return fmt::format("--scales: FWHMs between 0 and {} were expected", kMostScale); },
     [](Request&, std::string_view) {}},
    {"detect.search.image", [](const Request& r) { return r.convolve && !r.search.image.empty(); },
     [](const Request&) {
       return std::string("--detection-image is searched as it stands: it does not go with --kernel");
     },
     [](Request& r, std::string_view edited) {
       if (edited.starts_with("convolve.")) r.search.image.clear();
     }},
    {"detect.psf_map", [](const Request& r) { return r.convolve && !r.psf_map.empty(); },
     [](const Request&) { return std::string("--psf-map is of the image as it stands: it does not go with --kernel"); },
     [](Request& r, std::string_view edited) {
       if (edited.starts_with("convolve.")) r.psf_map.clear();
     }},
    {"detect.flood", [](const Request& r) { return r.detect && !(r.detect->flood <= r.detect->seed); },
     [](const Request& r) {
       return fmt::format("--flood {:g} must not be above --threshold {:g}", r.detect->flood, r.detect->seed);
     },
     [](Request& r, std::string_view edited) {
       if (edited == "detect.seed") r.detect->flood = std::min(r.detect->flood, r.detect->seed);
       if (edited == "detect.flood") r.detect->seed = std::max(r.detect->seed, r.detect->flood);
     }},
    {"detect.fdr", [](const Request& r) { return r.fdr > 0 && !fdr_possible(r); },
     [](const Request&) {
       return std::string(
           "--fdr needs the p-value of one S/N a pixel: it goes with one of --scales, not with several or --wavelets");
     },
     [](Request& r, std::string_view edited) {
       if (edited.starts_with("detect.scales.")) r.fdr = 0;
     }},
}};

std::optional<Complaint> edit_with(Request& request, const Parameter& row, const std::function<void(Request&)>& set) {
  Request changed = request;
  try {
    set(changed);
  } catch (const InputError& error) {
    return Complaint{std::string(row.name), error.what()};
  }
  for (const Rule& rule : kRules)
    if (rule.broken(changed) && !rule.broken(request)) rule.follow(changed, row.name);
  for (const Rule& rule : kRules)
    if (rule.broken(changed) && !rule.broken(request)) return Complaint{std::string(row.name), rule.text(changed)};
  request = std::move(changed);
  return std::nullopt;
}

bool stage_is_on(StageId stage, const Request& request) {
  if (stage <= StageId::convolve) return request.convolve.has_value();
  return stage == StageId::background ? request.background.has_value() : request.detect.has_value();
}

/// Single values, whoever has put them there.
void check_numbers(const Request& request, std::vector<Complaint>& complaints) {
  for (const Parameter& row : parameters()) {
    if (!has_range(row) || !stage_is_on(row.stage, request)) continue;
    const ParameterValue value = row.access.get(request);
    if (!is_taken(row, value))
      complaints.push_back({std::string(row.name), fmt::format("{} {}: {}", option_name(row), value_text(row, request),
                                                               expected_text(row, value))});
  }
  const auto of_the_call = [&](std::string_view name, double value) {
    const Bound& row = bound(name);
    if (const std::string why = why_not(row, value); !why.empty())
      complaints.push_back({std::string(name), fmt::format("{} {:.10g}: {}", row.option, value, why)});
  };
  of_the_call("call.threads", request.fit.threads);
  if (request.open.hdu) of_the_call("call.hdu", *request.open.hdu);
  if (request.open.plane) of_the_call("call.plane", static_cast<double>(*request.open.plane));
  of_the_call("call.device_memory", static_cast<double>(request.device_memory_bytes));
  of_the_call("call.host_memory", static_cast<double>(request.host_memory_bytes));
  if (!request.beam) return;
  const Beam& beam = *request.beam;
  if (const std::string why = why_no_beam(beam); !why.empty())
    complaints.push_back({"call.beam", fmt::format("--image-beam {:.10g},{:.10g},{:.10g}: {}", beam.major_deg * 3600,
                                                   beam.minor_deg * 3600, beam.pa_deg, why)});
}

const Parameter& row_of(std::string_view name, std::span<const Parameter> rows) {
  if (const Parameter* row = find_parameter(name, rows)) return *row;
  throw InternalError(fmt::format("no parameter is called '{}'", name));
}

}  // namespace

std::vector<Complaint> check(const Request& request) {
  std::vector<Complaint> complaints;
  check_numbers(request, complaints);
  for (const Rule& rule : kRules)
    if (rule.broken(request)) complaints.push_back({std::string(rule.parameter), rule.text(request)});
  return complaints;
}

void refuse_broken_rules(const Request& request) {
  for (const Complaint& complaint : check(request)) throw InputError(complaint.text);
}

std::optional<Complaint> edit(Request& request, std::string_view name, const ParameterValue& value,
                              std::span<const Parameter> rows) {
  const Parameter& row = row_of(name, rows);
  return edit_with(request, row, [&](Request& r) { set_value(row, r, value, std::string(row.title)); });
}

std::optional<Complaint> edit_text(Request& request, std::string_view name, const std::string& text,
                                   std::span<const Parameter> rows) {
  const Parameter& row = row_of(name, rows);
  return edit_with(request, row, [&](Request& r) { set_text(row, r, text); });
}

NanRule nan_rule(const ConvolveRequest& convolve) {
  return convolve.nan.value_or(zero_sum(convolve) ? NanRule::fill : NanRule::interpolate);
}

Normalise normalisation(const ConvolveRequest& convolve) {
  return convolve.normalise.value_or(zero_sum(convolve) ? Normalise::peak : Normalise::sum);
}

bool fdr_possible(const Request& request) { return request.scales.fwhm.size() < 2 && request.scales.wavelets == 0; }

bool deepening_possible(const Request& request) {
  return !(request.fdr > 0) && !request.scales.any() && request.search.image.empty();
}

}  // namespace reber
