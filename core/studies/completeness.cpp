// SPDX-License-Identifier: BSD-3-Clause
// Injection and recovery.
#include "core/studies/completeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/image.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/studies/random.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kArcsec = 3600;

struct Injected {
  double x = 0, y = 0;       ///< 0-based pixels
  double peak = 0, snr = 0;  ///< image value; over the local rms
  bool clear = true;         ///< on no source of the image
};

/// What a recovered source says of itself.
struct Recovered {
  double total_ratio, peak_ratio, d_lon, d_lat, pull_total, pull_peak, pull_x, pull_y;
};

struct BinTally {
  Fraction all, clear;
  std::vector<Recovered> found;
};

/// Places on a coarse grid, to find what is near.
class Near {
 public:
  explicit Near(double reach) : reach_(reach) {}
  void add(double x, double y, std::size_t id) { cells_[key(x, y)].push_back({x, y, id}); }
  /// The closest place within the reach, and within `most`; its distance, and its id in `id`.
  [[nodiscard]] double closest(double x, double y, double most, std::size_t& id) const {
    double best = std::numeric_limits<double>::infinity();
    const auto [cy, cx] = key(x, y);
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto cell = cells_.find({cy + dy, cx + dx});
        if (cell == cells_.end()) continue;
        for (const Place& place : cell->second) {
          const double d = std::hypot(place.x - x, place.y - y);
          if (d > std::min(reach_, most) || !(d < best)) continue;
          best = d;
          id = place.id;
        }
      }
    return best;
  }

 private:
  struct Place {
    double x, y;
    std::size_t id;
  };
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> key(double x, double y) const {
    return {static_cast<std::int64_t>(std::floor(y / reach_)), static_cast<std::int64_t>(std::floor(x / reach_))};
  }
  double reach_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Place>> cells_;
};

class Experiment {
 public:
  Experiment(Request request, const CompletenessOptions& options, std::shared_ptr<Backend> backend,
             const Progress& progress, const LogSink& log)
      : request_(std::move(request)), options_(options), backend_(std::move(backend)), progress_(progress), log_(log) {}

  CompletenessResult run();

 private:
  void search_image();
  void count_detections();
  void subtract_sources();
  [[nodiscard]] std::vector<Injected> draw_round(std::int64_t wanted);
  void add(Image& image, double x, double y, double peak, const Covariance& fwhm2) const;
  void one_round(const std::vector<Injected>& injected);
  void judge(const Injected& one, const Near& found, const std::vector<Source>& sources);
  [[nodiscard]] Covariance shape_at(const Injected& one) const {
    if (!beams_.varies()) return shape_;
    const LocalBeam beam = beams_.at(one.x, one.y);
    const auto local = options_.size_deg > 0 ? header_->wcs.sky_per_pixel(one.x, one.y) : std::nullopt;
    return beam.pixels + (local ? to_pixels(sky_covariance(options_.size_deg, options_.size_deg, 0), *local) : size_);
  }
  /// Geometric mean of the axes of an injected source, pixels.
  [[nodiscard]] double fwhm_at(const Injected& one) const {
    if (!beams_.varies()) return fwhm_;
    const Ellipse axes = ellipse_of(shape_at(one));
    return std::sqrt(axes.major * axes.minor);
  }
  [[nodiscard]] double widest(Shape shape) const;
  [[nodiscard]] std::size_t bin_of(double snr) const;
  [[nodiscard]] double edge(std::size_t bin) const;
  void finish();

  Request request_;
  const CompletenessOptions& options_;
  std::shared_ptr<Backend> backend_;
  const Progress& progress_;
  const LogSink& log_;
  std::shared_ptr<const ImageHeader> header_;
  CompletenessResult result_;
  Image image_, rms_;
  std::vector<std::int32_t> labels_;
  std::vector<Source> before_;  ///< of the image itself
  std::optional<Near> known_;
  BeamField beams_;
  Covariance size_;   ///< of an injected source on the sky, pixels^2
  Covariance shape_;  ///< of one in the image, pixels^2; of a beam that varies in its middle
  Matrix2 sky_per_pixel_;
  double unit_ = 1, per_sum_ = kNan, fwhm_ = 1, widest_ = 1;
  std::vector<BinTally> tallies_;
  std::uint64_t drawn_ = 0;   ///< random pairs used
  std::int64_t planned_ = 0;  ///< sources given a bin so far
};

