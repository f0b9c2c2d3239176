// SPDX-License-Identifier: BSD-3-Clause
// One image by several convolutions, a file each.
#pragma once

#include <span>
#include <string>

#include "core/compute/backend.hpp"
#include "core/pipeline/pipeline.hpp"

namespace reber {

/// One of the convolutions and the FITS file that its result goes to.
struct ConvolutionTask {
  ConvolveRequest convolve;
  std::string path;
};

/// Reads the image once and convolves it by each task, as many at a time as the device's memory holds
/// (Backend::convolve_each). Each file has the pixels that a run of its task alone would give it, but where an image is
/// streamed in bands: their height follows the largest kernel, which FFT convolution shows. base: everything but
/// convolution, later stages and paths. All tasks are resolved before a pixel is read.   tasks: at least one
///   throws InputError, DataError, DeviceError, Cancelled; files already written before stay, none is half-written
[[nodiscard]] Report convolve_many(const Request& base, std::span<const ConvolutionTask> tasks, Backend& backend,
                                   const Progress& progress, const LogSink& log);

}  // namespace reber
