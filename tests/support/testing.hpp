// SPDX-License-Identifier: BSD-3-Clause
// Helpers that every test uses: comparison where NaN fails, seeded images, the backends at hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "core/sky/model/image.hpp"

namespace reber::testing {

/// Compares shape, pattern of blanks, then `!(error <= bound)` for each pixel; prints the worst one. bounds: one a
/// pixel, or one for all.
::testing::AssertionResult close_images(const Image& got, const Image& expected, const std::vector<double>& bounds);

/// Bit for bit, NaN equal to NaN.
::testing::AssertionResult same_bits(const Image& got, const Image& expected);

/// Noise of unit rms with a few bright pixels; blank_fraction of the pixels blank. Depends on the seed alone.
Image random_image(Shape shape, double blank_fraction, std::uint64_t seed);

/// Numbers in [0, 1), splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();
  double normal();

 private:
  std::uint64_t state_;
};

/// One image over three cpu backends, as over cards: how bands are joined is proved without a card.
inline constexpr const char* kBanded = "banded";

/// Names of the backends to hold against the reference: cpu, cuda where a card is present, and kBanded. With
/// REBER_REQUIRE_CUDA=1 in the environment a missing card is an error, not a shorter list.
std::vector<std::string> tested_backends();

/// A backend of that name, made once a process.
Backend& backend(const std::string& name);
/// A new one.
std::unique_ptr<Backend> fresh_backend(const std::string& name, const BackendOptions& options = {});

std::unique_ptr<Plane> load(Backend& backend, const Image& image, std::int64_t band_rows = 0);
Image store(Backend& backend, const Plane& plane);
Image render(Backend& backend, MapKind kind, const Plane& plane, const BackgroundModel& background);
std::vector<std::int32_t> labels_of(Backend& backend, const IslandMap& islands);

/// Folder of real images and odd FITS files; REBER_TEST_DATA in the environment overrides the configured one.
std::string data_folder();
bool have_data();
/// Why a test without that folder is skipped.
std::string no_data();

}  // namespace reber::testing
