// SPDX-License-Identifier: BSD-3-Clause
// --extended of find and run: the extended sources of a finished run, as files.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/run/request/request.hpp"

namespace reber::app {

/// Before the work.   throws InputError for files that exist or whose format is not known, and for options that do not
/// go with extended sources
void check_extended(const std::vector<std::string>& paths, const Request& request, bool planes);

/// Finds them and writes each file, a .png as a picture of the image with their outlines; adds how many there are and
/// the files to the run's report.
///   throws as find_extended and write_catalogue
void write_extended(const std::vector<std::string>& paths, Result& found, const Request& request,
                    const FileOptions& how, const Progress& progress);

}  // namespace reber::app
