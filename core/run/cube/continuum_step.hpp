// SPDX-License-Identifier: BSD-3-Clause
// The continuum of spectra, taken away.
#pragma once

#include <memory>
#include <string>

#include "core/run/cube/strip.hpp"

namespace reber {

/// `poly1,channels=0:20,80:100`: a polynomial of order 0 to 5 in the channel's number, fitted by least squares to the
/// finite values of these channels of each pixel and taken away from all its channels. A pixel with fewer finite values
/// than coefficients becomes blank.   throws InputError
[[nodiscard]] std::unique_ptr<SpectrumStep> continuum_step(const std::string& text);

}  // namespace reber
