// SPDX-License-Identifier: BSD-3-Clause
// Studies that need no image: two catalogues against each other, and skies with a known truth.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace reber::python {

/// Two lists (catalogue_of()'s arguments) held against each other.
///   radius_arcsec: 0 for default_radius()
///   returns (pairs, rows of A alone, rows of B alone, summary as JSON)   throws as match_lists
[[nodiscard]] nanobind::tuple match(const nanobind::object& a, const nanobind::object& b, double radius_arcsec,
                                    const std::string& columns_a, const std::string& columns_b);

/// settings: members of SimulationOptions under the command line's names, in its units.
///   returns (image [y, x], cards in one text, table of the truth)   throws TypeError for an unknown name
[[nodiscard]] nanobind::tuple simulate(const nanobind::dict& settings, const std::string& backend, int threads,
                                       const nanobind::object& progress);

}  // namespace reber::python
