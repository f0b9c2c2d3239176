// SPDX-License-Identifier: BSD-3-Clause
// Runs both backends and compares what they made.
#include "gui/model/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

/// The request as a run that leaves files and prompts aside.
Request quiet(Request request) {
  request.output = {};
  request.dry_run = false;
  return request;
}

std::shared_ptr<const Image> rendered(MapKind kind, const Result& result, const Progress& progress) {
  const Shape shape = result.plane()->shape();
  auto image = std::make_shared<Image>(shape);
  constexpr std::int64_t kBand = 512;
  for (std::int64_t y = 0; y < shape.ny; y += kBand) {
    progress.check();
    result.backend->render_rows(kind, *result.plane(), result.background(), y, std::min(kBand, shape.ny - y),
                                &image->at(y, 0));
  }
  return image;
}

/// A part of the whole progress.
Progress part_of(const Progress& progress, const std::string& what, double from, double to) {
  return Progress(
      [&progress, what, from, to](const std::string& stage, double fraction) {
        progress.report(what + ": " + stage, from + fraction * (to - from));
      },
      nullptr);
}

double beam_fwhm_px(const Result& result) {
  const std::optional<Beam> beam = result.beam();
  if (!beam) return 1;
  const ImageHeader& header = result.header();
  const auto m = header.centre_geometry();
  if (!m || !(std::abs(m->determinant()) > 0)) return 1;
  return std::max(1e-6, beam->major_deg / std::sqrt(std::abs(m->determinant())));
}

}  // namespace

ProofMap compare_maps(std::string name, std::shared_ptr<const Image> tested, std::shared_ptr<const Image> oracle,
                      const Image* sigma, std::string sigma_name) {
  const Shape shape = tested->shape();
  if (oracle->shape() != shape || (sigma != nullptr && sigma->shape() != shape))
    throw InternalError("proof: maps of different shapes");
  ProofMap map;
  auto difference = std::make_shared<Image>(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const float a = tested->at(y, x), b = oracle->at(y, x);
      float& out = difference->at(y, x);
      if (std::isnan(a) && std::isnan(b)) {
        out = NAN;
        continue;
      }
      const bool one_blank = std::isnan(a) != std::isnan(b);
      const double unit = sigma != nullptr ? sigma->at(y, x) : 1;
      // Equal numbers differ by nothing, whatever the unit; where the unit is no number, a difference is without bound.
      double d = 0;
      if (one_blank)
        d = INFINITY;
      else if (a != b)
        d = unit > 0 ? (static_cast<double>(a) - b) / unit : INFINITY;
      out = static_cast<float>(d);
      if (one_blank) ++map.blank_in_one;
      if (a != b) ++map.differing;
      if (std::abs(d) > map.worst) {
        map.worst = std::abs(d);
        map.worst_x = x;
        map.worst_y = y;
      }
    }
  }
  map.name = std::move(name);
  map.tested = std::move(tested);
  map.oracle = std::move(oracle);
  map.difference = std::move(difference);
  map.sigma = std::move(sigma_name);
  return map;
}

namespace {

/// A difference over its error; infinite where it is no number, or where there is no error to hold it against.
double in_errors(double difference, bool same, double error) {
  if (same) return 0;
  const double part = difference / error;
  return error > 0 && !std::isnan(part) ? part : INFINITY;
}

}  // namespace

ProofSources compare_sources(const std::vector<Source>& tested, const std::vector<Source>& oracle, double beam_px) {
  using Key = std::tuple<std::int64_t, std::int64_t, bool>;
  std::multimap<Key, const Source*> left;
  for (const Source& source : oracle) left.emplace(Key{source.peak_y, source.peak_x, source.negative}, &source);
  ProofSources result;
  for (const Source& source : tested) {
    const auto distance = [&](const auto& entry) {
      const double pixels = std::hypot(source.x - entry.second->x, source.y - entry.second->y);
      return std::isnan(pixels) ? std::numeric_limits<double>::infinity() : pixels;
    };
    // Parts of one blend may share their brightest pixel: of these the nearest.
    const auto [from, to] = left.equal_range({source.peak_y, source.peak_x, source.negative});
    const auto found =
        std::min_element(from, to, [&](const auto& one, const auto& other) { return distance(one) < distance(other); });
    if (found == to) {
      ++result.only_tested;
      continue;
    }
    const Source& other = *found->second;
    ++result.matched;
    const double flux =
        in_errors(source.total - other.total,
                  source.total == other.total || (std::isnan(source.total) && std::isnan(other.total)), other.e_total);
    const double beams = distance(*found) / beam_px;
    result.snr.push_back(other.snr);
    result.flux_difference_sigma.push_back(flux);
    const double apart = distance(*found);
    result.pairs.push_back({source, other, flux, in_errors(apart, apart == 0, std::hypot(other.e_x, other.e_y))});
    if (std::isfinite(flux)) result.worst_flux_sigma = std::max(result.worst_flux_sigma, std::abs(flux));
    if (std::isfinite(beams)) result.worst_position_beams = std::max(result.worst_position_beams, beams);
    left.erase(found);
  }
  result.only_oracle = static_cast<std::int64_t>(left.size());
  return result;
}