double Experiment::edge(std::size_t bin) const {
  return options_.low *
         std::pow(options_.high / options_.low, static_cast<double>(bin) / static_cast<double>(options_.bins));
}

std::size_t Experiment::bin_of(double snr) const {
  const double part = std::log(snr / options_.low) / std::log(options_.high / options_.low);
  const double bin = std::floor(part * static_cast<double>(options_.bins));
  return bin >= 0 && bin < static_cast<double>(options_.bins) ? static_cast<std::size_t>(bin) : SIZE_MAX;
}

/// The image as it is: its sources, its negative detections, its noise.
void Experiment::search_image() {
  Request request = request_;
  request.negative_too = true;
  const Result first = run_once(backend_, request, events_of(progress_, log_));
  header_ = first.outcomes.opened->value.header;
  const ImageHeader& header = *header_;
  beams_ = first.beams();
  const std::optional<Beam> own = beams_.nominal();
  const auto local = header.centre_geometry();
  if (!own || !local)
    throw InputError(
        fmt::format("{}: sources are injected with the restoring beam's shape on a sky grid, and there is {}",
                    request_.input, own ? "no sky grid" : "no beam; --beam gives one"));
  if (options_.low_flux && header.unit.kind != Unit::Kind::jy_per_beam)
    throw InputError(
        fmt::format("{}: --flux is in uJy/beam, its pixels are in '{}'", request_.input, header.unit.text));
  sky_per_pixel_ = *local;
  result_.unit = header.unit, unit_ = header.unit.factor;
  per_sum_ = flux_per_sum(header, own);
  const Covariance beam = to_pixels(sky_covariance(own->major_deg, own->minor_deg, own->pa_deg), *local);
  size_ = to_pixels(sky_covariance(options_.size_deg, options_.size_deg, 0), *local);
  shape_ = beam + size_;
  const Ellipse axes = ellipse_of(shape_);
  result_.fwhm_px = fwhm_ = std::sqrt(axes.major * axes.minor);
  const Shape shape = first.plane()->shape();
  if (!(fwhm_ <= std::hypot(static_cast<double>(shape.ny), static_cast<double>(shape.nx))))
    throw InputError(fmt::format("sources of {:g} arcsec are wider than the image", options_.size_deg * 3600));
  widest_ = widest(shape), image_ = Image(shape), rms_ = Image(shape);
  backend_->render_rows(MapKind::image, *first.plane(), nullptr, 0, shape.ny, image_.data(), progress_);
  backend_->render_rows(MapKind::rms, *first.plane(), first.background(), 0, shape.ny, rms_.data(), progress_);
  labels_.resize(static_cast<std::size_t>(shape.count()));
  backend_->label_rows(*first.islands(), 0, shape.ny, labels_.data(), progress_);
  std::vector<float> known(rms_.data(), rms_.data() + shape.count());
  std::erase_if(known, [](float v) { return !(v > 0); });
  if (known.empty()) throw InputError(fmt::format("{}: its noise is zero or unknown everywhere", request_.input));
  std::nth_element(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2), known.end());
  result_.median_rms = static_cast<double>(known[known.size() / 2]) * unit_;
  before_ = first.sources(), result_.threshold = first.outcomes.positive.detected->value.options.seed;
  // Injected sources are searched for as those of the image were, however crowded they make it.
  if (!(request_.fdr > 0)) request_.detect->seed = result_.threshold;
  request_.deepen = 0;
}

