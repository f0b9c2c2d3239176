// SPDX-License-Identifier: BSD-3-Clause
// An image format as a library of others reads it. Its functions run in a caged child (foreign_file.hpp). Modules
// include this with an older C++ than the rest: it needs C++17.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reber {

/// Takes the header, card by card, as FITS would have it.
class CardSink {
 public:
  virtual ~CardSink() = default;
  virtual void text(const std::string& keyword, const std::string& value) = 0;
  virtual void number(const std::string& keyword, double value) = 0;
  virtual void integer(const std::string& keyword, std::int64_t value) = 0;
  virtual void logical(const std::string& keyword, bool value) = 0;
  virtual void card(const std::string& card) = 0;  ///< one of 80 characters, as it is
};

/// The beam of a channel and a polarisation, both counted from 0.
struct ForeignBeam {
  std::int64_t channel = 0, stokes = 0;
  double major_deg = 0, minor_deg = 0;  ///< FWHM
  double pa_deg = 0;                    ///< north through east
};

struct ForeignImage {
  std::string kind;                ///< "CASA image"
  int hdu = 0;                     ///< which of a file's images it is
  std::vector<std::int64_t> axes;  ///< x first
  int bitpix = -32;                ///< -64: pixels are read as doubles, else as floats
  std::vector<ForeignBeam> beams;  ///< where they differ from plane to plane
};

/// Pixels [first, first + count) along every axis.
struct ForeignBox {
  std::vector<std::int64_t> first, count;
};

/// Says what is wrong by exceptions whose words follow the file's name.
class ForeignReader {
 public:
  virtual ~ForeignReader() = default;
  /// The library and its version.
  [[nodiscard]] virtual std::string name() const = 0;
  /// What the image is, and its header.
  ///   hdu: the first image where it is negative   opened: to be called once no other file will be opened, if ever
  [[nodiscard]] virtual ForeignImage describe(const std::string& path, int hdu, CardSink& cards,
                                              const std::function<void()>& opened) const = 0;
  /// Pixels of a box, x fastest, in native order, blanks as NaN: floats, or doubles where describe() says so.
  virtual void read(const std::string& path, int hdu, const ForeignBox& box, void* out,
                    const std::function<void()>& opened) const = 0;
};

/// What the function `reber_reader` of a module is.   returns an object that lives as long as the process
using ForeignReaderEntry = const ForeignReader* (*)();

}  // namespace reber
