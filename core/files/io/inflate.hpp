// SPDX-License-Identifier: BSD-3-Clause
// gzip and bzip2 files into memory, bounded and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::fits {

/// Inflates a gzip file of any number of members, or a bzip2 one; checks CRC and length.
///   throws DataError naming gzip or bzip2; Cancelled
[[nodiscard]] std::vector<std::byte> inflate_gzip(const ByteSource& file, const InflateLimit& most,
                                                  const std::string& name, const Progress& progress);
[[nodiscard]] std::vector<std::byte> inflate_bzip2(const ByteSource& file, const InflateLimit& most,
                                                   const std::string& name, const Progress& progress);

}  // namespace reber::fits
