// SPDX-License-Identifier: BSD-3-Clause
// Weights as the kernels use them.
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

std::vector<float> float_weights(const std::vector<double>& weights) {
  std::vector<float> floats(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) floats[i] = static_cast<float>(weights[i]);
  return floats;
}

}  // namespace reber::cuda
