// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead by one plane.
#include "core/run/cube/plane_walk.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace reber {
namespace {

/// Bytes between two looks for the wish to stop.
constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;
constexpr std::chrono::milliseconds kLook{20};

bool coded(const ImageFile& file) {
  return file.stored() == Stored::coded_by_rows || file.stored() == Stored::coded_whole;
}

/// A plane as stored, in memory.
class StoredPlane final : public PixelSource {
 public:
  StoredPlane(Shape shape, PixelFormat format)
      : shape_(shape), format_(format), bytes_(static_cast<std::size_t>(shape.count() * bytes_of(format.type))) {}

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    if (y0 < 0 || ny < 0 || y0 > shape_.ny - ny) throw InternalError("read_rows: rows outside the plane");
    std::memcpy(out, bytes_.data() + y0 * row_bytes(), static_cast<std::size_t>(ny * row_bytes()));
  }
  void fill(const PixelSource& from, const Progress& progress) {
    const std::int64_t rows = std::max<std::int64_t>(1, kPieceBytes / std::max<std::int64_t>(row_bytes(), 1));
    for (std::int64_t y = 0; y < shape_.ny; y += rows) {
      progress.check();
      from.read_rows(y, std::min(rows, shape_.ny - y), bytes_.data() + y * row_bytes());
    }
  }

 private:
  [[nodiscard]] std::int64_t row_bytes() const { return shape_.nx * bytes_of(format_.type); }
  Shape shape_;
  PixelFormat format_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::string why_flagged(const CubePlane& plane, bool given_beam, const Progress& progress) {
  const auto& beams = plane.header->plane_beams;
  const bool others = std::ranges::any_of(beams, [](const std::optional<Beam>& beam) { return beam.has_value(); });
  if (!given_beam && !plane.header->beam && others) return "it has no beam: " + plane.header->beam_note;
  return all_blank(*plane.pixels, progress) ? "all its pixels are blank" : "";
}

PlaneWalk::PlaneWalk(CubeSource cube, std::vector<std::int64_t> planes, std::int64_t ahead_bytes, bool in_place)
    : cube_(std::move(cube)),
      planes_(std::move(planes)),
      in_place_(in_place && !coded(cube_.file()) && cube_.header(0)->x_axis == 0) {
  const std::int64_t plane_bytes = cube_.shape().count() * bytes_of(cube_.file().format().type);
  ahead_ =
      !in_place_ && planes_.size() > 1 && plane_bytes <= ahead_bytes / 2 && cube_.file().stored() != Stored::in_memory;
}

PlaneWalk::~PlaneWalk() { stop_ = true; }

PlaneWalk::Pixels PlaneWalk::read(std::int64_t plane) const {
  const Progress progress({}, &stop_);
  Pixels pixels = cube_.pixels(plane, progress);
  if (coded(cube_.file())) return pixels;
  auto stored = std::make_shared<StoredPlane>(pixels->shape(), pixels->format());
  stored->fill(*pixels, progress);
  return stored;
}

/// Without a thread the plane is read when it is asked for.
void PlaneWalk::read_ahead() {
  if (in_place_ && at_ < planes_.size() && planes_[at_] >= 0 && planes_[at_] < cube_.planes())
    cube_.pixels(planes_[at_])->will_need(0, shape().ny);
  if (ahead_ && at_ < planes_.size()) reading_ = run_beside([this, plane = planes_[at_]] { return read(plane); });
}

std::optional<CubePlane> PlaneWalk::next(const Progress& progress) {
  progress.check();
  if (at_ >= planes_.size()) return std::nullopt;
  CubePlane plane;
  plane.plane = planes_[at_];
  if (ahead_ && !reading_.valid()) read_ahead();
  std::future<Pixels> reading = std::move(reading_);
  while (reading.valid() && reading.wait_for(kLook) == std::future_status::timeout) {
    try {
      progress.check();
    } catch (...) {
      stop_ = true;
      throw;
    }
  }
  ++at_;
  read_ahead();
  plane.pixels = reading.valid() ? reading.get() : cube_.pixels(plane.plane, progress);
  plane.header = cube_.header(plane.plane);
  return plane;
}

}  // namespace reber
