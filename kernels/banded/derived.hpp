// SPDX-License-Identifier: BSD-3-Clause
// Planes made of others, rows by rows.
#pragma once

#include <memory>

#include "kernels/banded/islands.hpp"
#include "kernels/banded/plane.hpp"
#include "kernels/shared/own_expression.hpp"

namespace reber::banded {

/// A convolution as the image sees it, and as its members make it for the rows that each has.
class BandedConvolution final : public ConvolutionPlan {
 public:
  BandedConvolution(std::shared_ptr<Members> members, std::shared_ptr<const ConvolutionPlan> whole);
  [[nodiscard]] Algorithm algorithm() const override { return whole_->algorithm(); }
  [[nodiscard]] std::string_view variant() const override { return whole_->variant(); }
  [[nodiscard]] const ConvolutionSpec& spec() const override { return whole_->spec(); }
  [[nodiscard]] Shape shape() const override { return whole_->shape(); }
  [[nodiscard]] std::string description() const override { return whole_->description(); }
  [[nodiscard]] const void* home() const { return members_.get(); }

  /// Rows that a row of the result depends on, to either side; nothing where it depends on the whole image, or on where
  /// the work begins.
  [[nodiscard]] std::optional<std::int64_t> reach() const;
  /// For rows of the image, on a member.
  [[nodiscard]] std::shared_ptr<const ConvolutionPlan> on(Backend& by, Shape rows, const Job& job) const;

 private:
  struct Made {
    const Backend* by;
    Shape shape;
    std::shared_ptr<const ConvolutionPlan> plan;
  };
  struct Plans {
    std::mutex mutex;
    std::vector<Made> made;
  };
  std::shared_ptr<Members> members_;
  std::shared_ptr<const ConvolutionPlan> whole_;
  std::shared_ptr<Plans> plans_ = std::make_shared<Plans>();
};

/// Backend::derive().
[[nodiscard]] std::unique_ptr<Plane> derive(const std::shared_ptr<Members>& members,
                                            const OwnExpression<BandedPlane, BandedIslands>& what, const Job& job);
/// Backend::convolve() and convolve_later(), which is null where members have none.
[[nodiscard]] std::unique_ptr<Plane> convolve(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                              const BandedConvolution& plan, const Job& job);
[[nodiscard]] std::unique_ptr<Plane> convolve_later(const std::shared_ptr<Members>& members, const BandedPlane& plane,
                                                    const BandedConvolution& plan, const Job& job);

}  // namespace reber::banded