std::vector<StageCheck> source_checks(const ProofSources& sources) {
  std::vector<StageCheck> checks;
  const auto add = [&](std::string metric, double worst, double bound, std::string where) {
    checks.push_back({"sources", std::move(metric), worst, bound, std::move(where), worst <= bound});
  };
  add("sources of one backend alone", static_cast<double>(sources.only_tested + sources.only_oracle), 0, "");
  if (sources.pairs.empty()) return checks;
  const auto worst_by = [&](double ProofSources::Pair::*of) {
    return *std::ranges::max_element(sources.pairs, {}, [of](const auto& pair) { return std::abs(pair.*of); });
  };
  const auto place = [](const Source& source) { return fmt::format("x {:.1f} y {:.1f}", source.x, source.y); };
  const ProofSources::Pair flux = worst_by(&ProofSources::Pair::flux_sigma),
                           position = worst_by(&ProofSources::Pair::position_sigma);
  add("largest difference of a total flux / its error", std::abs(flux.flux_sigma), kFitBound, place(flux.oracle));
  add("largest distance of two positions / its error", position.position_sigma, kFitBound, place(position.oracle));
  return checks;
}

bool Proof::passed() const { return verification.passed(); }

std::string Proof::verdict() const {
  const auto held = std::count_if(verification.checks.begin(), verification.checks.end(),
                                  [](const StageCheck& check) { return check.passed; });
  std::string text = fmt::format("{} of {} checks within their bounds", held, verification.checks.size());
  const auto worst = std::max_element(maps.begin(), maps.end(),
                                      [](const ProofMap& a, const ProofMap& b) { return a.worst < b.worst; });
  if (worst != maps.end())
    text += fmt::format("; largest difference of a pixel {:.2g} {} ({})", worst->worst, worst->sigma, worst->name);
  if (sources.matched + sources.only_tested + sources.only_oracle > 0)
    text += fmt::format("; {} sources in both, {} only {}, {} only {}, fluxes within {:.2g} of their error",
                        sources.matched, sources.only_tested, tested, sources.only_oracle, oracle,
                        sources.worst_flux_sigma);
  return text;
}

Proof make_proof(const Request& request, const std::shared_ptr<Backend>& tested, const std::shared_ptr<Backend>& oracle,
                 const Progress& progress) {
  Proof proof;
  proof.tested = tested->info().name;
  proof.oracle = oracle->info().name;
  proof.tested_device = tested->info().device;
  proof.oracle_device = oracle->info().device;
  const Request wanted = quiet(request);
  const Result a = run_once(tested, wanted, events_of(part_of(progress, proof.tested, 0, 0.15)));
  const Result b = run_once(oracle, wanted, events_of(part_of(progress, proof.oracle, 0.15, 0.5)));
  proof.tested_report = a.report;
  proof.oracle_report = b.report;

  const auto rms = b.background() != nullptr ? rendered(MapKind::rms, b, progress) : nullptr;
  const auto add = [&](const char* name, MapKind kind, const Image* sigma, const char* unit) {
    proof.maps.push_back(compare_maps(name, rendered(kind, a, progress), rendered(kind, b, progress), sigma, unit));
  };
  add(request.convolve ? "convolved" : "input", MapKind::image, rms.get(), rms ? "local rms" : "of the image's unit");
  if (rms) {
    add("mean", MapKind::mean, rms.get(), "local rms");
    add("rms", MapKind::rms, rms.get(), "local rms");
    add("snr", MapKind::snr, nullptr, "S/N");
  }
  proof.sources = compare_sources(a.sources(), b.sources(), beam_fwhm_px(b));
  proof.verification = verify(wanted, *tested, *oracle, part_of(progress, "checks", 0.5, 1));
  for (StageCheck& check : source_checks(proof.sources)) proof.verification.checks.push_back(std::move(check));
  return proof;
}

}  // namespace reber::gui
