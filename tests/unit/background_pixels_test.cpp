// SPDX-License-Identifier: BSD-3-Clause
// A frame of blank pixels moves no cell of the mesh: background and noise are the same to the bit.
#include "core/measure/background/background_pixels.hpp"

#include <limits>

#include "core/measure/background/padding.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

/// `like` in a frame: rows before and behind it, columns likewise.
Image framed(const Image& like, std::int64_t above, std::int64_t below, std::int64_t left, std::int64_t right) {
  const auto [ny, nx] = like.shape();
  Image image({above + ny + below, left + nx + right});
  for (std::int64_t y = 0; y < image.shape().ny; ++y)
    for (std::int64_t x = 0; x < image.shape().nx; ++x) {
      const std::int64_t v = y - above, u = x - left;
      image.at(y, x) = v >= 0 && v < ny && u >= 0 && u < nx ? like.at(v, u) : kBlank;
    }
  return image;
}

Image noise(Shape shape) {
  Image image(shape);
  Random random(7);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image.at(y, x) = static_cast<float>(random.normal());
  return image;
}

TEST(BackgroundPixels, is_the_least_rectangle_of_finite_pixels) {
  const Image inner = noise({30, 41});
  Image corner({40, 50}), none({9, 8});
  for (auto* image : {&corner, &none})
    for (std::int64_t y = 0; y < image->shape().ny; ++y)
      for (std::int64_t x = 0; x < image->shape().nx; ++x) image->at(y, x) = kBlank;
  corner.at(17, 3) = 1, corner.at(22, 44) = 1;  // on none of the rows that are looked at first
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto part = [&](const Image& image) { return BackgroundPixels{tested, *load(tested, image), {}}.part(); };
    EXPECT_EQ(part(inner), (Rect{0, 0, 30, 41}));
    EXPECT_EQ(part(framed(inner, 3, 0, 5, 11)), (Rect{3, 5, 30, 41}));
    EXPECT_EQ(part(framed(inner, 0, 100, 0, 1)), (Rect{0, 0, 30, 41}));
    EXPECT_EQ(part(corner), (Rect{17, 3, 6, 42}));
    EXPECT_EQ(part(none), (Rect{0, 0, 9, 8}));
  }
}

TEST(BackgroundPixels, a_frame_changes_no_bit_of_background_and_noise) {
  Image image = noise({300, 411});
  for (std::int64_t y = 0; y < 300; ++y)
    for (std::int64_t x = 0; x < 411; ++x)
      image.at(y, x) =
          image.at(y, x) * (1 + 3e-5F * static_cast<float>((x - 200) * (x - 200))) + 0.01F * static_cast<float>(y);
  const Image in_frame = framed(image, 37, 16, 48, 7);
  for (const std::string& name : tested_backends())
    for (const auto method : {BackgroundRequest::Method::mesh, BackgroundRequest::Method::grid}) {
      BackgroundRequest request;
      request.method = method;
      Backend& tested = backend(name);
      const auto before = load(tested, image), after = load(tested, in_frame);
      const BackgroundModel a = measure_background(tested, *before, request, 5, {}).model,
                            b = measure_background(tested, *after, request, 5, {}).model;
      EXPECT_EQ(a.rms, b.rms) << name;
      EXPECT_EQ(a.mean, b.mean) << name;
      for (const MapKind kind : {MapKind::mean, MapKind::rms}) {
        const Image whole = render(tested, kind, *before, a), part = render(tested, kind, *after, b);
        std::int64_t off = 0;
        for (std::int64_t y = 0; y < 300; ++y)
          for (std::int64_t x = 0; x < 411; ++x)
            off += !(std::abs(part.at(y + 37, x + 48) / whole.at(y, x) - 1) < 1e-6);
        EXPECT_EQ(off, 0) << name;
      }
    }
}

TEST(BackgroundPixels, padding_is_found_in_a_frame) {
  Image image = noise({200, 200});
  for (std::int64_t y = 0; y < 200; ++y)
    for (std::int64_t x = 0; x < 200; ++x)
      if (y < 30 || x > 170) image.at(y, x) = 0;
  Backend& cpu = backend("cpu");
  const auto unpadded = without_padding(cpu, load(cpu, framed(image, 5, 5, 5, 5)), -32, {});
  EXPECT_EQ(unpadded.plane->blank(), 210 * 210 - 170 * 171);
}

}  // namespace
}  // namespace reber::testing
