// SPDX-License-Identifier: BSD-3-Clause
// Noise from negative values, by histograms: counts do not depend on who counts first.
#include "core/run/cube/channel_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::int64_t kW = Strip::kPixels;
/// Median of the absolute value of a Gaussian of unit variance.
constexpr double kMedian = 0.67448975019608171;
/// Rows that the sample has, where the image has as many.
constexpr std::int64_t kSampledRows = 256;
/// Negative values that a plane and a cell need, and their least share of a plane.
constexpr std::int64_t kFewestOfPlane = 32, kFewestOfCell = 200;
constexpr double kLeastShare = 0.05;
/// Cells of the map are an eighth of the image's shorter side, within these.   [pixels]
constexpr std::int64_t kSmallestCell = 16, kLargestCell = 64;
/// Bins of a cell's histogram in units of the plane's rms.
constexpr std::int64_t kCellBins = 512;
constexpr float kBinsPerSigma = 64;
/// A spectrum without lines has no value above this many times its rms.
constexpr float kLineFree = 4;
constexpr std::int64_t kMostLags = 64;
/// Correlations below this are taken for none.
constexpr double kLeastCorrelation = 0.02;

/// Counts of positive numbers by their exponent and four bits of their mantissa.
constexpr int kDropped = 19;
constexpr std::size_t kPlaneBins = std::size_t{1} << (31 - kDropped);

/// Median by counts; `edge` gives the lower edge of a bin.
template <class Edge>
double median_of(const std::uint32_t* counts, std::size_t bins, std::int64_t total, const Edge& edge) {
  double below = 0, half = 0.5 * static_cast<double>(total);
  for (std::size_t i = 0; i < bins; ++i) {
    const double here = counts[i];
    if (below + here >= half && here > 0) return edge(i) + (edge(i + 1) - edge(i)) * (half - below) / here;
    below += here;
  }
  return std::nan("");
}

}  // namespace

/// The two walks over a sample of the rows. What threads count, each counts for itself.
class ChannelNoise::Measurement {
 public:
  Measurement(ChannelNoise& noise, const SpectraWalk& walk, std::int64_t planes, const Progress& progress)
      : noise_(noise),
        walk_(walk),
        planes_(planes),
        every_(std::max<std::int64_t>(1, walk.shape().ny / kSampledRows)),
        lags_(std::min(kMostLags, planes - 1)),
        progress_(progress) {}

  void planes();
  void fill_unmeasured();
  void cells_and_correlation();

 private:
  /// Of one thread in the first walk.
  struct Counts {
    std::vector<std::uint32_t> negatives;  ///< by plane and bin
    std::vector<std::int64_t> finite;      ///< by plane
  };
  void count_planes(const Strip& strip, Counts& own) const;
  [[nodiscard]] double rms_of(std::size_t plane, const std::vector<Counts>& all) const;
  void count_cells(const Strip& strip, std::vector<std::uint32_t>& own) const;
  void normalise(Strip& strip) const;
  void drop_lines(Strip& strip) const;
  void add_products(const Strip& strip, std::vector<double>& sums) const;
  void correlate(const std::vector<std::vector<double>>& by_band);
  void map_cells(const std::vector<std::vector<std::uint32_t>>& counts);

  ChannelNoise& noise_;
  const SpectraWalk& walk_;
  std::int64_t planes_, every_, lags_;
  const Progress& progress_;
};

void ChannelNoise::Measurement::count_planes(const Strip& strip, Counts& own) const {
  own.negatives.resize(static_cast<std::size_t>(planes_) * kPlaneBins);
  own.finite.resize(static_cast<std::size_t>(planes_));
  for (std::int64_t k = 0; k < planes_; ++k) {
    std::uint32_t* const counts = own.negatives.data() + static_cast<std::size_t>(k) * kPlaneBins;
    const float* const row = strip.plane(k);
    for (std::int64_t x = 0; x < strip.pixels; ++x) {
      own.finite[static_cast<std::size_t>(k)] += static_cast<std::int64_t>(row[x] == row[x]);
      if (row[x] < 0) ++counts[std::bit_cast<std::uint32_t>(-row[x]) >> kDropped];
    }
  }
}

double ChannelNoise::Measurement::rms_of(std::size_t plane, const std::vector<Counts>& all) const {
  std::vector<std::uint32_t> counts(kPlaneBins);
  std::int64_t finite = 0, total = 0;
  for (const Counts& own : all) {
    if (own.finite.empty()) continue;
    finite += own.finite[plane];
    for (std::size_t i = 0; i < kPlaneBins; ++i) counts[i] += own.negatives[plane * kPlaneBins + i];
  }
  for (const std::uint32_t c : counts) total += c;
  if (total < kFewestOfPlane || !(static_cast<double>(total) > kLeastShare * static_cast<double>(finite)))
    return std::nan("");
  const auto edge = [](std::size_t i) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(i) << kDropped));
  };
  return median_of(counts.data(), kPlaneBins, total, edge) / kMedian;
}

