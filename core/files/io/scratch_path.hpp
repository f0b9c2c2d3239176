// SPDX-License-Identifier: BSD-3-Clause
// A place in a folder for a file that lasts as long as the work.
#pragma once

#include <string>

#include "core/files/io/atomic_file.hpp"

namespace reber {

/// A path in a folder, which goes with this, whatever lies there then. It is written with overwrite. What a killed
/// process left goes as AtomicFile's temporaries do.
class ScratchPath {
 public:
  /// folder: empty: the current one   throws as AtomicFile
  explicit ScratchPath(const std::string& folder) : file_((folder.empty() ? "." : folder) + "/.reber-scratch", false) {}
  [[nodiscard]] const std::string& path() const { return file_.temporary_path(); }

 private:
  AtomicFile file_;  ///< never committed: its temporary is the path
};

}  // namespace reber
