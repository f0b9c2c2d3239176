// SPDX-License-Identifier: BSD-3-Clause
// Samples along and across a line.
#include "core/run/cube/pv_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/step_words.hpp"
#include "core/sky/model/coordinates.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

/// Cards of the spectral axis under the number 2, and those that say what its coordinates are.
std::vector<std::string> spectral_cards(const ImageHeader& header, int axis) {
  const std::string number = std::to_string(axis + 1);
  std::vector<std::string> cards;
  for (const std::string& card : header.cards) {
    const std::string keyword = fits::keyword_of(card);
    std::string name;
    for (const char* stem : {"CTYPE", "CUNIT", "CRVAL", "CRPIX", "CDELT", "CNAME"})
      if (keyword == stem + number) name = std::string(stem) + "2";
    if (keyword == "CD" + number + "_" + number) name = "CDELT2";
    for (const char* same : {"RESTFRQ", "RESTFREQ", "RESTWAV", "SPECSYS", "SSYSOBS", "VELREF", "VELOSYS", "OBJECT",
                             "TELESCOP", "INSTRUME", "OBSERVER", "DATE-OBS", "MJD-OBS"})
      if (keyword == same) name = same;
    if (!name.empty()) cards.push_back(fmt::format("{:<8}", name) + card.substr(8));
  }
  return cards;
}

}  // namespace

PvLine PvLine::parse(const std::string& text) {
  const std::vector<std::string> words = split_commas(text);
  const auto refuse = [&] {
    return InputError(
        fmt::format("step 'pv:{}': expected RA,DEC,RA,DEC in degrees or as 12:34:56,-1:02:03, and the "
                    "width in arcsec behind them where it is not one pixel",
                    printable(text)));
  };
  if (words.size() != 4 && words.size() != 5) throw refuse();
  std::vector<double> angles;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto angle = parse_angle(words[i], i % 2 == 0);
    if (!angle || !std::isfinite(*angle)) throw refuse();
    angles.push_back(*angle);
  }
  const auto width = words.size() == 5 ? whole_number(words[4]) : 0;
  if (!width || !(*width >= 0)) throw refuse();
  return {{angles[0], angles[1]}, {angles[2], angles[3]}, *width};
}

PvCut::PvCut(const PvLine& line, const ImageHeader& header, std::int64_t channels)
    : line_(line), shape_(header.shape), channels_(channels) {
  if (!header.wcs.celestial())
    throw InputError(fmt::format("{}: a cut needs the sky geometry of the image, and it has none ({})",
                                 printable(header.path), header.wcs.why_not()));
  const auto end = [&](const SkyPosition& sky) {
    const auto pixel = header.wcs.to_pixel(sky);
    const bool inside = pixel && pixel->x >= -0.5 && pixel->y >= -0.5 &&
                        pixel->x <= static_cast<double>(shape_.nx) - 0.5 &&
                        pixel->y <= static_cast<double>(shape_.ny) - 0.5;
    if (!inside)
      throw InputError(fmt::format("{}: the end {:.6f}, {:.6f} deg of the cut lies off the image",
                                   printable(header.path), sky.lon_deg, sky.lat_deg));
    return *pixel;
  };
  const PixelPosition a = end(line.from), b = end(line.to);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length >= 1)) throw InputError("step pv: the ends of the cut lie in one pixel");
  const double whole = separation_deg(line.from, line.to) * kArcsec;
  step_arcsec_ = whole / length;
  const double wide = line.width_arcsec / step_arcsec_;
  const auto across = std::max<std::int64_t>(1, std::llround(wide));
  const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
  for (std::int64_t i = 0; i <= static_cast<std::int64_t>(length + 1e-9); ++i) {
    std::vector<Sample> samples;
    for (std::int64_t j = 0; j < across; ++j) {
      const double aside = (static_cast<double>(j) - 0.5 * static_cast<double>(across - 1)) * std::max(wide, 1.0) /
                           static_cast<double>(across);
      Sample sample =
          sample_at(a.x + static_cast<double>(i) * ux - aside * uy, a.y + static_cast<double>(i) * uy + aside * ux);
      for (const Share& share : sample) pixels_.push_back(share.pixel);
      if (!sample.empty()) samples.push_back(std::move(sample));
    }
    positions_.push_back(std::move(samples));
  }
  std::ranges::sort(pixels_);
  pixels_.erase(std::unique(pixels_.begin(), pixels_.end()), pixels_.end());
  spectra_.resize(pixels_.size() * static_cast<std::size_t>(channels_), std::numeric_limits<float>::quiet_NaN());
}