void ChannelNoise::Measurement::planes() {
  std::vector<Counts> all(static_cast<std::size_t>(walk_.workers()));
  walk_.walk(
      every_, "measuring the noise",
      [&](Strip& strip, const Band&, int worker) { count_planes(strip, all[static_cast<std::size_t>(worker)]); }, {},
      progress_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(planes_); ++k) noise_.planes_.push_back(rms_of(k, all));
}

void ChannelNoise::Measurement::fill_unmeasured() {
  std::vector<double> known;
  for (const double s : noise_.planes_)
    if (s > 0) known.push_back(s);
  if (known.empty())
    throw DataError(
        "the noise cannot be measured: it is taken from negative values, and no plane has enough of them; give it as "
        "the step noise:VALUE, or take the continuum away by contsub");
  std::ranges::nth_element(known, known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2));
  for (double& s : noise_.planes_) {
    if (s > 0) continue;
    s = known[known.size() / 2];
    ++noise_.unmeasured_;
  }
}

/// Values become multiples of their plane's rms.
void ChannelNoise::Measurement::normalise(Strip& strip) const {
  for (std::int64_t k = 0; k < planes_; ++k) {
    const auto scale = static_cast<float>(1 / noise_.planes_[static_cast<std::size_t>(k)]);
    float* const row = strip.plane(k);
    for (std::int64_t x = 0; x < kW; ++x) row[x] *= scale;
  }
}

void ChannelNoise::Measurement::count_cells(const Strip& strip, std::vector<std::uint32_t>& own) const {
  own.resize(noise_.cells_.size() * static_cast<std::size_t>(kCellBins));
  const std::int64_t nx = noise_.shape_.nx, side = noise_.cell_;
  for (std::int64_t x = 0; x < strip.pixels; ++x) {
    const std::int64_t at = strip.first + x;
    const std::int64_t cell = at / nx / side * noise_.columns_ + at % nx / side;
    std::uint32_t* const counts = own.data() + cell * kCellBins;
    for (std::int64_t k = 0; k < planes_; ++k) {
      const float u = strip.plane(k)[x];
      if (u < 0) ++counts[std::min(static_cast<std::int64_t>(std::min(-u, 1e6F) * kBinsPerSigma), kCellBins - 1)];
    }
  }
}

/// Spectra with lines become blank.
void ChannelNoise::Measurement::drop_lines(Strip& strip) const {
  std::array<float, kW> squares{}, negatives{}, largest{};
  for (std::int64_t k = 0; k < planes_; ++k) {
    const float* const row = strip.plane(k);
    for (std::int64_t x = 0; x < kW; ++x) {
      const auto i = static_cast<std::size_t>(x);
      const float u = row[x] == row[x] ? row[x] : 0;
      largest[i] = std::max(largest[i], std::abs(u));
      squares[i] += u < 0 ? u * u : 0;
      negatives[i] += u < 0 ? 1.0F : 0.0F;
    }
  }
  for (std::int64_t x = 0; x < kW; ++x) {
    const auto i = static_cast<std::size_t>(x);
    if (x < strip.pixels && largest[i] <= kLineFree * std::sqrt(squares[i] / std::max(negatives[i], 1.0F))) continue;
    for (std::int64_t k = 0; k < planes_; ++k) strip.plane(k)[x] = std::nanf("");
  }
}

/// sums: the sum of products and their number, by lag
void ChannelNoise::Measurement::add_products(const Strip& strip, std::vector<double>& sums) const {
  sums.resize(static_cast<std::size_t>(2 * (lags_ + 1)));
  for (std::int64_t lag = 0; lag <= lags_; ++lag)
    for (std::int64_t k = 0; k + lag < planes_; ++k) {
      const float *const a = strip.plane(k), *const b = strip.plane(k + lag);
      std::array<float, 8> sum{};
      std::array<int, 8> pairs{};
      for (std::int64_t x = 0; x < kW; x += 8)
        for (std::size_t i = 0; i < 8; ++i) {
          const float product = a[x + static_cast<std::int64_t>(i)] * b[x + static_cast<std::int64_t>(i)];
          sum[i] += product == product ? product : 0;
          pairs[i] += static_cast<int>(product == product);
        }
      for (const float v : sum) sums[static_cast<std::size_t>(2 * lag)] += static_cast<double>(v);
      for (const int v : pairs) sums[static_cast<std::size_t>(2 * lag + 1)] += v;
    }
}

void ChannelNoise::Measurement::correlate(const std::vector<std::vector<double>>& by_band) {
  std::vector<double> all(static_cast<std::size_t>(2 * (lags_ + 1)));
  for (const auto& sums : by_band)
    for (std::size_t i = 0; i < sums.size(); ++i) all[i] += sums[i];
  for (std::size_t lag = 1; lag <= static_cast<std::size_t>(lags_); ++lag) {
    const double pairs = all[2 * lag + 1];
    const double rho = all[2 * lag] / pairs / (all[0] / all[1]);
    if (!(std::abs(rho) >= std::max(kLeastCorrelation, 4 / std::sqrt(pairs)))) break;
    noise_.correlation_.push_back(rho);
  }
}

