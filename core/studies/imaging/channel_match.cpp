// SPDX-License-Identifier: BSD-3-Clause
// Axes by their types and values, then the frequency of each plane.
#include "core/studies/imaging/channel_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/printable.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/run/cube/spectral_axis.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

/// Of a channel, or of a pixel of another axis.
constexpr double kSame = 0.01;

/// An axis that is not x or y, of more than one pixel.
struct FurtherAxis {
  std::string type;
  std::int64_t pixels = 1;
  double first = 0, step = 1;  ///< of its first pixel, and to the next one
  bool spectral = false;
};

fits::CardTable cards_of(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  return fits::CardTable(std::move(text));
}

std::vector<FurtherAxis> further_axes(const ImageHeader& header, const fits::CardTable& cards) {
  std::vector<FurtherAxis> axes;
  const int spectral = spectral_axis(header);
  for (int i = 0; i < static_cast<int>(header.axes.size()); ++i) {
    const std::int64_t pixels = header.axes[static_cast<std::size_t>(i)];
    if (i == header.x_axis || i == header.y_axis || pixels == 1) continue;
    const auto number = [&](const char* key, double usual) {
      return cards.number(fmt::format("{}{}", key, i + 1)).value_or(usual);
    };
    const double step = number("CDELT", 1);
    axes.push_back({cards.string(fmt::format("CTYPE{}", i + 1)).value_or(""), pixels,
                    number("CRVAL", 0) + (1 - number("CRPIX", 0)) * step, step, i == spectral});
  }
  return axes;
}

}  // namespace

std::string why_other_channels(const CubeSource& one, const CubeSource& other) {
  if (one.planes() != other.planes())
    return fmt::format("it has {} planes and the other has {}", one.planes(), other.planes());
  const auto a = one.header(0), b = other.header(0);
  const fits::CardTable cards_a = cards_of(*a), cards_b = cards_of(*b);
  const auto axes = further_axes(*a, cards_a), others = further_axes(*b, cards_b);
  if (axes.size() != others.size())
    return fmt::format("it has {} axes of planes and the other has {}", axes.size(), others.size());
  const std::int64_t last = one.planes() - 1;
  const auto known = [&](const CubeSource& cube, double first) {
    return std::isfinite(first) && first != cube.header(last)->wcs.frequency_hz();
  };
  const bool by_frequency = known(one, a->wcs.frequency_hz()) && known(other, b->wcs.frequency_hz());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const FurtherAxis &x = axes[i], &y = others[i];
    if (x.pixels != y.pixels || x.spectral != y.spectral || (x.type != y.type && !(x.spectral && by_frequency)))
      return fmt::format("an axis of it is {} of {} pixels and that of the other is {} of {}",
                         x.type.empty() ? "nameless" : printable(x.type), x.pixels,
                         y.type.empty() ? "nameless" : printable(y.type), y.pixels);
    if (x.spectral && by_frequency) continue;
    const double end = x.first + static_cast<double>(x.pixels - 1) * x.step,
                 other_end = y.first + static_cast<double>(y.pixels - 1) * y.step;
    const double most = kSame * std::abs(x.step);
    if (!(std::abs(x.first - y.first) <= most && std::abs(end - other_end) <= most))
      return fmt::format("its axis {} goes from {:.9g} to {:.9g} and that of the other from {:.9g} to {:.9g}",
                         printable(x.type), x.first, end, y.first, other_end);
  }
  const std::string frame = cards_a.string("SPECSYS").value_or(""),
                    other_frame = cards_b.string("SPECSYS").value_or("");
  if (!frame.empty() && !other_frame.empty() && frame != other_frame)
    return fmt::format("its frequencies are of the frame {} and those of the other of {} (SPECSYS)", printable(frame),
                       printable(other_frame));
  if (!by_frequency) return "";
  std::vector<double> own, its;
  for (std::int64_t plane = 0; plane <= last; ++plane) {
    own.push_back(one.header(plane)->wcs.frequency_hz());
    its.push_back(other.header(plane)->wcs.frequency_hz());
  }
  // Planes of one channel and several Stokes parameters stand side by side in some cubes.
  double width = 0;
  for (std::size_t k = 1; k < own.size(); ++k)
    if (const double step = std::abs(own[k] - own[k - 1]); step > 0 && !(width > 0 && step > width)) width = step;
  for (std::size_t k = 0; k < own.size(); ++k)
    if (!(std::abs(own[k] - its[k]) <= kSame * width))
      return fmt::format("its plane {} is of {:.9g} MHz and that of the other of {:.9g} MHz", k, own[k] / 1e6,
                         its[k] / 1e6);
  return "";
}

}  // namespace reber
