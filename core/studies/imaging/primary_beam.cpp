// SPDX-License-Identifier: BSD-3-Clause
// Formulae of primary beams.
#include "core/studies/imaging/primary_beam.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/studies/imaging/field_table.hpp"

namespace reber {
namespace {

constexpr double kLight = 299792458;

double number(const std::string& word, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0) || !std::isfinite(value))
    throw InputError(
        fmt::format("--beam-model '{}': '{}' is not a number from 0 up", printable(text), printable(word)));
  return value;
}

/// 2 J1(u) / u
double jinc(double u) { return std::abs(u) < 1e-6 ? 1 : 2 * std::cyl_bessel_j(1.0, u) / u; }

}  // namespace

PrimaryBeam PrimaryBeam::parse(const std::string& text) {
  PrimaryBeam beam;
  if (text == "none") return beam;
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon), rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto pair = [&](char between) {
    const std::size_t at = rest.find(between);
    if (at == std::string::npos)
      throw InputError(
          fmt::format("--beam-model '{}': two numbers with '{}' between them were expected", printable(text), between));
    return std::pair(number(rest.substr(0, at), text), number(rest.substr(at + 1), text));
  };
  if (word == "gaussian" || word == "mauch") {
    beam.kind_ = word == "mauch" ? Kind::mauch : Kind::gaussian;
    const auto [fwhm_deg, mhz] = pair('@');
    beam.fwhm_rad_ = fwhm_deg * std::numbers::pi / 180, beam.at_hz_ = mhz * 1e6;
    if (!(fwhm_deg > 0 && fwhm_deg <= 180 && mhz > 0))
      throw InputError(
          fmt::format("--beam-model '{}': FWHM in degrees and frequency in MHz must be above 0", printable(text)));
  } else if (word == "airy") {
    beam.kind_ = Kind::airy;
    std::tie(beam.dish_m_, beam.blockage_m_) = pair(',');
    if (!(beam.blockage_m_ < beam.dish_m_))
      throw InputError(fmt::format("--beam-model '{}': the dish must be wider than what blocks it", printable(text)));
  } else if (word == "image" && !rest.empty()) {
    beam.kind_ = Kind::image;
    beam.image_ = rest;
  } else {
    throw InputError(fmt::format(
        "--beam-model '{}': none, gaussian:F@NU, mauch:F@NU, airy:D,d or image:NAME was expected", printable(text)));
  }
  return beam;
}

std::string PrimaryBeam::image_of(const std::string& field) const { return name_of_pattern(image_, field); }

double PrimaryBeam::at(double radians, double frequency_hz) const {
  const double r = kind_ == Kind::gaussian || kind_ == Kind::mauch ? radians / (fwhm_rad_ * at_hz_ / frequency_hz) : 0;
  switch (kind_) {
    case Kind::gaussian:
      return std::exp(-4 * std::numbers::ln2 * r * r);
    case Kind::mauch: {
      const double a = 1.189 * r, below = 1 - 4 * a * a;
      const double voltage = std::abs(below) < 1e-9 ? std::numbers::pi / 4 : std::cos(std::numbers::pi * a) / below;
      return voltage * voltage;
    }
    case Kind::airy: {
      const double u = std::numbers::pi * dish_m_ * std::sin(radians) * frequency_hz / kLight,
                   e = blockage_m_ / dish_m_;
      const double voltage = (jinc(u) - e * e * jinc(e * u)) / (1 - e * e);
      return voltage * voltage;
    }
    default:
      return 1;
  }
}

BeamTable::BeamTable(const PrimaryBeam& beam, double frequency_hz, double least) {
  constexpr int kRows = 32768;
  const auto response = [&](double haversine) { return beam.at(2 * std::asin(std::sqrt(haversine)), frequency_hz); };
  double end = 1e-12;
  while (end < 1 && response(end) >= std::max(least, 1e-6)) end = std::min(end * 1.25, 1.0);
  rows_per_ = kRows / end;
  for (int k = 0; k <= kRows; ++k) values_.push_back(response(end * k / kRows));
}

}  // namespace reber