/// The largest fwhm_at() of a lattice over the image.
double Experiment::widest(Shape shape) const {
  constexpr int kPlaces = 33;
  double most = fwhm_;
  for (int j = 0; beams_.varies() && j < kPlaces; ++j)
    for (int i = 0; i < kPlaces; ++i) {
      const double x = i * static_cast<double>(shape.nx - 1), y = j * static_cast<double>(shape.ny - 1);
      most = std::max(most, fwhm_at({.x = x / (kPlaces - 1), .y = y / (kPlaces - 1)}));
    }
  return most;
}

void Experiment::count_detections() {
  std::vector<std::int64_t> negative(tallies_.size()), positive(tallies_.size());
  for (const Source& source : before_) {
    (source.negative ? result_.negative : result_.positive) += 1;
    const std::size_t bin = bin_of(source.snr);
    if (bin < tallies_.size()) ++(source.negative ? negative : positive)[bin];
  }
  for (std::size_t bin = 0; bin < tallies_.size(); ++bin) {
    result_.bins[bin].reliable.trials = positive[bin];
    result_.bins[bin].reliable.hits = std::max<std::int64_t>(0, positive[bin] - negative[bin]);
  }
  std::erase_if(before_, [](const Source& source) { return source.negative; });
}

/// Their Gaussians are taken out of the image and nothing of it counts as a source any more.
void Experiment::subtract_sources() {
  for (const Source& source : before_)
    add(image_, source.model.x, source.model.y, -source.model.peak, source.model.fwhm2);
  before_.clear();
  std::ranges::fill(labels_, 0);
}

void Experiment::add(Image& image, double x, double y, double peak, const Covariance& fwhm2) const {
  constexpr double kReach = 2.2;  // FWHMs: there the Gaussian has fallen to 1.5e-6
  if (!std::isfinite(x) || !(fwhm2.xx > 0) || !(fwhm2.yy > 0)) return;
  const GaussianComponent source{peak, x, y, fwhm2};
  std::array<double, GaussianComponent::kParameters> unused{};
  const auto range = [](double at, double half, std::int64_t n) {
    return std::pair(std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(at - half)), 0, n),
                     std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at + half)) + 1, 0, n));
  };
  const auto [y0, y1] = range(y, kReach * std::sqrt(fwhm2.yy), image.shape().ny);
  const auto [x0, x1] = range(x, kReach * std::sqrt(fwhm2.xx), image.shape().nx);
  for (std::int64_t py = y0; py < y1; ++py)
    for (std::int64_t px = x0; px < x1; ++px)
      image.at(py, px) += static_cast<float>(source.evaluate(static_cast<double>(px), static_cast<double>(py), unused));
}

/// Up to `wanted` sources on known pixels, none nearer to another than the separation. Bins take turns.
std::vector<Injected> Experiment::draw_round(std::int64_t wanted) {
  const double apart = options_.separation * fwhm_;
  const Shape shape = image_.shape();
  Near placed(std::max(options_.separation * widest_, 1.0));
  std::vector<Injected> out;
  const double room = static_cast<double>(shape.count()) / (2 * apart * apart);
  const auto most = std::clamp<std::int64_t>(static_cast<std::int64_t>(room), 1, wanted);
  constexpr std::int64_t kTriesEach = 30;
  for (std::int64_t tried = 0; tried < kTriesEach * most && static_cast<std::int64_t>(out.size()) < most; ++tried) {
    const UniformPair place = uniform_pair(options_.seed, RandomStream::injection, drawn_++);
    const UniformPair size = uniform_pair(options_.seed, RandomStream::injection, drawn_++);
    Injected one;
    one.x = place.first * static_cast<double>(shape.nx) - 0.5,
    one.y = place.second * static_cast<double>(shape.ny) - 0.5;
    const auto px = std::clamp<std::int64_t>(std::llround(one.x), 0, shape.nx - 1);
    const auto py = std::clamp<std::int64_t>(std::llround(one.y), 0, shape.ny - 1);
    const double rms = rms_.at(py, px);
    std::size_t unused = 0;
    const double fwhm = fwhm_at(one), free = std::max(options_.separation * fwhm, 1.0);
    if (!(rms > 0) || !std::isfinite(image_.at(py, px)) || std::isfinite(placed.closest(one.x, one.y, free, unused)))
      continue;
    if (options_.low_flux && options_.high_flux) {
      one.peak = *options_.low_flux * std::pow(*options_.high_flux / *options_.low_flux, size.first) / unit_;
      one.snr = one.peak / rms;
    } else {
      const auto bin = static_cast<std::size_t>(planned_ % options_.bins);
      one.snr = edge(bin) * std::pow(edge(bin + 1) / edge(bin), size.first);
      one.peak = one.snr * rms;
    }
    ++planned_;
    one.clear = labels_[static_cast<std::size_t>(py * shape.nx + px)] == 0 &&
                !std::isfinite(known_->closest(one.x, one.y, fwhm, unused));
    placed.add(one.x, one.y, out.size());
    out.push_back(one);
  }
  return out;
}

