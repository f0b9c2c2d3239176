// SPDX-License-Identifier: BSD-3-Clause
// A small sky with a beam that leans, noise, and the way from its pixels to rows.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/measure/sources/cut_errors.hpp"
#include "core/measure/sources/cut_sources.hpp"
#include "core/measure/sources/deblend.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {

inline constexpr std::int64_t kSide = 96;
inline constexpr Beam kBeam{0.008, 0.005, 37};

inline ImageHeader header_of() {
  ImageHeader header;
  header.shape = {kSide, kSide};
  std::string text;
  for (const char* card :
       {"NAXIS   =                    2", "NAXIS1  =                   96", "NAXIS2  =                   96",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  =                 60.0",
        "CRVAL2  =                -30.0", "CRPIX1  =                 48.5", "CRPIX2  =                 48.5",
        "CDELT1  =               -0.001", "CDELT2  =                0.001", "END"})
    text += fmt::format("{:<80}", card);
  header.wcs = Wcs::parse(text, 0, 1, {}, 2, kSide, kSide);
  header.unit = Unit::parse("Jy/beam");
  header.beam = kBeam;
  return header;
}

/// FWHM^2 of the beam on the grid.
inline Covariance beam_px() {
  return to_pixels(sky_covariance(kBeam.major_deg, kBeam.minor_deg, kBeam.pa_deg), *header_of().centre_geometry());
}

/// Noise of unit rms, correlated over some pixels, and these.
inline Image sky_of(const std::vector<GaussianComponent>& scene, std::uint64_t seed) {
  constexpr std::int64_t kBox = 4;
  Image white({kSide + kBox, kSide + kBox}), image({kSide, kSide});
  Random random(seed);
  for (std::int64_t i = 0; i < white.shape().count(); ++i) white.data()[i] = static_cast<float>(random.normal());
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double value = 0;
      for (const GaussianComponent& one : scene)
        value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      for (std::int64_t dy = 0; dy < kBox; ++dy)
        for (std::int64_t dx = 0; dx < kBox; ++dx) value += white.at(y + dy, x + dx) / kBox;
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

inline std::vector<Source> found_in(const Image& image) {
  Backend& cpu = backend("cpu");
  const ImageHeader header = header_of();
  const auto plane = load(cpu, image);
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const DetectOptions options;
  const KnownPixels known = known_pixels(cpu, *plane, {});
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  std::vector<SourceRow> rows = deblend(cpu.measure(*plane, background, *islands), pixels, options, {}, {});
  mark_cut(rows, cpu.label_runs(*islands), known);
  const SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header, kBeam);
  rows = fitter.fit(cpu, rows, pixels, options, known);
  doubt_unfitted(rows, known);
  return make_sources(rows, options, header, kBeam);
}

}  // namespace reber::testing
