// SPDX-License-Identifier: BSD-3-Clause
// Levels are labelled from fine to coarse, and only one level's planes are held at a time. The last level's islands
// hold all others: beside them the background is measured that the islands of each level are summed above.
#include "core/measure/extended/segment_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "core/measure/extended/smooth_background.hpp"
#include "core/measure/sources/model_map.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/detection_planes.hpp"

namespace reber {
namespace {

constexpr double kLeastBeams = 16;  ///< along the shorter side

/// Gaussians, drawn as they are read.
class DrawnSources : public PixelSource {
 public:
  DrawnSources(std::span<const GaussianComponent> gaussians, Shape shape) : model_(gaussians, shape), shape_(shape) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    model_.rows(y0, ny, reinterpret_cast<float*>(out));
  }

 private:
  ModelMap model_;
  Shape shape_;
};

class Levels {
 public:
  Levels(const Result& result, const Request& request, double beam_px, const Job& job)
      : result_(result),
        backend_(*result.backend),
        request_(request),
        beam_px_(beam_px),
        job_(job),
        options_(result.outcomes.positive.detected->value.options),
        unit_(BackgroundModel::constant(result.header().shape, 0, 1)) {}

  SegmentLevels make(std::span<const GaussianComponent> compact);

 private:
  struct Level {
    int j;  ///< of c_j; 0: the image itself
    std::shared_ptr<const IslandMap> islands;
  };
  /// Labels the largest S/N of each level and all finer ones.
  std::vector<Level> label_levels();
  [[nodiscard]] double noise_of(int j) const;

  const Result& result_;
  Backend& backend_;
  const Request& request_;
  const double beam_px_;
  const Job& job_;
  const DetectOptions& options_;
  const BackgroundModel unit_;
  std::shared_ptr<const Plane> residual_;
  std::vector<BackgroundModel> models_;  ///< of the smoothed levels
};

std::vector<Levels::Level> Levels::label_levels() {
  const Shape shape = result_.header().shape;
  const auto side = static_cast<double>(std::min(shape.ny, shape.nx));
  std::vector<Level> levels;
  std::unique_ptr<Plane> largest = backend_.derive(SnrPlane{*result_.plane(), *result_.background()}, job_);
  levels.push_back({0, result_.islands()});  // of the same S/N
  std::unique_ptr<Plane> smoothed;
  for (int j = 1;; ++j) {
    const double fwhm = fwhm_of_b3(j), wide = std::hypot(fwhm, beam_px_);
    if (side < kLeastBeams * wide) break;
    job_.report("extended emission", kLeastBeams * wide / side);
    smoothed = smoothed_by_b3(backend_, smoothed ? *smoothed : *residual_, j, job_);
    if (fwhm < beam_px_) continue;
    models_.push_back(
        thinned_background(backend_, *smoothed, request_.background.value(), wide, pixels_apart(wide), job_));
    const auto snr = backend_.derive(SnrPlane{*smoothed, models_.back()}, job_);
    largest = backend_.derive(CombinedPlane{PlaneRule::larger, *largest, *snr}, job_);
    levels.push_back({j, backend_.label(*largest, unit_, options_, job_)});
  }
  return levels;
}

double Levels::noise_of(int j) const {
  std::vector<float> rms = j == 0 ? result_.background()->rms : models_[static_cast<std::size_t>(j - 1)].rms;
  if (rms.empty()) return std::nan("");
  const auto middle = rms.begin() + static_cast<std::ptrdiff_t>(rms.size() / 2);
  std::nth_element(rms.begin(), middle, rms.end());
  return *middle;
}

SegmentLevels Levels::make(std::span<const GaussianComponent> compact) {
  SegmentLevels made;
  const std::shared_ptr<const Plane> image = result_.plane();
  residual_ = image;
  if (!compact.empty()) {
    const auto model =
        backend_.load(DrawnSources(compact, image->shape()), result_.outcomes.planned->value.tiling, job_);
    residual_ = backend_.derive(CombinedPlane{PlaneRule::difference, *image, *model}, job_);
  }
  const std::vector<Level> levels = label_levels();
  const bool given = !request_.background->rms_path.empty() || !request_.background->mean_path.empty();
  if (given) {
    made.background = *result_.background();
  } else {
    const auto masked =
        backend_.derive(WithoutIslands{*residual_, *levels.back().islands, std::llround(beam_px_)}, job_);
    made.background = measure_background(backend_, *masked, *request_.background, beam_px_, job_).model;
  }
  int number = 0;
  for (const auto& [j, islands] : levels) {
    made.levels.push_back({j == 0 ? 0 : fwhm_of_b3(j), backend_.label_runs(*islands, job_),
                           backend_.measure(*residual_, made.background, *islands, job_)});
    made.notes.push_back(fmt::format("{}: noise {:.4g}, {} islands",
                                     j == 0 ? "the image" : fmt::format("smoothed by {:.3g} px", fwhm_of_b3(j)),
                                     noise_of(number++), islands->count()));
  }
  made.residual = residual_;
  return made;
}

}  // namespace

double fwhm_of_b3(int j) {
  const double variance = (std::pow(4.0, j) - 1) / 3;
  return std::sqrt(8 * std::numbers::ln2 * variance);
}

SegmentLevels make_segment_levels(const Result& result, const Request& request, double beam_px,
                                  std::span<const GaussianComponent> compact, const Job& job) {
  return Levels(result, request, beam_px, job).make(compact);
}

}  // namespace reber
