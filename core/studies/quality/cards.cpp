// SPDX-License-Identifier: BSD-3-Clause
// Cut-outs and words of single sources.
#include "core/studies/quality/cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/measure/sources/model_map.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/show/picture/png_encoder.hpp"
#include "core/show/picture/sky_pixels.hpp"

namespace reber {
namespace {

/// Flags that say that a number may be wrong, not merely how it was measured.
constexpr std::int64_t kDoubts =
    kFlagEdge | kFlagComplex | kFlagNotFitted | kFlagBound | kFlagExtra | kFlagBeyond | kFlagNoise;
constexpr double kUnreliable = 0.9, kArcsec = 3600;

bool doubtful(const Source& one) { return (one.flag & kDoubts) != 0 || one.reliability < kUnreliable; }

/// FWHM on the grid, pixels.
double width_of(const Source& one) {
  const double area = one.model.fwhm2.xx * one.model.fwhm2.yy - one.model.fwhm2.xy * one.model.fwhm2.xy;
  return area > 0 ? std::sqrt(std::sqrt(area)) : 5;
}

class CardMaker {
 public:
  CardMaker(const Result& result, const Progress& progress)
      : result_(result), progress_(progress), accounts_(result), model_(result.sources(), result.header().shape) {}
  [[nodiscard]] SourceCard card(std::size_t row, bool doubt) const;

 private:
  void words(const Source& one, SourceCard& card) const;
  void neighbours(const Source& one, SourceCard& card) const;
  void stamps(const Source& one, SourceCard& card) const;
  [[nodiscard]] std::string stamp(const Image& image, DisplayLimits limits) const;

