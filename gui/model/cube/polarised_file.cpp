// SPDX-License-Identifier: BSD-3-Clause
// Pixels of Q and U read together.
#include "gui/model/cube/polarised_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/rectangle_source.hpp"
#include "gui/model/image/file_levels.hpp"

namespace reber::gui {
namespace {

PixelFormat native_floats() {
  PixelFormat format;
  format.big_endian = std::endian::native == std::endian::big;
  return format;
}

class PolarisedPixels final : public PixelSource, public RectangleSource {
 public:
  PolarisedPixels(std::unique_ptr<PixelSource> q, std::unique_ptr<PixelSource> u, double variance)
      : q_(std::move(q)), u_(std::move(u)), variance_(variance) {}

  [[nodiscard]] Shape shape() const override { return q_->shape(); }
  [[nodiscard]] PixelFormat format() const override { return native_floats(); }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    read_rectangle({y0, 0, ny, shape().nx}, out);
  }
  void will_need(std::int64_t y0, std::int64_t ny) const override {
    q_->will_need(y0, ny);
    u_->will_need(y0, ny);
  }
  [[nodiscard]] const RectangleSource* rectangle_source() const override { return this; }
  void read_rectangle(const Rect& where, std::byte* out) const override {
    std::vector<float> q(static_cast<std::size_t>(where.ny * where.nx)), u(q.size());
    read_floats(*q_, where, q.data());
    read_floats(*u_, where, u.data());
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double a = static_cast<double>(q[i]), b = static_cast<double>(u[i]), square = a * a + b * b - variance_;
      // std::max would make a number of NaN.
      q[i] = square < 0 ? 0.0F : static_cast<float>(std::sqrt(square));
    }
    std::memcpy(out, q.data(), 4 * q.size());
  }

 private:
  std::unique_ptr<PixelSource> q_, u_;
  double variance_;
};

}  // namespace

double noise_of_either_sign(const PixelSource& pixels, const Progress& progress) {
  constexpr std::int64_t kRows = 128, kMost = 1 << 17;
  const Shape shape = pixels.shape();
  const std::int64_t rows = std::min(kRows, shape.ny), every = std::max<std::int64_t>(1, rows * shape.nx / kMost);
  std::vector<float> row(static_cast<std::size_t>(shape.nx)), sample;
  for (std::int64_t i = 0; i < rows; ++i) {
    progress.check();
    read_floats(pixels, {(2 * i + 1) * shape.ny / (2 * rows), 0, 1, shape.nx}, row.data());
    for (std::int64_t x = i % every; x < shape.nx; x += every)
      // Noise has no zeros: they stand for pixels that were never measured.
      if (const float v = row[static_cast<std::size_t>(x)]; std::isfinite(v) && v != 0) sample.push_back(v);
  }
  if (sample.empty()) return 0;
  const auto middle_of = [&sample] {
    const auto middle = sample.begin() + std::ssize(sample) / 2;
    std::ranges::nth_element(sample, middle);
    return *middle;
  };
  const float median = middle_of();
  for (float& v : sample) v = std::abs(v - median);
  return 1.4826 * static_cast<double>(middle_of());
}

PolarisedFile::PolarisedFile(std::shared_ptr<const ImageFile> file, std::shared_ptr<const CubeAxes> axes, bool debiased)
    : file_(std::move(file)), axes_(std::move(axes)), debiased_(debiased) {}

std::shared_ptr<const ImageFile> PolarisedFile::of(std::shared_ptr<const ImageFile> file, LinearPolarisation linear) {
  if (linear == LinearPolarisation::off) return file;
  const ImageHeader header = file->header(0);
  auto axes = CubeAxes::of(header, nullptr);
  if (!axes || !axes->q_and_u(0))
    throw InputError(fmt::format("{} has no Stokes Q and U, of which P is made", printable(header.path)));
  return std::shared_ptr<const ImageFile>(
      new PolarisedFile(std::move(file), std::move(axes), linear == LinearPolarisation::debiased));
}

PixelFormat PolarisedFile::format() const { return native_floats(); }

std::unique_ptr<PixelSource> PolarisedFile::pixels(std::int64_t plane, const Progress& progress) const {
  if (plane < 0 || plane >= planes()) return file_->pixels(plane, progress);  // which says so
  const auto [q_plane, u_plane] = *axes_->q_and_u(plane);
  auto q = file_->pixels(q_plane, progress), u = file_->pixels(u_plane, progress);
  const double variance =
      debiased_ ? 0.5 * (variance_of(q_plane, *q, progress) + variance_of(u_plane, *u, progress)) : 0;
  return std::make_unique<PolarisedPixels>(std::move(q), std::move(u), variance);
}

double PolarisedFile::variance_of(std::int64_t plane, const PixelSource& pixels, const Progress& progress) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = variances_.find(plane); found != variances_.end()) return found->second;
  }
  const double sigma = noise_of_either_sign(pixels, progress);
  const std::lock_guard lock(mutex_);
  return variances_[plane] = sigma * sigma;
}

}  // namespace reber::gui
