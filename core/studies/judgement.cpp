// SPDX-License-Identifier: BSD-3-Clause
// The judge is given the pixels that the tested backend holds, so that each operation stands for itself.
#include "core/studies/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/resolve_convolution.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/mask/morphology.hpp"
#include "core/sky/model/image.hpp"
#include "core/studies/differences.hpp"

namespace reber {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();

Image stored(Backend& backend, MapKind kind, const Plane& plane, const BackgroundModel* model) {
  Image image(plane.shape());
  backend.render_rows(kind, plane, model, 0, plane.shape().ny, image.data());
  return image;
}

/// Parts numbered in the order of their first pixels, as islands are; those that `keep` refuses become 0.
template <typename Keep>
std::vector<std::int32_t> in_raster_order(const std::vector<std::int32_t>& labels, std::size_t parts,
                                          const Keep& keep) {
  std::vector<std::int32_t> number(parts + 1, -1), ordered(labels.size(), 0);
  std::int32_t next = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto part = static_cast<std::size_t>(labels[i]);
    if (part == 0) continue;
    if (number[part] < 0) number[part] = keep(part) ? ++next : 0;
    ordered[i] = number[part];
  }
  return ordered;
}

class Judgement {
 public:
  Judgement(Backend& tested, const Judge& judge, const Plane& plane, const Progress& progress)
      : tested_(tested), judge_(judge), plane_(plane), progress_(progress), shape_(plane.shape()) {
    image_ = stored(tested_, MapKind::image, plane_, nullptr);
    for (std::int64_t i = 0; i < shape_.count(); ++i)
      if (const double pixel = image_.data()[i]; std::isfinite(pixel))
        brightest_ = std::max(brightest_, std::abs(pixel));
  }

  void convolutions(const ConvolutionSpec& spec);
  void labels(const BackgroundModel& model, const DetectOptions& options);
  void masks();

  std::vector<StageCheck> checks;

 private:
  void add(std::string stage, std::string metric, double worst, double bound, std::string where = "") {
    checks.push_back({std::move(stage), std::move(metric), worst, bound, std::move(where), worst <= bound});
  }
  [[nodiscard]] std::vector<double> convolved(const ConvolutionSpec& spec, bool factors) const;
  [[nodiscard]] Bytes bytes(const Mask& mask) const;
  void same(const std::string& operation, const Mask& got, const Bytes& expected);

  Backend& tested_;
  const Judge& judge_;
  const Plane& plane_;
  const Progress& progress_;
  Shape shape_;
  Image image_;
  double brightest_ = 0;
  Mask islands_;  ///< of the last labels
};

/// What the contract says of blank pixels, from the judge's convolutions of the pixels and of where they are finite.
/// Infinite where an output lies within rounding of being blank: it is compared with nothing.
std::vector<double> Judgement::convolved(const ConvolutionSpec& spec, bool factors) const {
  std::vector<double> pixels(static_cast<std::size_t>(shape_.count())), valid(pixels.size(), 1);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const double pixel = image_.data()[i];
    valid[i] = std::isfinite(pixel) ? 1 : 0;
    pixels[i] = valid[i] > 0 ? pixel : 0;
  }
  const bool missing = plane_.blank() > 0 || spec.boundary == Boundary::blank;
  std::vector<double> made = judge_.convolve(pixels, shape_, spec.kernel, spec.boundary, factors);
  if (!missing || spec.nan == NanRule::fill) return made;
  const double total = spec.kernel.sum();
  // Outside counts as finite where it is zero: the weight that is missing is that of blank pixels alone.
  std::vector<double> lost(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) lost[i] = 1 - valid[i];
  const bool outside = spec.boundary == Boundary::blank;
  const std::vector<double> weights =
      judge_.convolve(outside ? valid : lost, shape_, spec.kernel, spec.boundary, factors);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double weight = outside ? weights[i] : total - weights[i];
    const double least = spec.min_weight * std::abs(total);
    if (std::abs(std::abs(weight) - least) < 1e-4 * std::abs(total))
      made[i] = std::numeric_limits<double>::infinity();
    else
      made[i] = std::abs(weight) > least ? made[i] * (total / weight) : kBlank;
  }
  return made;
}