void Experiment::one_round(const std::vector<Injected>& injected) {
  Image with = image_.clone();
  for (const Injected& one : injected) add(with, one.x, one.y, one.peak, shape_at(one));
  const Input input{request_.input, request_.open, memory_source(with.data(), with.shape()), header_};
  // Its progress would count every round anew; a wish to stop is heard.
  RunEvents silent;
  silent.progress = Progress([this](const std::string&, double) { progress_.check(); }, nullptr);
  const Result result = Pipeline(backend_, input).run(request_, silent);
  const std::vector<Source>& sources = result.sources();
  Near found(0.5 * widest_);
  for (std::size_t i = 0; i < sources.size(); ++i) found.add(sources[i].x, sources[i].y, i);
  for (const Injected& one : injected) judge(one, found, sources);
}

void Experiment::judge(const Injected& one, const Near& found, const std::vector<Source>& sources) {
  ++result_.injected;
  result_.on_sources += one.clear ? 0 : 1;
  const std::size_t bin = bin_of(one.snr);
  if (bin >= tallies_.size()) return;
  BinTally& tally = tallies_[bin];
  std::size_t which = 0, old = 0;
  const double fwhm = fwhm_at(one), distance = found.closest(one.x, one.y, 0.5 * fwhm, which);
  bool hit = std::isfinite(distance);
  if (hit && !one.clear) hit = !(known_->closest(sources[which].x, sources[which].y, fwhm, old) <= distance);
  ++tally.all.trials, tally.all.hits += hit ? 1 : 0;
  if (!one.clear) return;
  ++tally.clear.trials, tally.clear.hits += hit ? 1 : 0;
  if (!hit) return;
  const Source& s = sources[which];
  const double per_sum = flux_per_sum_at(*header_, beams_, per_sum_, one.x, one.y);
  const double peak = one.peak * unit_, total = one.peak * gaussian_area(shape_at(one)) * per_sum;
  const double dx = s.x - one.x, dy = s.y - one.y;
  const Matrix2 local =
      beams_.varies() ? header_->wcs.sky_per_pixel(one.x, one.y).value_or(sky_per_pixel_) : sky_per_pixel_;
  tally.found.push_back({s.total / total, s.peak / peak, (local.a * dx + local.b * dy) * kArcsec,
                         (local.c * dx + local.d * dy) * kArcsec, (s.total - total) / s.e_total,
                         (s.peak - peak) / s.e_peak, dx / s.e_x, dy / s.e_y});
}

/// S/N at which completeness rises through a level, between the bins' middles.
double crossing(const std::vector<CompletenessBin>& bins, double level) {
  const auto middle = [](const CompletenessBin& bin) { return std::log(bin.low * bin.high) / 2; };
  for (std::size_t i = 1; i < bins.size(); ++i) {
    const double before = bins[i - 1].clear.value(), after = bins[i].clear.value();
    if (!(before < level && after >= level)) continue;
    const double part = (level - before) / (after - before);
    return std::exp(middle(bins[i - 1]) + part * (middle(bins[i]) - middle(bins[i - 1])));
  }
  return kNan;
}

