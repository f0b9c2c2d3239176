// SPDX-License-Identifier: BSD-3-Clause
// One load, and what it says of blank pixels.
#include "core/pipeline/read_stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"
#include "core/fits/file_sums.hpp"

namespace reber {

namespace {

/// Tells whether the file's bytes fit the sums that it states; of a cube only where the user asks, as all is read.
void compare_sums(fits::FileSums* sums, const Request& request, StageWork& work) {
  const bool asked = request.open.check;
  if (sums == nullptr) {
    if (asked) work.warn(fmt::format("{} states no DATASUM or CHECKSUM: its bytes cannot be checked", request.input));
    return;
  }
  if (!asked && !sums->cheap()) return;
  const std::string problem = sums->verdict(work.job.progress());
  work.fact("checksum", problem.empty() ? "agrees with the file's bytes" : problem);
  if (problem.empty()) return;
  if (asked) throw DataError(fmt::format("'{}': {}; without --check it is read all the same", request.input, problem));
  work.warn(problem);
}

}  // namespace

std::shared_ptr<const Plane> run_read(const ReadInputs& in, const Request& request, StageWork& work) {
  const std::unique_ptr<PixelSource> own = in.opened.pixels ? nullptr : in.opened.file->pixels(work.job.progress());
  const PixelSource& pixels = own ? *own : *in.opened.pixels;
  const std::unique_ptr<fits::FileSums> sums = in.opened.file ? in.opened.file->sums() : nullptr;
  const std::unique_ptr<PixelSource> watched = sums ? sums->watch(pixels) : nullptr;
  std::shared_ptr<const Plane> plane = work.backend.load(watched ? *watched : pixels, in.tiling, work.job);
  if (in.opened.file) compare_sums(sums.get(), request, work);
  const std::int64_t all = plane->shape().count();
  if (plane->infinite() > 0) work.warn(fmt::format("{} infinite pixels count as blank", plane->infinite()));
  if (const int bits = in.opened.header->bitpix; bits == -64 || bits >= 32) {
    const std::string text = fmt::format("stored in {} bits, computed in floats of 32: 7 digits", std::abs(bits));
    work.fact("precision", text);
    work.note("pixels " + text);
  }
  work.fact("blank pixels", fmt::format("{} of {}", plane->blank(), all));
  work.algorithm =
      fmt::format("{:.1f} MB of pixels", static_cast<double>(all * std::abs(in.opened.header->bitpix) / 8) * 1e-6);
  if (plane->blank() == all) work.warn(fmt::format("{}: no finite pixels", request.input));
  return plane;
}

}  // namespace reber
