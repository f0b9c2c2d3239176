// SPDX-License-Identifier: BSD-3-Clause
// The own reader of FITS against CFITSIO, on one file.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/image/image_file.hpp"
#include "core/run/request/request.hpp"
#include "core/studies/verification.hpp"

namespace reber {

/// The same plane by two readers.   throws as ImageFile::pixels
[[nodiscard]] std::vector<StageCheck> compare_readers(const ImageFile& own, const ImageFile& other, std::int64_t plane,
                                                      const Progress& progress);

/// Compares every pixel of the plane, the values of all cards that are no matter of storage, and what is made of them:
/// size, unit, beam, frequency, positions.   throws as open_image_file
[[nodiscard]] VerificationReport second_opinion(const Request& request, const Progress& progress);

}  // namespace reber
