// SPDX-License-Identifier: BSD-3-Clause
// Studies of files: smoothing to one beam, completeness, quality, verification, one image of a cube.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "python/module/image_run.hpp"

namespace reber::python {

/// Smooths files to a beam, or to the smallest that all can reach where to_beam is empty.
///   outputs  one path per file; not looked at with dry_run
///   to_beam, beam  degrees; beam: in place of the headers'   max_beam  degrees; planes with a longer one stay blank
///   returns  (table with a row per plane, warnings)   throws as read_smooth_input, plan_smoothing and smooth
[[nodiscard]] nanobind::tuple smooth(const std::vector<std::string>& files, const std::vector<std::string>& outputs,
                                     const nanobind::dict& settings, const nanobind::dict& with,
                                     const std::optional<BeamTuple>& to_beam, bool per_plane,
                                     const std::optional<double>& max_beam, const std::optional<BeamTuple>& beam,
                                     bool dry_run, bool overwrite, const nanobind::object& progress);

/// experiment: members of CompletenessOptions under the command line's names, in its units.   plot: a path, or empty
///   returns (table with a row per bin, summary as JSON)   throws as measure_completeness; TypeError for another name
[[nodiscard]] nanobind::tuple complete(const std::string& path, const nanobind::dict& settings,
                                       const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                       const nanobind::dict& experiment, const std::string& plot, bool overwrite,
                                       const nanobind::object& progress);

/// The quality of an image.
///   against: (path, None), or (name, catalogue_of()'s argument)   levels: as read_levels   quick: without completeness
///   output: the page, beside which the others are written; empty: none   returns (JSON, page, VOTable)
///   throws as read_levels and full_report
[[nodiscard]] nanobind::tuple report(const std::string& path, const nanobind::dict& settings,
                                     const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                     const nanobind::list& against, const std::string& levels, bool quick,
                                     const std::string& output, bool overwrite, const nanobind::object& progress);

/// The backend of `with` against the reference.
///   returns (backend, device, table with a row per check: `passed` is 0 or 1)   throws InputError for the reference
[[nodiscard]] nanobind::tuple verify(const std::string& path, const nanobind::list& stages,
                                     const nanobind::dict& settings, const nanobind::dict& with,
                                     const std::optional<BeamTuple>& beam, const nanobind::object& progress);

/// One image of a cube's planes, written to `output` where that is not empty.
///   returns ([y, x], cards in one text, planes that took part, what was done, warnings)   throws as reber::collapse
[[nodiscard]] nanobind::tuple collapse(const std::string& path, const std::string& how, const std::string& planes,
                                       double snr, const nanobind::dict& with, const std::optional<BeamTuple>& beam,
                                       const std::string& output, bool overwrite, const nanobind::object& progress);

}  // namespace reber::python
