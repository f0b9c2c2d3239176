// SPDX-License-Identifier: BSD-3-Clause
// One load, and what it says of blank pixels.
#include "core/run/pipeline/read_stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"

namespace reber {

namespace {

/// Tells whether the file's bytes fit the sums that it states; of a cube only where the user asks, as all is read.
/// left: whether the pixels are still in the file.
void compare_sums(StatedSums* sums, bool left, const Request& request, StageWork& work) {
  const bool asked = request.open.check;
  if (sums == nullptr) {
    if (asked) work.warn(fmt::format("{} states no DATASUM or CHECKSUM: its bytes cannot be checked", request.input));
    return;
  }
  if (!asked && (left || !sums->cheap())) return;
  const std::string problem = sums->verdict(work.job.progress());
  work.fact("checksum", problem.empty() ? "agrees with the file's bytes" : problem);
  if (problem.empty()) return;
  if (asked) throw DataError(fmt::format("'{}': {}; without --check it is read all the same", request.input, problem));
  work.warn(problem);
}

/// The same pixels in another unit.
class ScaledSource final : public PixelSource {
 public:
  ScaledSource(std::shared_ptr<const PixelSource> pixels, double factor)
      : pixels_(std::move(pixels)), factor_(factor) {}
  [[nodiscard]] Shape shape() const override { return pixels_->shape(); }
  [[nodiscard]] PixelFormat format() const override {
    PixelFormat format = pixels_->format();
    format.scale *= factor_;
    format.zero *= factor_;
    return format;
  }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override { pixels_->read_rows(y0, ny, out); }
  void will_need(std::int64_t y0, std::int64_t ny) const override { pixels_->will_need(y0, ny); }

 private:
  std::shared_ptr<const PixelSource> pixels_;
  double factor_;
};

}  // namespace

std::unique_ptr<Plane> load_or_stream(const ImagePlane& file, const TilingPlan& tiling, StageWork& work,
                                      double factor) {
  auto pixels = file.pixels(work.job.progress());
  if (factor != 1) pixels = std::make_shared<const ScaledSource>(std::move(pixels), factor);
  return tiling.in_source ? work.backend.stream(pixels, tiling, work.job)
                          : work.backend.load(*pixels, tiling, work.job);
}

void tell_blanks(const Plane& plane, const std::string& image, StageWork& work) {
  const std::int64_t all = plane.shape().count();
  if (plane.infinite() > 0) work.warn(fmt::format("{} infinite pixels count as blank", plane.infinite()));
  work.fact("blank pixels", fmt::format("{} of {}", plane.blank(), all));
  if (plane.blank() == all) work.warn(fmt::format("{}: no finite pixels", image));
}

std::shared_ptr<const Plane> run_read(const ReadInputs& in, const Request& request, StageWork& work) {
  const std::shared_ptr<const PixelSource> pixels =
      in.opened.pixels ? in.opened.pixels : in.opened.file->pixels(work.job.progress());
  const bool left = in.tiling.in_source;
  const std::unique_ptr<StatedSums> sums = in.opened.file ? in.opened.file->sums() : nullptr;
  const std::unique_ptr<PixelSource> watched = sums && !left ? sums->watch(*pixels) : nullptr;
  std::shared_ptr<const Plane> plane = left ? work.backend.stream(pixels, in.tiling, work.job)
                                            : work.backend.load(watched ? *watched : *pixels, in.tiling, work.job);
  if (in.opened.file) compare_sums(sums.get(), left, request, work);
  if (const int bits = in.opened.header->bitpix; bits == -64 || bits >= 32) {
    const std::string text = fmt::format("stored in {} bits, computed in floats of 32: 7 digits", std::abs(bits));
    work.fact("precision", text);
    work.note("pixels " + text);
  }
  work.algorithm =
      fmt::format("{:.1f} MB of pixels{}",
                  static_cast<double>(plane->shape().count() * std::abs(in.opened.header->bitpix) / 8) * 1e-6,
                  left ? ", left in the file" : "");
  if (!left) tell_blanks(*plane, request.input, work);
  return plane;
}

}  // namespace reber
