// SPDX-License-Identifier: BSD-3-Clause
// From what is written on a command line to the list of images of a batch.
#pragma once

#include <string>
#include <vector>

namespace reber {

/// The images of a batch, in order.
struct InputList {
  std::vector<std::string> paths;  ///< as given, or as the pattern or the list gives them
  bool one_file = false;           ///< one plain file was named: nothing to share out
};

/// words: a file; a pattern with * ? or [] (where no file of that very name exists), its matches in the order of their
/// names; @FILE, one path or pattern per line, empty lines and lines that begin with # left out; - for the same from
/// standard input. "./@name" is a file whose name begins with @.
///   throws InputError where a pattern matches nothing, a list names nothing, or - is given twice; DataError where a
///   list cannot be read
[[nodiscard]] InputList expand_inputs(const std::vector<std::string>& words);

}  // namespace reber
