// SPDX-License-Identifier: BSD-3-Clause
// Pixels that another library keeps on the same card.
#pragma once

#include "core/seam/compute/job.hpp"
#include "core/seam/compute/lent_pixels.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// Fills the plane, once the lender's stream has come to the pixels: on the device where the plane is resident, and
/// from the device to the host, which is counted, where it is streamed.
///   throws InputError where the pixels are of another card or of none
void load_lent(CudaPlane& plane, const PixelFormat& format, const LentPixels& lent, const Job& job);

}  // namespace reber::cuda
