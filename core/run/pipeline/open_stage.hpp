// SPDX-License-Identifier: BSD-3-Clause
// Stage: opens the image, and plans the run from its header alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/run/pipeline/resolve_convolution.hpp"
#include "core/run/pipeline/stage_work.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/plan/algorithm_choice.hpp"
#include "core/seam/plan/tiling.hpp"
#include "core/sky/model/beam_field.hpp"

namespace reber {

/// One image: a plane of a file, or pixels in memory with their header.
struct Input {
  std::string path;  ///< the file; with `pixels` the name that reports give
  OpenOptions open;
  std::shared_ptr<const PixelSource> pixels;  ///< in place of the file; with the header
  std::shared_ptr<const ImageHeader> header;
};
[[nodiscard]] inline Input input_of(const Request& request) { return {request.input, request.open, {}, {}}; }

/// Header read, pixels not.
struct Opened {
  std::shared_ptr<const ImagePlane> file;     ///< null where the pixels are in memory
  std::shared_ptr<const PixelSource> pixels;  ///< null where they are in the file
  std::shared_ptr<const ImageHeader> header;
};
/// throws as open_image_file
[[nodiscard]] Opened run_open(const Input& input, StageWork& work);

/// What the header alone decides.
struct RunPlan {
  std::shared_ptr<const ImageHeader> header;       ///< of the pixels once convolved: their unit may be another
  std::optional<Beam> beam;                        ///< of the image as it is read
  BeamField beams;                                 ///< how it and the areas of pixels vary once convolved
  std::optional<ResolvedConvolution> convolution;  ///< where one is asked for
  std::vector<ConvolutionQuote> quotes;            ///< of it
  std::optional<AlgorithmChoice> choice;           ///< empty where nothing is convolved
  MemoryNeeds needs;
  TilingPlan tiling;
};
/// throws InputError: a convolution that is impossible, an image that does not fit in bands of one row
[[nodiscard]] RunPlan plan_run(const Opened& opened, const Request& request, StageWork& work);

/// Whether a second plane stands beside the image at a time.
[[nodiscard]] bool needs_copy(const Request& request);

/// Kernel, algorithm and notes in words; "none" for a kernel that does nothing is left out.
[[nodiscard]] std::vector<Fact> convolution_facts(const RunPlan& plan);

/// Device memory that a plan may use: what the backend offers, within what the user allows. 0: host memory.
[[nodiscard]] std::int64_t usable_memory(const Request& request, const Backend& backend);

}  // namespace reber
