// SPDX-License-Identifier: BSD-3-Clause
// Pairs, after a large common offset has been taken out.
#include "core/studies/quality/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

MatchInput read_list(const AgainstInput& with, const Progress& progress) {
  MatchInput input{with.path, with.table ? *with.table : read_catalogue(with.path, {progress, 0}), {}};
  input.list = sky_list(input.table);
  if (!input.list.lon.empty()) return input;
  std::string names;
  constexpr std::size_t kShown = 12;
  for (std::size_t c = 0; c < std::min(kShown, input.table.columns.size()); ++c)
    names += (c == 0 ? "" : ", ") + input.table.columns[c].info.name;
  if (input.table.columns.size() > kShown) names += " ...";
  throw InputError(fmt::format("no columns of sky positions are known among {}", printable(names)));
}

/// The list moved by so much on the sky, arcsec.
SkyList moved(SkyList list, double east, double north) {
  for (std::size_t i = 0; i < list.lon.size(); ++i) {
    list.lon[i] += east / kArcsec / std::max(1e-3, std::cos(list.lat[i] * std::numbers::pi / 180));
    list.lat[i] = std::clamp(list.lat[i] + north / kArcsec, -90.0, 90.0);
  }
  return list;
}

/// An offset that pairs by the usual radius could miss, or see cut short.
void take_out_shift(const MatchInput& image, const MatchInput& other, Comparison& out, const Progress& progress) {
  constexpr double kWider = 6, kPart = 0.25, kSigma = 5;
  constexpr std::int64_t kFewest = 8;
  const MatchSummary wide = match_lists(image.list, other.list, std::min(180.0, kWider * out.radius.deg), progress);
  const double shift = std::hypot(wide.d_lon.median, wide.d_lat.median);
  const double error = std::hypot(wide.d_lon.e_median, wide.d_lat.e_median);
  if (wide.d_lon.count < kFewest || !(shift > kPart * out.radius.deg * kArcsec) || !(shift > kSigma * error)) return;
  out.shift_lon = wide.d_lon.median, out.shift_lat = wide.d_lat.median;
}

void scale_fluxes(const MatchInput& other, double frequency_hz, double given_hz, Comparison& out) {
  constexpr double kSame = 0.01;
  const double its = std::isfinite(given_hz) ? given_hz : other.table.frequency_hz;
  if (!std::isfinite(its) || !std::isfinite(frequency_hz)) {
    out.flux_note = std::isfinite(frequency_hz)
                        ? "the catalogue's frequency is not known: fluxes are taken as they stand"
                        : "the image's frequency is not known: fluxes are taken as they stand";
    return;
  }
  if (std::abs(its / frequency_hz - 1) < kSame) {
    out.flux_note = "both are of one frequency";
    return;
  }
  out.flux_factor = std::pow(frequency_hz / its, kUsualIndex);
  out.flux_note = fmt::format("catalogue fluxes times {:.4g}: from {:.6g} to {:.6g} MHz by a spectral index of {:g}",
                              out.flux_factor, its / 1e6, frequency_hz / 1e6, kUsualIndex);
}

void collect_ratios(Comparison& out) {
  constexpr double kBright = 10;
  constexpr std::int64_t kEnough = 10;
  const PairValues& values = out.summary.values;
  const auto taken = [&](double least) {
    out.ratio.clear(), out.ratio_snr.clear();
    for (std::size_t i = 0; i < values.total_ratio.size(); ++i) {
      if (!std::isfinite(values.total_ratio[i]) || !(least == 0 || values.snr[i] >= least)) continue;
      out.ratio.push_back(values.total_ratio[i] / out.flux_factor);
      out.ratio_snr.push_back(values.snr[i]);
    }
    return std::ssize(out.ratio);
  };
  if (taken(kBright) < kEnough) (void)taken(0);
  out.flux = spread_of(out.ratio);
}

}  // namespace

AgainstInput against_input(const std::string& word) {
  const std::size_t at = word.rfind('@');
  if (at == std::string::npos) return {word};
  double mhz = 0;
  const char *const begin = word.data() + at + 1, *const end = word.data() + word.size();
  const auto [stopped, wrong] = std::from_chars(begin, end, mhz);
  if (wrong != std::errc() || stopped != end || !(mhz > 0)) return {word};
  return {word.substr(0, at), mhz * 1e6};
}

double Comparison::offset() const { return std::hypot(d_lon, d_lat); }
double Comparison::e_offset() const { return std::hypot(summary.d_lon.e_median, summary.d_lat.e_median); }

Comparison compare(const MatchInput& image, double frequency_hz, const AgainstInput& with, const Progress& progress) {
  Comparison out;
  out.path = with.path;
  out.name = printable(std::filesystem::path(with.path).stem().string());
  try {
    if (image.list.lon.empty()) throw InputError("the image has no sources with sky positions");
    const MatchInput other = read_list(with, progress);
    out.columns = printable(describe_columns(other.list));
    out.radius = default_radius(image.list, other.list);
    take_out_shift(image, other, out, progress);
    out.summary = match_lists(moved(image.list, out.shift_lon, out.shift_lat), other.list, out.radius.deg, progress);
    if (out.summary.pairs.empty())
      throw InputError(
          fmt::format("no source of the image is in it within {:.3g} arcsec: of its {} rows {} lie in the "
                      "area of the image's sources",
                      out.radius.deg * kArcsec, out.summary.rows_b, out.summary.common_b));
    out.d_lon = out.shift_lon + out.summary.d_lon.median;
    out.d_lat = out.shift_lat + out.summary.d_lat.median;
    scale_fluxes(other, frequency_hz, with.frequency_hz, out);
    if (image.list.flux_scale_known && other.list.flux_scale_known)
      collect_ratios(out);
    else
      out.flux_note = "fluxes of one list are in no unit that is known";
  } catch (const InputError& error) {
    out.failure = printable(error.what());
  } catch (const DataError& error) {
    out.failure = printable(error.what());
  }
  return out;
}

}  // namespace reber