void Experiment::finish() {
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    CompletenessBin& bin = result_.bins[i];
    const BinTally& tally = tallies_[i];
    bin.all = tally.all, bin.clear = tally.clear;
    const auto spread = [&](double Recovered::*member) {
      std::vector<double> values;
      for (const Recovered& one : tally.found) values.push_back(one.*member);
      return spread_of(std::move(values));
    };
    using R = Recovered;
    bin.total_ratio = spread(&R::total_ratio), bin.peak_ratio = spread(&R::peak_ratio);
    bin.d_lon = spread(&R::d_lon), bin.d_lat = spread(&R::d_lat);
    bin.pull_total = spread(&R::pull_total), bin.pull_peak = spread(&R::pull_peak);
    bin.pull_x = spread(&R::pull_x), bin.pull_y = spread(&R::pull_y);
  }
  result_.snr_50 = crossing(result_.bins, 0.5);
  result_.snr_90 = crossing(result_.bins, 0.9);
}

CompletenessResult Experiment::run() {
  constexpr double kMostSnr = 1e9;
  constexpr std::int64_t kMostBins = 1000, kMostPerBin = 1'000'000;
  const bool range = options_.low > 0 && options_.high > options_.low && options_.high <= kMostSnr;
  const bool numbers = options_.bins >= 1 && options_.bins <= kMostBins && options_.per_bin >= 1 &&
                       static_cast<std::int64_t>(options_.per_bin) <= kMostPerBin;
  if (!range || !numbers)
    throw InputError(
        fmt::format("S/N from {:g} to {:g} in {} bins of {} sources: the range must rise up to {:g}, with 1 to {} bins "
                    "of 1 to {} sources",
                    options_.low, options_.high, options_.bins, options_.per_bin, kMostSnr, kMostBins, kMostPerBin));
  request_.output = {};
  request_.negative_too = request_.reliability = false;
  tallies_.resize(static_cast<std::size_t>(options_.bins));
  result_.bins.resize(tallies_.size());
  for (std::size_t i = 0; i < tallies_.size(); ++i) result_.bins[i].low = edge(i), result_.bins[i].high = edge(i + 1);
  search_image();
  count_detections();
  if (options_.residual) subtract_sources();
  result_.image_text = options_.residual ? "the image less its sources" : "the image";
  known_.emplace(widest_);
  for (std::size_t i = 0; i < before_.size(); ++i) known_->add(before_[i].x, before_[i].y, i);
  const std::int64_t wanted = options_.per_bin * options_.bins;
  while (result_.injected < wanted && result_.rounds < options_.most_rounds) {
    progress_.report("inject and find", static_cast<double>(result_.injected) / static_cast<double>(wanted));
    const std::vector<Injected> round = draw_round(wanted - result_.injected);
    if (round.empty()) break;
    one_round(round);
    ++result_.rounds;
  }
  finish();
  return std::move(result_);
}

}  // namespace

double Fraction::value() const { return trials > 0 ? static_cast<double>(hits) / static_cast<double>(trials) : kNan; }

/// Wilson (1927): (p + z^2/2n +- z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n), z = 1.
double Fraction::low() const {
  if (trials == 0) return kNan;
  const double n = static_cast<double>(trials), p = value();
  return std::max(0.0, (p + 0.5 / n - std::sqrt(p * (1 - p) / n + 0.25 / (n * n))) / (1 + 1 / n));
}
double Fraction::high() const {
  if (trials == 0) return kNan;
  const double n = static_cast<double>(trials), p = value();
  return std::min(1.0, (p + 0.5 / n + std::sqrt(p * (1 - p) / n + 0.25 / (n * n))) / (1 + 1 / n));
}

CompletenessResult measure_completeness(Request request, const CompletenessOptions& options,
                                        std::shared_ptr<Backend> backend, const Progress& progress,
                                        const LogSink& log) {
  return Experiment(std::move(request), options, std::move(backend), progress, log).run();
}

}  // namespace reber
