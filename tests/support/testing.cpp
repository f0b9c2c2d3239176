// SPDX-License-Identifier: BSD-3-Clause
// Helpers that every test uses.
#include "tests/support/testing.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numbers>

#include "core/files/image/image_file.hpp"
#include "kernels/backends.hpp"
#include "kernels/banded/backend.hpp"

namespace reber::testing {

::testing::AssertionResult close_images(const Image& got, const Image& expected, const std::vector<double>& bounds) {
  if (got.shape() != expected.shape()) return ::testing::AssertionFailure() << "shapes differ";
  const std::int64_t count = got.shape().count();
  double worst = 0;
  std::int64_t at = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = got.data()[i], reference = expected.data()[i];
    if (std::isnan(value) && std::isnan(reference)) continue;
    const double bound = bounds.size() == 1 ? bounds[0] : bounds[static_cast<std::size_t>(i)];
    const double error = std::abs(value - reference);
    if (!(error <= bound) && (at < 0 || !(error <= worst))) {
      worst = error;
      at = i;
    }
  }
  if (at < 0) return ::testing::AssertionSuccess();
  const double bound = bounds.size() == 1 ? bounds[0] : bounds[static_cast<std::size_t>(at)];
  return ::testing::AssertionFailure() << "pixel (y " << at / got.shape().nx << ", x " << at % got.shape().nx
                                       << "): got " << got.data()[at] << ", reference " << expected.data()[at]
                                       << ", error " << worst << ", bound " << bound;
}

::testing::AssertionResult same_bits(const Image& got, const Image& expected) {
  if (got.shape() != expected.shape()) return ::testing::AssertionFailure() << "shapes differ";
  for (std::int64_t i = 0; i < got.shape().count(); ++i) {
    const float a = got.data()[i], b = expected.data()[i];
    if (std::isnan(a) && std::isnan(b)) continue;
    if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b) && !(a == 0 && b == 0))
      return ::testing::AssertionFailure() << "pixel (y " << i / got.shape().nx << ", x " << i % got.shape().nx
                                           << "): " << a << " against " << b << ", difference " << a - b;
  }
  return ::testing::AssertionSuccess();
}

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Image random_image(Shape shape, double blank_fraction, std::uint64_t seed) {
  Random random(seed);
  Image image(shape);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float value = static_cast<float>(random.normal());
    if (random.uniform() < 0.002) value += static_cast<float>(200 * random.uniform());
    image.data()[i] = random.uniform() < blank_fraction ? std::nanf("") : value;
  }
  return image;
}

std::vector<std::string> tested_backends() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const BackendEntry& entry : backend_table()) {
      if (std::string(entry.name) == "reference") continue;
      if (entry.unavailable({}).empty()) found.emplace_back(entry.name);
    }
    found.emplace_back(kBanded);
    return found;
  }();
  return names;
}

Backend& backend(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Backend>> made;
  auto& slot = made[name];
  if (!slot) slot = fresh_backend(name);
  return *slot;
}

std::unique_ptr<Backend> fresh_backend(const std::string& name, const BackendOptions& options) {
  if (name != kBanded) return make_backend(name, options, LogSink{});
  std::vector<std::unique_ptr<Backend>> members;
  for (int k = 0; k < 3; ++k) members.push_back(make_backend("cpu", options, LogSink{}));
  return banded::make(std::move(members), {{3}, {2}, {4}}, LogSink{});
}

std::unique_ptr<Plane> load(Backend& backend, const Image& image, std::int64_t band_rows) {
  TilingPlan tiling;
  tiling.band_rows = image.shape().ny;
  if (band_rows > 0) {
    tiling.resident = false;
    tiling.band_rows = band_rows;
    tiling.streams = 2;
  }
  const auto source = memory_source(image.data(), image.shape());
  return backend.load(*source, tiling, Progress{});
}

Image store(Backend& backend, const Plane& plane) {
  Image image(plane.shape());
  backend.render_rows(MapKind::image, plane, nullptr, 0, plane.shape().ny, image.data());
  return image;
}

Image render(Backend& backend, MapKind kind, const Plane& plane, const BackgroundModel& background) {
  Image image(plane.shape());
  backend.render_rows(kind, plane, &background, 0, plane.shape().ny, image.data());
  return image;
}

std::vector<std::int32_t> labels_of(Backend& backend, const IslandMap& islands) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(islands.shape().count()));
  backend.label_rows(islands, 0, islands.shape().ny, labels.data());
  return labels;
}

std::string data_folder() {
  const char* given = std::getenv("REBER_TEST_DATA");
  return given != nullptr ? given : REBER_TEST_DATA_DIR;
}

bool have_data() {
  return !data_folder().empty() && std::filesystem::exists(data_folder() + "/fits_corpus/manifest.json");
}

std::string no_data() {
  return data_folder().empty() ? "no test data: REBER_TEST_DATA is empty" : "no test data at " + data_folder();
}

}  // namespace reber::testing
