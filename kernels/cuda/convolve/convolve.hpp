// SPDX-License-Identifier: BSD-3-Clause
// Convolution: the plan, and the walk over a plane.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/cuda/convolve/variants.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/fft_range.hpp"
#include "kernels/shared/kernel_total.hpp"

namespace reber::cuda {

/// A convolution made ready on one card, by the variants that serve planes with and without blank pixels. Copies share
/// them.
class CudaPlan final : public ConvolutionPlan {
 public:
  CudaPlan(std::shared_ptr<Context> plan_context, ConvolutionSpec plan_spec, Shape plan_shape,
           const VariantChoice& choice)
      : context_(std::move(plan_context)),
        spec_(std::move(plan_spec)),
        shape_(plan_shape),
        variant_(*choice.finite),
        total_(rules::interpolation_total(spec_.kernel, spec_.boundary)),
        absolute_(rules::absolute_sum(spec_.kernel.weights)),
        convolver_(choice.finite->make(*context_, spec_, shape_)),
        with_blanks_(choice.blanks == choice.finite ? nullptr : choice.blanks->make(*context_, spec_, shape_)) {}
  ~CudaPlan() override { cudaSetDevice(context_->device().device); }
  CudaPlan(const CudaPlan&) = default;
  CudaPlan& operator=(const CudaPlan&) = delete;

  [[nodiscard]] Algorithm algorithm() const override { return variant_.algorithm; }
  [[nodiscard]] std::string_view variant() const override { return variant_.name; }
  [[nodiscard]] const ConvolutionSpec& spec() const override { return spec_; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::string description() const override { return convolver_->description(); }
  /// rules::interpolation_total of the kernel: a millisecond of the host for a kernel of a million weights.
  [[nodiscard]] rules::KernelTotal total() const { return total_; }
  /// Sum of the weights' absolute values.
  [[nodiscard]] double absolute() const { return absolute_; }
  /// all_finite: of the jobs that it is for.
  [[nodiscard]] const Convolver& convolver(bool all_finite) const {
    return all_finite || !with_blanks_ ? *convolver_ : *with_blanks_;
  }
  [[nodiscard]] const void* home() const { return context_.get(); }

 private:
  std::shared_ptr<Context> context_;
  ConvolutionSpec spec_;
  Shape shape_;
  Variant variant_;
  rules::KernelTotal total_;
  double absolute_;
  std::shared_ptr<const Convolver> convolver_;
  std::shared_ptr<const Convolver> with_blanks_;  ///< null where convolver_ takes blank pixels as well
};

/// plan_convolution() of the backend.
[[nodiscard]] std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context,
                                                         const ConvolutionSpec& spec, Shape shape, Algorithm algorithm);
/// convolve() of the backend.
[[nodiscard]] std::vector<std::unique_ptr<Plane>> convolve_plane(const CudaPlane& plane,
                                                                 std::span<const CudaPlan* const> plans,
                                                                 const Job& job);

}  // namespace reber::cuda