  const Result& result_;
  const Progress& progress_;
  RowAccounts accounts_;
  ModelMap model_;
  mutable ThreadPool pool_{1};
};

void CardMaker::words(const Source& one, SourceCard& card) const {
  const Unit& unit = result_.header().unit;
  const auto flux = [&](double value, double error, const std::string& name) {
    const auto [factor, prefix] = std::abs(value) >= 1      ? std::pair(1.0, "")
                                  : std::abs(value) >= 1e-3 ? std::pair(1e3, "m")
                                                            : std::pair(1e6, "u");
    const int digits = std::clamp(static_cast<int>(std::ceil(1 - std::log10(std::max(1e-9, error * factor)))), 0, 6);
    return fmt::format("{:.{}f} +- {:.{}f} {}{}", value * factor, digits, error * factor, digits, prefix, name);
  };
  card.title = std::isfinite(one.ra) ? fmt::format("{:.5f}, {:+.5f} deg", one.ra, one.dec)
                                     : fmt::format("x {:.1f}, y {:.1f}", one.x, one.y);
  card.lines.push_back(fmt::format("S/N {:.1f}: peak {}", one.snr, flux(one.peak, one.e_peak, unit.name())));
  card.lines.push_back("total " + flux(one.total, one.e_total, unit.total_name()));
  if (std::isfinite(one.major_deg))
    card.lines.push_back(fmt::format("{:.3g}\" x {:.3g}\" at {:.0f} deg, {}", one.major_deg * kArcsec,
                                     one.minor_deg * kArcsec, one.pa_deg,
                                     one.resolved == 1 ? "resolved" : "not resolved"));
  if (std::isfinite(one.reliability)) card.lines.push_back(fmt::format("reliability {:.3f}", one.reliability));
}

void CardMaker::neighbours(const Source& one, SourceCard& card) const {
  constexpr double kNear = 3;
  const double reach = kNear * width_of(one);
  std::vector<std::pair<double, const Source*>> near;
  for (const Source& other : result_.sources()) {
    const double distance = std::hypot(other.x - one.x, other.y - one.y);
    if (&other != &one && !other.negative && distance < reach) near.emplace_back(distance, &other);
  }
  std::ranges::sort(near, {}, [](const auto& pair) { return pair.first; });
  constexpr std::size_t kTold = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(kTold, near.size()); ++k)
    text += fmt::format("{}S/N {:.1f} at {:.1f} pixels", k == 0 ? "" : ", ", near[k].second->snr, near[k].first);
  if (near.size() > kTold) text += fmt::format(" and {} more", near.size() - kTold);
  card.lines.push_back(near.empty() ? "no neighbour within three widths" : "neighbours: " + text);
}

std::string CardMaker::stamp(const Image& image, DisplayLimits limits) const {
  const auto [ny, nx] = image.shape();
  Image upright(image.shape());
  for (std::int64_t y = 0; y < ny; ++y) std::copy_n(image.data() + (ny - 1 - y) * nx, nx, upright.data() + y * nx);
  std::vector<Rgb> pixels(static_cast<std::size_t>(image.shape().count()));
  const RgbView view{pixels.data(), static_cast<int>(nx), static_cast<int>(ny), nx};
  paint_sky(upright.view(), limits, pool_, view);
  return encode_png(pixels.data(), view.width, view.height, {1, progress_});
}

void CardMaker::stamps(const Source& one, SourceCard& card) const {
  constexpr double kLeast = 10, kMost = 70, kWidths = 2.5;
  const double width = width_of(one);
  const auto half = static_cast<std::int64_t>(std::clamp(kWidths * width, kLeast, kMost));
  const std::int64_t cx = std::llround(one.x), cy = std::llround(one.y);
  const Shape shape = result_.header().shape, side{2 * half + 1, 2 * half + 1};
  const std::int64_t y0 = std::max<std::int64_t>(0, cy - half), y1 = std::min(shape.ny, cy + half + 1),
                     x0 = std::max<std::int64_t>(0, cx - half), x1 = std::min(shape.nx, cx + half + 1);
  if (y1 <= y0 || x1 <= x0) return;
  std::vector<float> part(static_cast<std::size_t>((y1 - y0) * (x1 - x0)));
  result_.backend->render(MapKind::image, *result_.plane(), nullptr, {y0, x0, y1 - y0, x1 - x0}, part.data(),
                          progress_);
  Image data(side), model(side), rest(side);
  model_.rectangle({cy - half, cx - half, side.ny, side.nx}, model.data());
  const double unit = result_.header().unit.factor, rms = one.rms / unit, mean = one.mean / unit;
  for (std::int64_t y = 0; y < side.ny; ++y)
    for (std::int64_t x = 0; x < side.nx; ++x) {
      const std::int64_t py = cy - half + y, px = cx - half + x;
      const bool inside = py >= y0 && py < y1 && px >= x0 && px < x1;
      const float value = inside ? part[static_cast<std::size_t>((py - y0) * (x1 - x0) + px - x0)] : NAN;
      data.at(y, x) = value;
      rest.at(y, x) = value - model.at(y, x);
      model.at(y, x) += static_cast<float>(mean);
      if (std::hypot(static_cast<double>(px) - one.x, static_cast<double>(py) - one.y) > width) continue;
      const double left = std::abs(static_cast<double>(rest.at(y, x)) - mean) / rms;
      if (left > card.residual) card.residual = left;
    }
  constexpr double kBelow = 3, kAbove = 10;
  const DisplayLimits limits{mean - kBelow * rms, mean + std::max(kAbove * rms, one.peak_pixel / unit)};
  if (!(limits.high > limits.low)) return;
  card.data_png = stamp(data, limits), card.model_png = stamp(model, limits), card.residual_png = stamp(rest, limits);
}

SourceCard CardMaker::card(std::size_t row, bool doubt) const {
  const Source& one = result_.sources()[row];
  SourceCard card;
  card.row = static_cast<std::int64_t>(row);
  card.doubtful = doubt;
  words(one, card);
  stamps(one, card);
  card.lines.push_back(fmt::format("largest residual within its width: {:.1f} times the noise", card.residual));
  neighbours(one, card);
  for (const FlagWord& flag : flag_words())
    if ((one.flag & flag.bit) != 0) card.doubts.emplace_back(flag.words);
  if (one.reliability < kUnreliable) card.doubts.push_back(fmt::format("reliability {:.2f}", one.reliability));
  card.account = accounts_.of(card.row);
  return card;
}

}  // namespace

std::vector<SourceCard> make_cards(const Result& result, std::size_t each, const Progress& progress) {
  std::vector<SourceCard> cards;
  const std::vector<Source>& sources = result.sources();
  if (!result.outcomes.judged || sources.empty()) return cards;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < sources.size(); ++row)
    if (!sources[row].negative) rows.push_back(row);
  std::ranges::stable_sort(rows, std::greater(), [&](std::size_t row) { return sources[row].snr; });
  const CardMaker maker(result, progress);
  std::set<std::size_t> taken;
  for (const bool doubt : {false, true}) {
    std::size_t count = 0;
    for (const std::size_t row : rows) {
      if (count == each) break;
      if ((doubt && !doubtful(sources[row])) || !taken.insert(row).second) continue;
      cards.push_back(maker.card(row, doubt));
      ++count;
    }
  }
  return cards;
}

}  // namespace reber
