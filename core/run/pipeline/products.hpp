// SPDX-License-Identifier: BSD-3-Clause
// The files that a run leaves: catalogues, maps, picture.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/files/io/commit_group.hpp"
#include "core/measure/sources/source_list.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/seam/compute/job.hpp"
#include "core/show/picture/picture.hpp"

namespace reber {

/// Whether the request names any file.
[[nodiscard]] bool any_product(const OutputRequest& wanted);

/// The sources, Gaussians and islands of a finished run; reads the islands' pixels from its backend, on its thread.
///   throws InternalError for a run that looked for no source; DeviceError, Cancelled
[[nodiscard]] SourceList source_list_of(const Result& result, const GroupOptions& options, const Job& job = {});

/// The picture of a finished run: its image in the colours of its noise, the beam, and the sources' ellipses.
///   options: outlines, file and progress; the rest is filled in   throws as write_sky_picture
void draw_result(const std::string& path, const Result& result, const Catalogue& sources, const PixelRows& rows,
                 PictureOptions options);

/// Draws a picture among other files. Where that fails, but for a folder that takes no file, a card that failed and the
/// wish to stop, the group of `how` keeps the reason (CommitGroup::lack), so that the other files are written.
///   returns whether it is drawn   throws as draw() for these, and for all where there is no group
bool drawn_or_lacking(const std::string& path, const FileOptions& how, const std::function<void()>& draw);

/// Writes what is wanted of a finished run, each file whole or not at all, and returns the paths in that order. Every
/// file that can hold it gets the result's history. Files that do not need the backend are written beside the others.
///   outputs: takes the files, for its owner to commit; null: they are committed here, as its output.durable says
///   throws as write_fits, write_catalogue and CommitGroup::commit
[[nodiscard]] std::vector<std::string> write_products(const Request& request, const Result& result, const Job& job,
                                                      CommitGroup* outputs = nullptr);

}  // namespace reber
