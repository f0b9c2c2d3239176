// SPDX-License-Identifier: BSD-3-Clause
// One function a stage in each direction.
#include "gui/model/request_json.hpp"

namespace reber::gui {
namespace {

Json to_json(const Beam& beam) {
  return {{"major_deg", beam.major_deg}, {"minor_deg", beam.minor_deg}, {"pa_deg", beam.pa_deg}};
}

Beam beam_from(const JsonObject& object) {
  Beam beam;
  object.read("major_deg", beam.major_deg);
  object.read("minor_deg", beam.minor_deg);
  object.read("pa_deg", beam.pa_deg);
  return beam;
}

Json to_json(const ConvolveRequest& convolve) {
  Json json;
  json["kernel"] = to_string(convolve.kernel);
  if (convolve.algorithm) json["algorithm"] = to_string(*convolve.algorithm);
  json["boundary"] = to_string(convolve.boundary);
  json["nan"] = to_string(convolve.nan);
  json["normalise"] = to_string(convolve.normalise);
  json["min_weight"] = convolve.min_weight;
  json["keep_blanks"] = convolve.keep_blanks;
  return json;
}

ConvolveRequest convolve_from(const JsonObject& object) {
  ConvolveRequest convolve;
  std::string kernel = "gaussian:3";
  object.read("kernel", kernel);
  convolve.kernel = parse_kernel(kernel);
  if (object.has("algorithm")) {
    convolve.algorithm = Algorithm::direct;
    object.read("algorithm", *convolve.algorithm);
  }
  object.read("boundary", convolve.boundary);
  object.read("nan", convolve.nan);
  object.read("normalise", convolve.normalise);
  object.read("min_weight", convolve.min_weight);
  object.read("keep_blanks", convolve.keep_blanks);
  return convolve;
}

Json to_json(const BackgroundRequest& background) {
  Json json;
  json["method"] = to_string(background.method);
  json["box"] = background.box;
  json["step"] = background.step;
  json["passes"] = background.passes;
  json["adaptive"] = background.adaptive;
  json["kappa"] = background.mesh.clip.kappa;
  json["max_rounds"] = background.mesh.clip.max_rounds;
  json["min_valid"] = background.mesh.min_valid;
  json["filter"] = background.mesh.filter;
  json["centre"] = background.mesh.centre;
  json["mean_path"] = background.mean_path;
  json["rms_path"] = background.rms_path;
  return json;
}

BackgroundRequest background_from(const JsonObject& object) {
  BackgroundRequest background;
  object.read("method", background.method);
  object.read("box", background.box);
  object.read("step", background.step);
  object.read("passes", background.passes);
  object.read("adaptive", background.adaptive);
  object.read("kappa", background.mesh.clip.kappa);
  object.read("max_rounds", background.mesh.clip.max_rounds);
  object.read("min_valid", background.mesh.min_valid);
  object.read("filter", background.mesh.filter);
  object.read("centre", background.mesh.centre);
  object.read("mean_path", background.mean_path);
  object.read("rms_path", background.rms_path);
  return background;
}

Json detect_json(const Request& request) {
  Json json;
  json["seed"] = request.detect->seed;
  json["flood"] = request.detect->flood;
  json["min_area"] = request.detect->min_area;
  json["connectivity"] = static_cast<int>(request.detect->connectivity);
  json["negative_too"] = request.negative_too;
  json["fdr"] = request.fdr;
  json["scales"] = {
      {"fwhm", request.scales.fwhm}, {"in_beams", request.scales.in_beams}, {"wavelets", request.scales.wavelets}};
  json["calibration"] = {{"clean_bias", request.calibration.clean_bias},
                         {"flux_error", request.calibration.flux_error},
                         {"position_error", request.calibration.position_error}};
  json["deblend"] = {
      {"on", request.deblend.on}, {"contrast", request.deblend.contrast}, {"prominence", request.deblend.prominence}};
  json["measure"] = to_string(request.fit.method);
  json["keep_noise_peaks"] = request.fit.keep_noise_peaks;
  json["reliability"] = request.reliability;
  return json;
}

void read_detect(const JsonObject& object, Request& request) {
  DetectOptions detect;
  object.read("seed", detect.seed);
  object.read("flood", detect.flood);
  object.read("min_area", detect.min_area);
  int connectivity = static_cast<int>(detect.connectivity);
  object.read("connectivity", connectivity);
  if (connectivity != 4 && connectivity != 8) object.fail("connectivity", "4 or 8 was expected", connectivity);
  detect.connectivity = connectivity == 4 ? Connectivity::four : Connectivity::eight;
  request.detect = detect;
  object.read("negative_too", request.negative_too);
  object.read("fdr", request.fdr);
  const JsonObject scales = object.child("scales");
  scales.read("fwhm", request.scales.fwhm);
  scales.read("in_beams", request.scales.in_beams);
  scales.read("wavelets", request.scales.wavelets);
  const JsonObject calibration = object.child("calibration");
  calibration.read("clean_bias", request.calibration.clean_bias);
  calibration.read("flux_error", request.calibration.flux_error);
  calibration.read("position_error", request.calibration.position_error);
  const JsonObject deblend = object.child("deblend");
  deblend.read("on", request.deblend.on);
  deblend.read("contrast", request.deblend.contrast);
  deblend.read("prominence", request.deblend.prominence);
  if (object.has("fit")) {  // written before there was "measure"
    bool fit = false;
    object.read("fit", fit);
    request.fit.method = fit ? FitRequest::Method::gaussian : FitRequest::Method::moments;
  }
  object.read("measure", request.fit.method);
  object.read("keep_noise_peaks", request.fit.keep_noise_peaks);
  object.read("reliability", request.reliability);
}

}  // namespace

Json to_json(const Request& request) {
  Json json = Json::object();
  if (request.beam) json["beam"] = to_json(*request.beam);
  if (request.convolve) json["convolve"] = to_json(*request.convolve);
  if (request.background) json["background"] = to_json(*request.background);
  if (request.detect) json["detect"] = detect_json(request);
  return json;
}

void apply_json(const JsonObject& object, Request& request) {
  Request read = request;
  read.beam.reset();
  read.convolve.reset();
  read.background.reset();
  read.detect.reset();
  if (object.has("beam")) read.beam = beam_from(object.child("beam"));
  if (object.has("convolve")) read.convolve = convolve_from(object.child("convolve"));
  if (object.has("background")) read.background = background_from(object.child("background"));
  if (object.has("detect")) read_detect(object.child("detect"), read);
  request = std::move(read);
}

}  // namespace reber::gui