void ChannelNoise::Measurement::map_cells(const std::vector<std::vector<std::uint32_t>>& counts) {
  for (std::size_t c = 0; c < noise_.cells_.size(); ++c) {
    std::vector<std::uint32_t> one(kCellBins);
    std::int64_t total = 0;
    for (const auto& own : counts)
      for (std::size_t i = 0; i < one.size() && !own.empty(); ++i) one[i] += own[c * one.size() + i];
    for (const std::uint32_t v : one) total += v;
    const auto edge = [](std::size_t i) { return static_cast<double>(i) / static_cast<double>(kBinsPerSigma); };
    if (total >= kFewestOfCell) noise_.cells_[c] = median_of(one.data(), one.size(), total, edge) / kMedian;
  }
}

void ChannelNoise::Measurement::cells_and_correlation() {
  const std::int64_t side = std::min(noise_.shape_.nx, noise_.shape_.ny);
  noise_.cell_ = std::clamp(side / 8, kSmallestCell, kLargestCell);
  noise_.columns_ = (noise_.shape_.nx + noise_.cell_ - 1) / noise_.cell_;
  noise_.rows_ = (noise_.shape_.ny + noise_.cell_ - 1) / noise_.cell_;
  noise_.cells_.assign(static_cast<std::size_t>(noise_.columns_ * noise_.rows_), 1);
  std::vector<std::vector<std::uint32_t>> counts(static_cast<std::size_t>(walk_.workers()));
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(walk_.bands(every_)));
  walk_.walk(
      every_, "measuring the noise",
      [&](Strip& strip, const Band& band, int worker) {
        normalise(strip);
        if (!noise_.given_) count_cells(strip, counts[static_cast<std::size_t>(worker)]);
        drop_lines(strip);
        add_products(strip, sums[static_cast<std::size_t>(band.index)]);
      },
      {}, progress_);
  correlate(sums);
  map_cells(counts);
}

ChannelNoise ChannelNoise::measure(const SpectraWalk& walk, std::int64_t planes, const std::optional<double>& given,
                                   const Progress& progress) {
  ChannelNoise noise;
  noise.shape_ = walk.shape();
  noise.given_ = given.has_value();
  Measurement measurement(noise, walk, planes, progress);
  if (given) {
    noise.planes_.assign(static_cast<std::size_t>(planes), *given);
  } else {
    measurement.planes();
    measurement.fill_unmeasured();
  }
  measurement.cells_and_correlation();
  return noise;
}

void ChannelNoise::map(std::int64_t first, std::int64_t count, float* out) const {
  const auto place = [&](std::int64_t at, std::int64_t cells) {
    const double p = std::clamp((static_cast<double>(at) + 0.5) / static_cast<double>(cell_) - 0.5, 0.0,
                                static_cast<double>(cells - 1));
    const auto low = std::min(static_cast<std::int64_t>(p), std::max<std::int64_t>(cells - 2, 0));
    return std::pair{low, p - static_cast<double>(low)};
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = first + i;
    const auto [y, fy] = place(at / shape_.nx, rows_);
    const auto [x, fx] = place(at % shape_.nx, columns_);
    const auto cell = [&](std::int64_t cy, std::int64_t cx) {
      return cells_[static_cast<std::size_t>(std::min(cy, rows_ - 1) * columns_ + std::min(cx, columns_ - 1))];
    };
    out[i] = static_cast<float>((1 - fy) * ((1 - fx) * cell(y, x) + fx * cell(y, x + 1)) +
                                fy * ((1 - fx) * cell(y + 1, x) + fx * cell(y + 1, x + 1)));
  }
}

std::vector<std::string> ChannelNoise::told(const std::string& unit) const {
  const auto [least, most] = std::ranges::minmax(planes_);
  std::string line = fmt::format("noise: {:.6g} to {:.6g} {} by plane", least, most, unit);
  if (given_) line = fmt::format("noise: {:.6g} {}, as given", planes_.front(), unit);
  if (!given_) {
    const auto [low, high] = std::ranges::minmax(cells_);
    line += fmt::format(", times a map of {:.4g} to {:.4g}", low, high);
  }
  if (unmeasured_ > 0) line += fmt::format("; {} planes have the median of the others", unmeasured_);
  std::vector<std::string> lines{line};
  std::string words = "noise: correlation of neighbouring channels";
  for (std::size_t lag = 1; lag < std::min<std::size_t>(correlation_.size(), 9); ++lag)
    words += fmt::format(" {:.3f}", correlation_[lag]);
  lines.push_back(correlation_.size() > 1 ? words : "noise: channels are not correlated");
  return lines;
}

}  // namespace reber
