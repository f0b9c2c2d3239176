// SPDX-License-Identifier: BSD-3-Clause
// From what is written on a command line to the list of images of a batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {

/// What a batch does at a time: an image, or one plane of a cube.
struct BatchImage {
  std::string path;
  std::int64_t plane = -1;  ///< from 0; -1: the file is one image
  std::int64_t planes = 1;  ///< that the file has

  [[nodiscard]] bool is_plane() const { return plane >= 0; }
  /// For people: "m31.fits", "cube.fits plane 3".
  [[nodiscard]] std::string name() const { return is_plane() ? path + " plane " + std::to_string(plane) : path; }
};

/// The files of a batch, in order.
struct InputList {
  std::vector<std::string> paths;  ///< as given, or as the pattern or the list gives them
  bool one_file = false;           ///< one plain file was named: nothing to share out
};

/// words: a file; a pattern with * ? or [] (where no file of that very name exists), its matches in the order of their
/// names; @FILE, one path or pattern per line, empty lines and lines that begin with # left out; - for the same from
/// standard input. "./@name" is a file whose name begins with @.
/// Nothing that is written later takes the place of a list or of a file in it (core/files/io/kept_files.hpp).
///   throws InputError where a pattern matches nothing, a list names nothing, or - is given twice; DataError where a
///   list cannot be read or is no text; Cancelled
[[nodiscard]] InputList expand_inputs(const std::vector<std::string>& words, const Progress& progress = {});

}  // namespace reber
