// SPDX-License-Identifier: BSD-3-Clause
// Images smoothed to one beam in files that last as long as the work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/files/io/scratch_path.hpp"
#include "core/studies/imaging/cube_work.hpp"
#include "core/studies/imaging/smoothing.hpp"

namespace reber {

class CommonFields {
 public:
  /// target: empty for the smallest common beam   per_plane: a common beam for each plane of cubes   base: open, beam,
  /// memory, call   throws as read_smooth_input, plan_smoothing
  CommonFields(const std::vector<std::string>& files, const std::optional<Beam>& target, bool per_plane,
               const Request& base, const Progress& progress);
  /// A sentence for each plane that the common beam leaves out.
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }
  /// Smooths all into a folder.   before: told of each image in turn   returns paths, which go with this   throws as
  /// smooth
  [[nodiscard]] std::vector<std::string> make(const std::string& folder, const OnBackend& on_backend,
                                              const std::function<void(std::size_t)>& before, const Progress& progress,
                                              const LogSink& log);

 private:
  Request base_;
  std::vector<SmoothInput> inputs_;
  std::vector<ScratchPath> paths_;
  std::vector<std::string> told_;
};

}  // namespace reber
