// SPDX-License-Identifier: BSD-3-Clause
// The algorithm table, plans, and the walk of a convolution over a plane's bands.
#include "kernels/cuda/convolve.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"
#include "kernels/shared/kernel_total.hpp"

namespace reber::cuda {
namespace {

const std::array kAlgorithms{
    AlgorithmEntry{Algorithm::direct, quote_direct, make_direct},
    AlgorithmEntry{Algorithm::separable, quote_separable, make_separable},
    AlgorithmEntry{Algorithm::fft, quote_fft, make_fft},
};

class CudaPlan final : public ConvolutionPlan {
 public:
  CudaPlan(std::shared_ptr<Context> plan_context, ConvolutionSpec plan_spec, Shape plan_shape, Algorithm plan_algorithm,
           std::unique_ptr<Convolver> plan_convolver)
      : context_(std::move(plan_context)),
        spec_(std::move(plan_spec)),
        shape_(plan_shape),
        algorithm_(plan_algorithm),
        total_(rules::interpolation_total(spec_.kernel)),
        convolver_(std::move(plan_convolver)) {}
  ~CudaPlan() override { cudaSetDevice(context_->device().device); }
  CudaPlan(const CudaPlan&) = delete;
  CudaPlan& operator=(const CudaPlan&) = delete;

