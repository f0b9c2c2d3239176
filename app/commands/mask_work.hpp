// SPDX-License-Identifier: BSD-3-Clause
// What `reber mask` is asked, and its doing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/common_options.hpp"
#include "core/sky/mask/mask_file.hpp"

namespace reber::app {

struct MaskOptions {
  CommonOptions common;
  std::string input, output, region, moc, onto, noise, islands;
  std::string restored, mask;  ///< the input by breizorro's options, which say what it is
  std::optional<double> threshold, dilated, sum_peak;
  std::optional<std::int64_t> least;
  std::optional<int> eroded;
  std::int64_t box = 50;
  std::vector<std::string> merged, subtracted, kept, removed, extracted;
  int moc_order = -1;
  bool coverage = false, number = false, binary = false, inverted = false, filled = false;
  MaskAxes axes = MaskAxes::keep;
};

/// Reads, does what is asked in the order of the help page, writes.   returns the exit code
///   throws InputError where nothing is written or what is asked does not fit together; as read_mask and write_mask
int make_mask(const MaskOptions& asked, Terminal& terminal);

}  // namespace reber::app
