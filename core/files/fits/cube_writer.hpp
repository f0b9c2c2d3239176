// SPDX-License-Identifier: BSD-3-Clause
// Writes a cube plane by plane, in bands of rows: memory holds one band.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/fits/fits_writer.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber {

/// A cube of floats with all the axes of the image that it is like: x and y first, the others behind them in their
/// order. Whole or not at all: the file appears under its name in finish(), or with the others of its group.
///   throws InputError where the file exists and overwrite is false, or it is the input; DataError where writing fails
class CubeWriter {
 public:
  /// header.beam goes into BMAJ, BMIN and BPA; beams, where not empty, one a plane, into an extension BEAMS and
  /// CASAMBM = T. HISTORY of header.history.
  CubeWriter(const std::string& path, const OutputHeader& header, std::vector<std::optional<Beam>> beams,
             const FileOptions& how);
  ~CubeWriter();
  CubeWriter(const CubeWriter&) = delete;
  CubeWriter& operator=(const CubeWriter&) = delete;

  /// Planes in any order, each once. Its end is written while the caller goes on.
  ///   band_rows: asked for at a time; 0: some megabytes of them
  ///   throws DataError, of this plane or of the end of the one before
  void write_plane(std::int64_t plane, const FloatRows& rows, const Progress& progress, std::int64_t band_rows = 0);
  /// Rows y0 .. y0 + ny - 1 of a plane, each once; from several threads at once. `rows` is left in FITS's byte order.
  ///   throws DataError
  void write_rows(std::int64_t plane, std::int64_t y0, std::int64_t ny, float* rows);
  /// What is known of the work at its end: lines in place of header.history, which take as many cards as those did.
  ///   throws InternalError where they do not
  void tell(const std::vector<std::string>& history);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
