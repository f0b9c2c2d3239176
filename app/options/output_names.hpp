// SPDX-License-Identifier: BSD-3-Clause
// Names of results that are made from names of inputs.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/file_stem.hpp"
#include "core/run/batch/input_list.hpp"

namespace reber::app {

using reber::stem_of;

/// That of the file, and for a plane its number: cube_p0003.
[[nodiscard]] std::string stem_of(const BatchImage& image);

/// A kernel as part of a file's name: "beam:20,20,0" beam_20_20_0, "file:a/psf.fits" file_psf.
[[nodiscard]] std::string name_of_kernel(const std::string& text);

/// Two inputs of one name would write over each other's results.   throws InputError, Cancelled
/// endings: of all files that an image has
void check_distinct_names(const std::vector<BatchImage>& images, const std::vector<std::string>& endings,
                          const Progress& progress);
void check_distinct_names(const std::vector<std::string>& files);

/// throws DataError where the folder cannot be made
void make_folder(const std::string& folder);

}  // namespace reber::app