  [[nodiscard]] Algorithm algorithm() const override { return algorithm_; }
  [[nodiscard]] const ConvolutionSpec& spec() const override { return spec_; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::string description() const override { return convolver_->description(); }
  /// rules::interpolation_total of the kernel: a millisecond of the host for a kernel of a million weights.
  [[nodiscard]] float total() const { return total_; }
  [[nodiscard]] const Convolver& convolver() const { return *convolver_; }
  [[nodiscard]] const Context& context() const { return *context_; }

 private:
  std::shared_ptr<Context> context_;
  ConvolutionSpec spec_;
  Shape shape_;
  Algorithm algorithm_;
  float total_;
  std::unique_ptr<Convolver> convolver_;
};

/// How blank pixels are treated in one call.
struct BlankTreatment {
  bool interpolate = false;  ///< divide by the weight of finite pixels
  bool footprint = false;    ///< blank what a blank pixel reaches
  bool keep = false;         ///< blank stays blank
};

BlankTreatment treatment_of(const CudaPlan& plan, const CudaPlane& plane) {
  const ConvolutionSpec& spec = plan.spec();
  const bool missing = plane.blank() > 0 || spec.boundary == Boundary::blank;
  return {missing && spec.nan == NanRule::interpolate && plan.total() != 0.0f,
          missing && spec.nan == NanRule::propagate, spec.keep_blanks && plane.blank() > 0};
}

void convolve_band(const CudaPlane& plane, const CudaPlan& plan, const BlankTreatment& blanks, const Band& band,
                   CudaPlane& result, unsigned long long* blank_count) {
  const ConvolutionSpec& spec = plan.spec();
  const Shape kernel = spec.kernel.shape;
  const HeldRows in = hold_rows_extended(plane, band.y0, band.ny, kernel.ny - 1 - kernel.ny / 2, kernel.ny / 2,
                                         spec.boundary, band.stream);
  DeviceBuffer<float> band_out;
  ConvolveJob job;
  job.in = in.window;
  job.out_pitch = plane.pitch();
  if (plane.resident()) {
    job.out = result.device_pixels();
  } else {
    band_out = DeviceBuffer<float>(band.ny * plane.pitch(), band.stream);
    job.out = band_out.data();
  }
  job.y0 = band.y0;
  job.ny = band.ny;
  job.boundary = spec.boundary;
  job.all_finite = plane.blank() == 0 && spec.boundary != Boundary::blank;
  job.interpolate = blanks.interpolate;
  job.min_weight = static_cast<float>(spec.min_weight);
  job.total = plan.total();
  job.blank = blank_count;
  plan.convolver().run(band.stream, job);
  if (blanks.footprint || blanks.keep) {
    const Range range("blanks");
    DeviceBuffer<std::uint8_t> footprint(blanks.footprint ? band.ny * plane.pitch() : 0, band.stream);
    if (blanks.footprint) find_footprint(band.stream, job, kernel, footprint.data(), plane.pitch());
    blank_output(band.stream, job, footprint.data(), plane.pitch(), blanks.keep);
  }
  if (!plane.resident())
    plane.context()->stager().down_rows(band.stream, band_out.data(), plane.pitch(), plane.shape().nx, band.ny,
                                        result.host_row(band.y0));
}

}  // namespace

std::span<const AlgorithmEntry> algorithm_table() { return kAlgorithms; }

std::vector<float> float_weights(const std::vector<double>& weights) {
  std::vector<float> floats(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) floats[i] = static_cast<float>(weights[i]);
  return floats;
}

std::vector<ConvolutionQuote> quote_all(const Context& context, const ConvolutionSpec& spec, Shape shape) {
  std::vector<ConvolutionQuote> quotes;
  for (const AlgorithmEntry& entry : kAlgorithms) quotes.push_back(entry.quote(context, spec, shape));
  return quotes;
}

std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context, const ConvolutionSpec& spec,
                                           Shape shape, Algorithm algorithm) {
  if (spec.kernel.shape.count() <= 0 ||
      static_cast<std::int64_t>(spec.kernel.weights.size()) != spec.kernel.shape.count())
    throw InputError(fmt::format("a convolution kernel of {} x {} has {} weights; each element needs one",
                                 spec.kernel.shape.nx, spec.kernel.shape.ny, spec.kernel.weights.size()));
  for (const AlgorithmEntry& entry : kAlgorithms) {
    if (entry.algorithm != algorithm) continue;
    const ConvolutionQuote quote = entry.quote(*context, spec, shape);
    if (!quote.possible)
      throw InputError(
          fmt::format("convolution algorithm '{}' cannot be used here: {}", to_string(algorithm), quote.reason));
    return std::make_unique<CudaPlan>(context, spec, shape, algorithm, entry.make(*context, spec, shape));
  }
  throw InternalError("a convolution algorithm is missing from the CUDA backend's table");
}

std::unique_ptr<CudaPlane> convolve_plane(const CudaPlane& plane, const ConvolutionPlan& plan,
                                          const Progress& progress) {
  const auto* own = dynamic_cast<const CudaPlan*>(&plan);
  Context& context = *plane.context();
  if (own == nullptr || &own->context() != &context)
    throw InternalError("a convolution plan was given to the CUDA backend that another backend made");
  if (!(own->shape() == plane.shape()))
    throw InternalError(fmt::format("a convolution plan for {} x {} pixels was given a plane of {} x {}",
                                    own->shape().nx, own->shape().ny, plane.shape().nx, plane.shape().ny));
  auto result = std::make_unique<CudaPlane>(plane.context(), plane.shape(), plane.tiling());
  if (plane.shape().count() == 0) return result;
  const BlankTreatment blanks = treatment_of(*own, plane);
  const std::vector<std::int64_t> edges = band_edges(plane);
  // One count a band: bands on different streams clear and fill their own.
  DeviceBuffer<unsigned long long> counts(static_cast<std::int64_t>(edges.size()) - 1, context.stream());
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), context.stream()),
        "cudaMemsetAsync");
  unsigned long long* next = counts.data();
  for_each_band(context, edges, plane.resident() ? 1 : plane.tiling().streams, progress, "convolve",
                [&](const Band& band) { convolve_band(plane, *own, blanks, band, *result, next++); });
  if (!plane.resident()) context.stager().drain();
  std::vector<unsigned long long> found(edges.size() - 1);
  context.down(found.data(), counts.data(), counts.bytes(), context.stream());
  std::int64_t blank = 0;
  for (const unsigned long long count : found) blank += static_cast<std::int64_t>(count);
  result->set_blank(blank, 0);
  return result;
}

}  // namespace reber::cuda
