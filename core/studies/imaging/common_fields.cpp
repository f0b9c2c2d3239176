// SPDX-License-Identifier: BSD-3-Clause
// All beams are known before the first image is smoothed.
#include "core/studies/imaging/common_fields.hpp"

namespace reber {

CommonFields::CommonFields(const std::vector<std::string>& files, const std::optional<Beam>& target, bool per_plane,
                           const Request& base, const Progress& progress)
    : base_(base) {
  base_.convolve.emplace();
  base_.output.overwrite = true;
  for (const std::string& file : files) {
    inputs_.push_back(read_smooth_input(file, base.open, base.beam, progress));
    inputs_.back().file.reset();
  }
  if (target)
    aim_at(inputs_, *target);
  else
    told_ = aim_at_common_beam(inputs_, per_plane);
  for (SmoothInput& input : inputs_) plan_smoothing(input);
}

std::vector<std::string> CommonFields::make(const std::string& folder, const OnBackend& on_backend,
                                            const std::function<void(std::size_t)>& before, const Progress& progress,
                                            const LogSink& log) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    before(i);
    made.push_back(paths_.emplace_back(folder).path());
    on_backend([&](const std::shared_ptr<Backend>& backend) {
      (void)smooth(inputs_[i], base_, made.back(), backend, progress, log);
    });
  }
  return made;
}

}  // namespace reber
