// SPDX-License-Identifier: BSD-3-Clause
// What CFITSIO says of its calls.
#pragma once

namespace reber::fits {

/// In a child: nothing where the status is 0.
///   throws std::bad_alloc where memory lacks; else DataError with CFITSIO's number and words
void check_cfitsio(int status);

}  // namespace reber::fits
