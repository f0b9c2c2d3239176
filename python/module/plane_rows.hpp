// SPDX-License-Identifier: BSD-3-Clause
// Rows of many planes of a cube for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/catalogue.hpp"
#include "python/module/image_run.hpp"

namespace reber::python {

/// What find() left of many planes: tables, without pixels.
struct PlaneRows {
  std::map<std::string, Catalogue> tables;                    ///< by their set of columns
  std::vector<std::int64_t> searched;                         ///< planes
  std::vector<std::pair<std::int64_t, std::string>> skipped;  ///< planes, and why
  std::vector<std::string> warnings;

  /// As ImageRun::table.   throws InputError for a set that is not kept
  [[nodiscard]] nanobind::dict table(const std::string& set) const;
  /// The rows that `reber find --planes` writes, by the path's ending or by `format`.   throws as write_catalogue
  void write(const std::string& path, const std::string& set, const std::string& format, bool overwrite) const;

 private:
  [[nodiscard]] const Catalogue& kept(const std::string& set) const;
};

/// Searches planes (a list of core/run/cube/plane_list.hpp) of a file one after another.   arguments: as _core.run
///   throws as Pipeline::run; DataError where no plane could be searched
[[nodiscard]] std::unique_ptr<PlaneRows> find_planes(const std::string& path, const std::string& planes,
                                                     const nanobind::list& stages, const nanobind::dict& settings,
                                                     const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                                     const nanobind::object& progress);

}  // namespace reber::python