void Judgement::convolutions(const ConvolutionSpec& spec) {
  double weights = 0;
  for (const double weight : spec.kernel.weights) weights += std::abs(weight);
  for (const ConvolutionQuote& quote : tested_.quote(spec, shape_)) {
    if (!quote.possible) continue;
    progress_.report(fmt::format("convolve {}", to_string(quote.algorithm)), 0);
    const auto plan = tested_.plan_convolution(spec, shape_, quote.algorithm);
    const auto plane = tested_.convolve(plane_, *plan, progress_);
    const Image got = stored(tested_, MapKind::image, *plane, nullptr);
    const auto expected = convolved(spec, quote.algorithm == Algorithm::separable);
    double worst = 0;
    std::size_t at = 0, compared = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isinf(expected[i])) continue;
      ++compared;
      if (const double d = difference(got.data()[i], expected[i]); !(d <= worst)) worst = d, at = i;
    }
    const double scale = brightest_ * weights;
    const auto nx = static_cast<std::size_t>(shape_.nx);
    add(fmt::format("convolve {} {}x{}", to_string(quote.algorithm), spec.kernel.shape.nx, spec.kernel.shape.ny),
        "largest difference / (brightest pixel x sum of |weights|)", scale > 0 ? worst / scale : worst,
        convolution_bound(quote.algorithm, spec.kernel.shape),
        fmt::format("x {} y {}, {} pixels", at % nx, at / nx, compared));
  }
}

void Judgement::labels(const BackgroundModel& model, const DetectOptions& options) {
  progress_.report("detect", 0);
  const auto map = tested_.label(plane_, model, options, progress_);
  islands_ = Mask(shape_);
  tested_.label_rows(*map, 0, shape_.ny, islands_.pixels.data());
  const Image snr = stored(tested_, MapKind::snr, plane_, &model);
  const auto value = [&](std::size_t i) { return options.negative ? -snr.data()[i] : snr.data()[i]; };
  Bytes above(islands_.pixels.size());
  for (std::size_t i = 0; i < above.size(); ++i) above[i] = value(i) > static_cast<float>(options.flood) ? 1 : 0;
  std::vector<std::int32_t> numbers;
  const auto parts = judge_.components(above, shape_, options.connectivity == Connectivity::eight, numbers);
  std::vector<char> seeded(parts.size() + 1, 0);
  for (std::size_t i = 0; i < above.size(); ++i)
    if (value(i) > static_cast<float>(options.seed)) seeded[static_cast<std::size_t>(numbers[i])] = 1;
  const auto keep = [&](std::size_t part) { return seeded[part] != 0 && parts[part - 1].area >= options.min_area; };
  const auto expected = in_raster_order(numbers, parts.size(), keep);
  double different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) different += islands_.pixels[i] != expected[i] ? 1 : 0;
  const std::string stage =
      fmt::format("labels {}-conn{}", static_cast<int>(options.connectivity), options.negative ? " negative" : "");
  add(stage, "pixels whose label differs", different, 0, fmt::format("{} islands", map->count()));
  if (different > 0) return;
  std::vector<const Judge::Component*> part_of(static_cast<std::size_t>(map->count()), nullptr);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] > 0)
      part_of[static_cast<std::size_t>(expected[i] - 1)] = &parts[static_cast<std::size_t>(numbers[i] - 1)];
  const auto sums = tested_.measure(plane_, model, *map);
  double wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Judge::Component& part = *part_of[i];
    const bool same = sums[i].npix == part.area && sums[i].y0 == part.y0 && sums[i].x0 == part.x0 &&
                      sums[i].y1 == part.y1 && sums[i].x1 == part.x1;
    wrong += same ? 0 : 1;
  }
  add("measure" + stage.substr(6), "islands whose area or bounding box differs", wrong, 0);
}

