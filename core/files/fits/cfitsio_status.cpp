// SPDX-License-Identifier: BSD-3-Clause
// The stack of messages that CFITSIO keeps.
#include "core/files/fits/cfitsio_status.hpp"

#include <fitsio.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <new>
#include <string>

#include "core/base/error.hpp"

namespace reber::fits {

void check_cfitsio(int status) {
  if (status == 0) return;
  // CFITSIO says of some allocations that fail that the data are wrong.
  if (status == MEMORY_ALLOCATION || errno == ENOMEM) throw std::bad_alloc();
  constexpr int kMostLines = 8;
  std::string words;
  std::array<char, FLEN_ERRMSG> line{};
  for (int i = 0; i < kMostLines && fits_read_errmsg(line.data()) != 0; ++i) {
    words += line.data();
    words += "; ";
  }
  throw DataError(fmt::format("CFITSIO status {}: {}", status, words));
}

}  // namespace reber::fits
