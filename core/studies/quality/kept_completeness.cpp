// SPDX-License-Identifier: BSD-3-Clause
// The JSON of `reber complete` with a key, written and read.
#include "core/studies/quality/kept_completeness.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/run/batch/record.hpp"
#include "core/run/request/parameters.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

double real(const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); }

Fraction fraction(const Json& json) {
  return {json.at("hits").get<std::int64_t>(), json.at("trials").get<std::int64_t>()};
}

Spread spread(const Json& json) {
  return {json.at("count").get<std::int64_t>(), real(json.at("median")), real(json.at("scatter")),
          real(json.at("e_median"))};
}

CompletenessBin bin_of(const Json& json) {
  CompletenessBin bin;
  bin.low = real(json.at("snr_low")), bin.high = real(json.at("snr_high"));
  bin.clear = fraction(json.at("found_clear")), bin.all = fraction(json.at("found_all"));
  bin.reliable = fraction(json.at("reliable"));
  bin.total_ratio = spread(json.at("total_ratio")), bin.peak_ratio = spread(json.at("peak_ratio"));
  bin.d_lon = spread(json.at("d_lon_arcsec")), bin.d_lat = spread(json.at("d_lat_arcsec"));
  bin.pull_total = spread(json.at("pull_total")), bin.pull_peak = spread(json.at("pull_peak"));
  bin.pull_x = spread(json.at("pull_x")), bin.pull_y = spread(json.at("pull_y"));
  return bin;
}

CompletenessResult result_of(const Json& json) {
  CompletenessResult result;
  result.threshold = real(json.at("threshold"));
  result.injected = json.at("injected").get<std::int64_t>();
  result.rounds = json.at("rounds").get<std::int64_t>();
  result.on_sources = json.at("on_sources").get<std::int64_t>();
  result.image_text = json.at("into").get<std::string>();
  result.positive = json.at("positive_detections").get<std::int64_t>();
  result.negative = json.at("negative_detections").get<std::int64_t>();
  result.median_rms = real(json.at("median_rms_jy_beam"));
  result.unit = Unit::parse(json.value("unit", ""));
  result.snr_50 = real(json.at("snr_50")), result.snr_90 = real(json.at("snr_90"));
  for (const Json& bin : json.at("bins")) result.bins.push_back(bin_of(bin));
  if (result.bins.empty()) throw DataError("completeness without a bin");
  return result;
}

}  // namespace

std::string completeness_key(const Request& request, const CompletenessOptions& options) {
  const FileState state = state_of(request.input);
  std::vector<std::string> lines = option_lines(request, parameters());
  lines.push_back(request.program);
  lines.push_back(fmt::format("{} bytes, time {}", state.bytes, state.mtime_ns));
  lines.push_back(fmt::format("HDU {}, plane {}, unit {}", request.open.hdu.value_or(-1),
                              request.open.plane.value_or(-1), request.open.unit.value_or("")));
  if (request.beam)
    lines.push_back(
        fmt::format("beam {} {} {}", request.beam->major_deg, request.beam->minor_deg, request.beam->pa_deg));
  lines.push_back(fmt::format("{} a bin, {} bins, {} to {}, {} apart, size {}, seed {}", options.per_bin, options.bins,
                              options.low, options.high, options.separation, options.size_deg, options.seed));
  return hash_of(lines);
}

std::string kept_text(const CompletenessResult& result, const std::string& key) {
  return Json{{"key", key}, {"fwhm_px", result.fwhm_px}, {"completeness", Json::parse(to_json(result))}}.dump(1) + "\n";
}

std::optional<CompletenessResult> kept_completeness(const std::string& path, const std::string& key) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  if (state_of(path).bytes < 0) return {};
  try {
    const auto json = parsed_json<Json>(fits::read_text(path, kMostBytes));
    if (json.at("key") != key) return {};
    CompletenessResult result = result_of(json.at("completeness"));
    result.fwhm_px = real(json.at("fwhm_px"));
    return result;
  } catch (const Json::exception&) {
    return {};
  } catch (const DataError&) {
    return {};
  }
}

}  // namespace reber
