// SPDX-License-Identifier: BSD-3-Clause
// Runs each stage on two backends from the same input and states how far apart they are.
#include "core/studies/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/resolve_convolution.hpp"
#include "core/sky/model/image.hpp"
#include "core/studies/differences.hpp"

namespace reber {
namespace {

Image stored(Backend& backend, MapKind kind, const Plane& plane, const BackgroundModel* model) {
  Image image(plane.shape());
  backend.render_rows(kind, plane, model, 0, plane.shape().ny, image.data());
  return image;
}

/// Both backends, their planes, and the checks made so far.
class Comparison {
 public:
  Comparison(Backend& tested, Backend& oracle, const Progress& progress)
      : tested_(tested), oracle_(oracle), progress_(progress) {}

  void load(const ImagePlane& image);
  void convolution(const ConvolutionSpec& spec);
  void statistics(const ClipOptions& options);
  void background(const BackgroundRequest& request);
  void detection(const DetectOptions& options);

  std::vector<StageCheck> checks;

 private:
  void add(std::string stage, std::string metric, double worst, double bound, std::string where = "") {
    const bool passed = worst <= bound;
    checks.push_back({std::move(stage), std::move(metric), worst, bound, std::move(where), passed});
  }
  void exact_maps(const std::string& stage, MapKind kind, const BackgroundModel* model);
  void compare_convolved(const std::string& stage, const Image& got, const Image& expected, double weights,
                         double bound);

