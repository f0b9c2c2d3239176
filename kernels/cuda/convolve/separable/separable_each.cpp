// SPDX-License-Identifier: BSD-3-Clause
// Which separable convolutions of one image go through one kernel.
#include "kernels/cuda/convolve/separable/separable_each.hpp"

#include <algorithm>

namespace reber::cuda {
namespace {

class SharingConvolver final : public Convolver {
 public:
  SharingConvolver(const Context& context, std::vector<float> column, std::vector<float> row,
                   std::unique_ptr<Convolver> alone)
      : device_(context.device()), column_(std::move(column)), row_(std::move(row)), alone_(std::move(alone)) {}

  void run(cudaStream_t stream, const ConvolveJob& job) const override { alone_->run(stream, job); }

  [[nodiscard]] bool shares_with(const Convolver& other) const override {
    return dynamic_cast<const SharingConvolver*>(&other) != nullptr;
  }

  void run_each(cudaStream_t stream, std::span<const ConvolvePart> parts) const override {
    if (!parts.front().job.all_finite) return Convolver::run_each(stream, parts);
    std::vector<ConvolvePart> ordered(parts.begin(), parts.end());
    std::ranges::stable_sort(ordered, {}, [](const ConvolvePart& part) { return own(part).taps(); });
    std::vector<SeparablePart> together;
    for (const ConvolvePart& part : ordered) together.push_back({&own(part).column_, &own(part).row_, part.job});
    for (std::size_t done = 0; done < ordered.size();) {
      const std::size_t count = convolve_together(stream, device_, std::span(together).subspan(done));
      if (count == 0) ordered[done].convolver->run(stream, ordered[done].job);
      done += std::max<std::size_t>(count, 1);
    }
  }

  [[nodiscard]] std::string description() const override { return alone_->description(); }

 private:
  static const SharingConvolver& own(const ConvolvePart& part) {
    return static_cast<const SharingConvolver&>(*part.convolver);
  }
  [[nodiscard]] std::size_t taps() const { return std::max(column_.size(), row_.size()); }

  DeviceInfo device_;
  std::vector<float> column_, row_;
  std::unique_ptr<Convolver> alone_;
};

}  // namespace

std::unique_ptr<Convolver> make_sharing(const Context& context, std::vector<float> column, std::vector<float> row,
                                        std::unique_ptr<Convolver> alone) {
  return std::make_unique<SharingConvolver>(context, std::move(column), std::move(row), std::move(alone));
}

}  // namespace reber::cuda
