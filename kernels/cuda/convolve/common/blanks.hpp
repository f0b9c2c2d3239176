// SPDX-License-Identifier: BSD-3-Clause
// What convolutions do about blank pixels beside the sum itself.
#pragma once

#include <cstdint>

#include "core/base/shape.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// footprint: bytes, 1 where the kernel's rectangle around an output pixel holds a blank one.
void find_footprint(cudaStream_t stream, const ConvolveJob& job, Shape kernel, std::uint8_t* footprint,
                    std::int64_t pitch);
/// Blanks output pixels where the footprint says so (if not null) and where the input is blank (if keep); counts anew.
void blank_output(cudaStream_t stream, const ConvolveJob& job, const std::uint8_t* footprint, std::int64_t pitch,
                  bool keep);
/// The window's rows times a factor, to rows as far apart.
void scale_rows(cudaStream_t stream, const RowWindow& window, float factor, float* out);
/// Output pixels times a factor; what overflows is blank. Counts anew.
void scale_output(cudaStream_t stream, const ConvolveJob& job, float factor);

}  // namespace reber::cuda