  Backend& tested_;
  Backend& oracle_;
  const Progress& progress_;
  std::unique_ptr<Plane> plane_, oracle_plane_;
  BackgroundModel model_;
  double noise_ = 0;
};

void Comparison::load(const ImagePlane& image) {
  const auto pixels = image.pixels(progress_);
  TilingPlan whole;
  whole.band_rows = image.header().shape.ny;
  progress_.report("load", 0);
  plane_ = tested_.load(*pixels, whole, progress_);
  oracle_plane_ = oracle_.load(*pixels, whole, progress_);
  add("load", "difference in number of blank pixels",
      std::abs(static_cast<double>(plane_->blank() - oracle_plane_->blank())), 0);
  exact_maps("load", MapKind::image, nullptr);
}

void Comparison::exact_maps(const std::string& stage, MapKind kind, const BackgroundModel* model) {
  const Image got = stored(tested_, kind, *plane_, model), expected = stored(oracle_, kind, *oracle_plane_, model);
  std::int64_t different = 0, first = -1;
  for (std::int64_t i = 0; i < got.shape().count(); ++i)
    if (difference(got.data()[i], expected.data()[i]) > 0) {
      ++different;
      if (first < 0) first = i;
    }
  add(stage, "pixels that differ", static_cast<double>(different), 0,
      first < 0 ? "" : fmt::format("x {} y {}", first % got.shape().nx, first / got.shape().nx));
}

void Comparison::compare_convolved(const std::string& stage, const Image& got, const Image& expected, double weights,
                                   double bound) {
  double largest = 0, worst = 0;
  std::int64_t at = -1;
  const std::int64_t count = got.shape().count();
  for (std::int64_t i = 0; i < count; ++i) {
    const double d = difference(got.data()[i], expected.data()[i]);
    if (!(d <= worst)) {
      worst = d;
      at = i;
    }
  }
  const Image input = stored(oracle_, MapKind::image, *oracle_plane_, nullptr);
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isfinite(input.data()[i])) largest = std::max(largest, std::abs(static_cast<double>(input.data()[i])));
  const std::string where = at < 0 ? "" : fmt::format("x {} y {}", at % got.shape().nx, at / got.shape().nx);
  const double scale = largest * weights;
  add(stage, "largest difference / (brightest pixel x sum of |weights|)", scale > 0 ? worst / scale : worst, bound,
      where);
  // Smoothing lowers the noise; the input's own is the yardstick that cannot vanish. Where the brightest pixel exceeds
  // the noise by more than a float can hold beside it, its rounding is the bound.
  if (noise_ > 0)
    add(stage, "largest difference / (noise x sum of |weights|)", worst / (noise_ * weights),
        std::max(1e-3, bound * largest / noise_), where);
}

void Comparison::convolution(const ConvolutionSpec& spec) {
  const Shape shape = plane_->shape();
  double weights = 0;
  for (const double weight : spec.kernel.weights) weights += std::abs(weight);
  const auto oracle_plan = oracle_.plan_convolution(spec, shape, Algorithm::direct);
  const auto expected_plane = oracle_.convolve(*oracle_plane_, *oracle_plan, progress_);
  const Image expected = stored(oracle_, MapKind::image, *expected_plane, nullptr);
  for (const ConvolutionQuote& quote : tested_.quote(spec, shape)) {
    if (!quote.possible) continue;
    progress_.report(fmt::format("convolve {}", to_string(quote.algorithm)), 0);
    const auto plan = tested_.plan_convolution(spec, shape, quote.algorithm);
    const auto plane = tested_.convolve(*plane_, *plan, progress_);
    compare_convolved(
        fmt::format("convolve {} {}x{}", to_string(quote.algorithm), spec.kernel.shape.nx, spec.kernel.shape.ny),
        stored(tested_, MapKind::image, *plane, nullptr), expected, weights,
        convolution_bound(quote.algorithm, spec.kernel.shape));
  }
}

void Comparison::statistics(const ClipOptions& options) {
  progress_.report("statistics and clip", 0);
  const PlaneStatistics a = tested_.statistics(*plane_), b = oracle_.statistics(*oracle_plane_);
  add("statistics", "difference in number of finite pixels", std::abs(static_cast<double>(a.finite - b.finite)), 0);
  add("statistics", "relative difference of median, min, max",
      std::max({relative(a.median, b.median), relative(a.min, b.min), relative(a.max, b.max)}), 0);
  if (b.finite > 0)
    add("statistics", "difference of mean and std / std",
        std::max(difference(a.mean, b.mean), difference(a.std, b.std)) /
            std::max(b.std, std::max(1e-300, 1e-6 * std::abs(b.mean))),
        1e-9);
  const ClipStatistics c = tested_.clip(*plane_, options), d = oracle_.clip(*oracle_plane_, options);
  add("clip", "difference in kept pixels", std::abs(static_cast<double>(c.kept - d.kept)), 0);
  add("clip", "difference in rounds", std::abs(c.rounds - d.rounds), 0);
  if (d.kept > 0) {
    add("clip", "relative difference of the median", relative(c.median, d.median), 0);
    add("clip", "relative difference of the std", relative(c.std, d.std), 1e-9);
    noise_ = d.std;
  }
}

void Comparison::background(const BackgroundRequest& request) {
  progress_.report("background", 0);
  const Shape shape = plane_->shape();
  const BoxChoice boxes = choose_boxes(request, shape, std::nullopt);
  const MeshGrid grid = MeshGrid::sliding(shape, boxes.box, boxes.step);
  const MeshCells a = tested_.mesh(*plane_, grid, request.mesh, progress_);
  const MeshCells b = oracle_.mesh(*oracle_plane_, grid, request.mesh, progress_);
  double mean = 0, rms = 0;
  bool any = false;
  for (std::size_t i = 0; i < b.rms.size(); ++i) {
    any |= std::isfinite(b.rms[i]);
    const double scale = std::isfinite(b.rms[i]) ? std::max<double>(b.rms[i] + std::abs(b.mean[i]), 1e-300) : 1;
    mean = std::max(mean, difference(a.mean[i], b.mean[i]) / scale);
    rms = std::max(rms, relative(a.rms[i], b.rms[i]));
  }
  const std::string where = fmt::format("{} x {} cells", grid.nx(), grid.ny());
  // Values are stored as float: one last bit is 1.2e-7.
  add("mesh mean", "largest difference / (|mean| + rms) of a cell", mean, 2.4e-7, where);
  add("mesh rms", "largest relative difference of a cell", rms, 2.4e-7, where);
  model_ = any ? finish_mesh(grid, a, request.mesh) : BackgroundModel::constant(shape, 0, 0);
  exact_maps("background map", MapKind::mean, &model_);
  exact_maps("rms map", MapKind::rms, &model_);
  exact_maps("snr map", MapKind::snr, &model_);
}

void Comparison::detection(const DetectOptions& options) {
  progress_.report("detect", 0);
  const auto a = tested_.label(*plane_, model_, options, progress_);
  const auto b = oracle_.label(*oracle_plane_, model_, options, progress_);
  const std::string stage =
      fmt::format("labels {}-conn{}", static_cast<int>(options.connectivity), options.negative ? " negative" : "");
  add(stage, "difference in number of islands", std::abs(static_cast<double>(a->count() - b->count())), 0,
      fmt::format("{} islands", b->count()));
  const auto count = static_cast<std::size_t>(plane_->shape().count());
  std::vector<std::int32_t> got(count), expected(count);
  tested_.label_rows(*a, 0, plane_->shape().ny, got.data());
  oracle_.label_rows(*b, 0, plane_->shape().ny, expected.data());
  std::int64_t different = 0;
  for (std::size_t i = 0; i < count; ++i) different += got[i] != expected[i] ? 1 : 0;
  add(stage, "pixels whose label differs", static_cast<double>(different), 0);
  if (a->count() != b->count()) return;

  const auto sums = tested_.measure(*plane_, model_, *a), wanted = oracle_.measure(*oracle_plane_, model_, *b);
  double flux = 0, centroid = 0;
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const IslandSums &p = sums[i], &q = wanted[i];
    flux = std::max(flux, relative(p.s, q.s));
    centroid = std::max({centroid, difference(p.sx / p.s, q.sx / q.s), difference(p.sy / p.s, q.sy / q.s)});
    whole += p.npix != q.npix || p.peak_x != q.peak_x || p.peak_y != q.peak_y || p.peak != q.peak ? 1 : 0;
  }
  add("measure" + stage.substr(6), "largest relative difference of a flux", flux, 1e-10);
  add("measure" + stage.substr(6), "largest difference of a centroid, pixels", centroid, 1e-9);
  add("measure" + stage.substr(6), "islands whose pixel count or peak differs", static_cast<double>(whole), 0);
}

}  // namespace

