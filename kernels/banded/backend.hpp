// SPDX-License-Identifier: BSD-3-Clause
// One backend made of several of a kind, such as the cards of a host.
#pragma once

#include <memory>
#include <vector>

#include "core/base/exchange.hpp"
#include "core/base/log.hpp"
#include "core/seam/compute/backend.hpp"
#include "kernels/banded/shares.hpp"

namespace reber::banded {

/// Every image lies in bands of rows, one per member, and gets the bits that one member alone would give. What cannot
/// be divided (FFT convolution, statistics of all pixels, every n-th pixel) one member does for all. A member whose
/// card fails hands its part to the others, where the image's pixels are still in their source.
///   members: at least one;   abilities: of each
[[nodiscard]] std::unique_ptr<Backend> make(std::vector<std::unique_ptr<Backend>> members,
                                            std::vector<Ability> abilities, LogSink log);

/// The same of one backend here, and of those that other processes have: each does its bands of what is measured, and
/// all know what all found. What needs no more than the pixels of islands each does of all.
[[nodiscard]] std::unique_ptr<Backend> make_shared(std::unique_ptr<Backend> own, std::shared_ptr<Exchange> others,
                                                   LogSink log);

}  // namespace reber::banded