Bytes Judgement::bytes(const Mask& mask) const {
  Bytes made(mask.pixels.size());
  std::ranges::transform(mask.pixels, made.begin(), [](std::int32_t pixel) { return pixel != 0 ? 1 : 0; });
  return made;
}

void Judgement::same(const std::string& operation, const Mask& got, const Bytes& expected) {
  const Bytes made = bytes(got);
  double different = 0;
  for (std::size_t i = 0; i < made.size(); ++i) different += made[i] != expected[i] ? 1 : 0;
  add("mask " + operation, "pixels that differ", different, 0, fmt::format("{} inside", got.count()));
}

/// As `reber mask` does it, on the islands of the last labels.
void Judgement::masks() {
  progress_.report("masks", 0);
  const Bytes before = bytes(islands_);
  for (const double radius : {1.0, 2.3, 5.0}) {
    Mask mask = islands_;
    dilate(mask, radius);
    const auto reach = static_cast<std::int64_t>(radius);
    const Shape side{2 * reach + 1, 2 * reach + 1};
    Bytes disc(static_cast<std::size_t>(side.count()), 0);
    for (std::int64_t y = -reach; y <= reach; ++y)
      for (std::int64_t x = -reach; x <= reach; ++x)
        disc[static_cast<std::size_t>((y + reach) * side.nx + x + reach)] =
            static_cast<double>(y * y + x * x) <= radius * radius ? 1 : 0;
    same(fmt::format("dilated by {:g}", radius), mask, judge_.morphology(before, shape_, disc, side, true));
  }
  Mask eroded = islands_;
  erode(eroded, 1);
  same("eroded", eroded, judge_.morphology(before, shape_, {0, 1, 0, 1, 1, 1, 0, 1, 0}, {3, 3}, false));

  Mask filled = islands_;
  fill_holes(filled);
  Bytes outside(before.size()), expected = before;
  std::ranges::transform(before, outside.begin(), [](std::uint8_t pixel) { return pixel == 0 ? 1 : 0; });
  std::vector<std::int32_t> numbers;
  const auto parts = judge_.components(outside, shape_, false, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    const Judge::Component& part = parts[static_cast<std::size_t>(numbers[i] - 1)];
    if (part.y0 > 0 && part.x0 > 0 && part.y1 < shape_.ny && part.x1 < shape_.nx) expected[i] = 1;
  }
  same("holes filled", filled, expected);
}

}  // namespace

VerificationReport judge(const Request& request, Backend& tested, const Judge& library, const Progress& progress) {
  const ImagePlane image = ImagePlane::open(request.input, request.open, progress);
  const auto pixels = image.pixels(progress);
  TilingPlan whole;
  whole.band_rows = image.header().shape.ny;
  progress.report("load", 0);
  const auto plane = tested.load(*pixels, whole, progress);
  Judgement judgement(tested, library, *plane, progress);
  for (const ConvolutionSpec& spec : verified_convolutions(request, image.header())) judgement.convolutions(spec);
  const BackgroundRequest background = request.background.value_or(BackgroundRequest{});
  const BoxChoice boxes = choose_boxes(background, plane->shape(), std::nullopt);
  const MeshGrid grid = MeshGrid::sliding(plane->shape(), boxes.box, boxes.step);
  const MeshCells cells = tested.mesh(*plane, grid, background.mesh, progress);
  if (std::ranges::any_of(cells.rms, [](float rms) { return std::isfinite(rms); })) {
    const BackgroundModel model = finish_mesh(grid, cells, background.mesh);
    DetectOptions options = request.detect.value_or(DetectOptions{});
    for (const auto& [connectivity, negative] :
         {std::pair{Connectivity::four, options.negative}, std::pair{Connectivity::eight, !options.negative},
          std::pair{Connectivity::eight, options.negative}}) {
      options.connectivity = connectivity;
      options.negative = negative;
      judgement.labels(model, options);
    }
    judgement.masks();
  }
  return {request.input, tested.info().name, tested.info().device, library.name(), std::move(judgement.checks)};
}

}  // namespace reber
