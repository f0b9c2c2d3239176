// SPDX-License-Identifier: BSD-3-Clause
// One row per function that a backend implements.
#include "core/seam/compute/seam_operations.hpp"

#include <array>

namespace reber {
namespace {

constexpr std::array kOperations{
    SeamOperation{"info", "what computes: its name, the device, threads, memory that a plan may use", false},
    SeamOperation{"load", "stored rows of an image become a plane of floats"},
    SeamOperation{"stream", "an image whose pixels stay in their source and are read band by band"},
    SeamOperation{"quote", "what each convolution algorithm would cost, or why it cannot serve", false},
    SeamOperation{"plan_convolution", "weights uploaded and transforms made, for every plane of one shape"},
    SeamOperation{"convolve", "one plane by one or several plans"},
    SeamOperation{"statistics", "extremes, mean, standard deviation and median of the finite pixels"},
    SeamOperation{"clip", "kappa-sigma clip about the median"},
    SeamOperation{"mesh", "clipped mode and noise of each cell of a mesh"},
    SeamOperation{"mesh_each", "the same of several grids, one behind the other"},
    SeamOperation{"label", "islands of connected pixels above the noise"},
    SeamOperation{"measure", "sums over each island"},
    SeamOperation{"island_pixels", "pixels of the larger islands, on the host"},
    SeamOperation{"label_runs", "the whole label map as runs, on the host"},
    SeamOperation{"islands_of", "islands made of runs that the host gives"},
    SeamOperation{"derive", "a plane made of others: S/N, a rule of two planes, a plane without islands"},
    SeamOperation{"render", "a rectangle of the image, the mean, the rms or the S/N, on the host"},
    SeamOperation{"render_each", "several rectangles of one map, on the host"},
    SeamOperation{"draw_labels", "a rectangle of the label map, on the host"},
    SeamOperation{"fits", "the engine of Gaussian fits, which touches no plane", false},
    SeamOperation{"display", "reduced levels that stay on the device, for a viewer; null elsewhere", false},
};

}  // namespace

std::span<const SeamOperation> seam_operations() { return kOperations; }

}  // namespace reber