bool VerificationReport::passed() const { return std::ranges::all_of(checks, &StageCheck::passed); }

std::vector<ConvolutionSpec> verified_convolutions(const Request& request, const ImageHeader& header) {
  if (!request.convolve)
    return {{gaussian_kernel({16, 0, 16}, Normalise::sum), Boundary::zero},
            {gaussian_kernel({30, 9, 18}, Normalise::sum), Boundary::reflect}};
  const ResolvedConvolution resolved =
      resolve_convolution(*request.convolve, header, request.beam ? request.beam : header.beam);
  return resolved.copy ? std::vector<ConvolutionSpec>{} : std::vector{resolved.spec};
}

VerificationReport verify(const Request& request, Backend& tested, Backend& oracle, const Progress& progress) {
  const ImagePlane image = ImagePlane::open(request.input, request.open, progress);
  VerificationReport report{request.input, tested.info().name, tested.info().device, "the reference", {}};
  Comparison comparison(tested, oracle, progress);
  comparison.load(image);
  const BackgroundRequest background = request.background.value_or(BackgroundRequest{});
  comparison.statistics(background.mesh.clip);
  for (const ConvolutionSpec& spec : verified_convolutions(request, image.header())) comparison.convolution(spec);
  comparison.background(background);
  DetectOptions options = request.detect.value_or(DetectOptions{});
  for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight}) {
    options.connectivity = connectivity;
    comparison.detection(options);
  }
  options.negative = !options.negative;
  comparison.detection(options);
  report.checks = std::move(comparison.checks);
  return report;
}

std::string to_text(const VerificationReport& report) {
  std::string text =
      fmt::format("{}\n  {} ({}) against {}\n", printable(report.input), report.backend, report.device, report.against);
  for (const StageCheck& check : report.checks)
    text += fmt::format("  {:<4} {:<24} {:<58} {:>9.3g} <= {:<8.2g} {}\n", check.passed ? "ok" : "FAIL", check.stage,
                        check.metric, check.worst, check.bound, check.where);
  const auto failed = std::ranges::count(report.checks, false, &StageCheck::passed);
  text += failed == 0 ? fmt::format("  all {} checks hold\n", report.checks.size())
                      : fmt::format("  {} of {} checks FAILED\n", failed, report.checks.size());
  return text;
}

std::string to_json(const VerificationReport& report) {
  nlohmann::ordered_json json;
  json["input"] = report.input;
  json["backend"] = report.backend;
  json["device"] = report.device;
  json["against"] = report.against;
  json["passed"] = report.passed();
  json["checks"] = nlohmann::ordered_json::array();
  for (const StageCheck& check : report.checks)
    json["checks"].push_back(
        {{"stage", check.stage},
         {"metric", check.metric},
         {"worst", std::isfinite(check.worst) ? nlohmann::ordered_json(check.worst) : nlohmann::ordered_json(nullptr)},
         {"bound", check.bound},
         {"where", check.where},
         {"passed", check.passed}});
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace reber