PvCut::Sample PvCut::sample_at(double x, double y) const {
  constexpr double kSame = 1e-6;  // of a pixel: positions that WCSLIB makes of pixel centres
  if (std::abs(x - std::round(x)) < kSame) x = std::round(x);
  if (std::abs(y - std::round(y)) < kSame) y = std::round(y);
  const double fx = x - std::floor(x), fy = y - std::floor(y);
  Sample sample;
  for (const int j : {0, 1})
    for (const int i : {0, 1}) {
      const double weight = (i == 1 ? fx : 1 - fx) * (j == 1 ? fy : 1 - fy);
      if (!(weight > 0)) continue;
      const auto px = static_cast<std::int64_t>(std::floor(x)) + i, py = static_cast<std::int64_t>(std::floor(y)) + j;
      if (px < 0 || py < 0 || px >= shape_.nx || py >= shape_.ny) return {};
      sample.push_back({py * shape_.nx + px, weight});
    }
  return sample;
}

void PvCut::take(const Strip& strip) {
  auto at = std::ranges::lower_bound(pixels_, strip.first);
  for (; at != pixels_.end() && *at < strip.first + strip.pixels; ++at) {
    float* const out = spectra_.data() + (at - pixels_.begin()) * channels_;
    for (std::int64_t k = 0; k < channels_; ++k) out[k] = strip.plane(k)[*at - strip.first];
  }
}

float PvCut::value(const std::vector<Sample>& samples, std::int64_t channel) const {
  double sum = 0;
  int count = 0;
  for (const Sample& sample : samples) {
    double v = 0;
    for (const Share& share : sample) {
      const auto slot = std::ranges::lower_bound(pixels_, share.pixel) - pixels_.begin();
      v += share.weight * static_cast<double>(spectra_[static_cast<std::size_t>(slot * channels_ + channel)]);
    }
    if (!std::isfinite(v)) continue;
    sum += v;
    ++count;
  }
  return count > 0 ? static_cast<float>(sum / count) : std::nanf("");
}

void PvCut::write(const std::string& path, const ImageHeader& header, int axis, const std::string& unit,
                  const std::vector<std::string>& history, const FileOptions& how, const Progress& progress) const {
  OutputHeader out;
  out.unit = unit;
  out.beam = header.beam;
  out.history = history;
  out.cards = {fits::make_text_card("CTYPE1", "OFFSET"), fits::make_text_card("CUNIT1", "arcsec"),
               fits::make_card("CRPIX1", 1.0), fits::make_card("CRVAL1", 0.0), fits::make_card("CDELT1", step_arcsec_)};
  for (const std::string& card : spectral_cards(header, axis)) out.cards.push_back(card);
  const FloatRows pixels = [this](std::int64_t y0, std::int64_t ny, float* to) { rows(y0, ny, to); };
  write_fits(path, shape(), out, pixels, how, progress);
}

void PvCut::rows(std::int64_t y0, std::int64_t ny, float* out) const {
  const std::int64_t nx = shape().nx;
  for (std::int64_t i = 0; i < ny * nx; ++i) out[i] = value(positions_[static_cast<std::size_t>(i % nx)], y0 + i / nx);
}

std::string PvCut::told() const {
  return fmt::format("pv: from {:.6f}, {:.6f} to {:.6f}, {:.6f} deg, width {:g} arcsec, {} positions of {:.6g} arcsec",
                     line_.from.lon_deg, line_.from.lat_deg, line_.to.lon_deg, line_.to.lat_deg, line_.width_arcsec,
                     positions_.size(), step_arcsec_);
}

}  // namespace reber
