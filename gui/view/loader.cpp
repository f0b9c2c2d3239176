// SPDX-License-Identifier: BSD-3-Clause
// Brings the pixels of a document to the screen.
#include "gui/view/loader.hpp"

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/cube/polarised_file.hpp"
#include "gui/model/first_limits.hpp"

namespace reber::gui {
namespace {

LoadedPixels sampled(std::shared_ptr<const Pyramid> pixels, bool whole) {
  std::vector<float> sample = sorted_sample(*pixels);
  return {std::move(pixels), std::move(sample), whole};
}

}  // namespace

Loader::Loader(std::function<void()> changed)
    : changed_(changed),
      early_(std::make_shared<Early>()),
      cube_(std::make_shared<OpenCube>()),
      slot_(std::move(changed)) {}

std::shared_ptr<const ImageFile> Loader::open(OpenCube& cube, const std::string& path, OpenOptions options,
                                              LinearPolarisation linear, const Progress& progress) {
  options.plane.reset();
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  if (cube.file && cube.path == path && cube.options == options && cube.linear == linear && cube.time == time)
    return cube.file;
  cube = {};
  auto file = PolarisedFile::of(open_image_file(path, options, Planes::many, progress), linear);
  if (file->planes() > 1) cube = {path, options, linear, time, file};
  return file;
}

void Loader::start(const std::string& path, const OpenOptions& open, LinearPolarisation linear,
                   const LoadMemory& memory, bool hold) {
  std::uint64_t load = 0;
  {
    const std::lock_guard lock(early_->mutex);
    load = ++early_->load;
    early_->held = hold;
    early_->header.reset();
    early_->preview = {};
  }
  slot_.start(
      [path, open, linear, memory, load, early = early_, cube = cube_, changed = changed_](const Progress& progress) {
        const auto tell = [&](auto member, auto value) {
          {
            const std::lock_guard lock(early->mutex);
            if (early->load != load) return;
            (*early).*member = std::move(value);
          }
          changed();
        };
        constexpr std::int64_t kPreviewSide = 1024;
        const auto file = Loader::open(*cube, path, open, linear, progress);
        const std::int64_t plane = open.plane.value_or(0);  // a cube without a chosen plane shows its first
        const auto header = std::make_shared<const ImageHeader>(file->header(plane));
        tell(&Early::header, std::shared_ptr<const ImageHeader>(header));
        // Levels of polarised intensities are kept behind those of all planes.
        const std::int64_t kept_as = header->plane + static_cast<std::int64_t>(linear) * header->planes;
        const Pyramid::Large large{memory.cache, memory.cache.place_of(path, header->hdu, kept_as), {}};
        const auto source = pixels_of(file, plane, progress);
        progress.check();
        if (source->shape().count() > 4 * kPreviewSide * kPreviewSide) {
          const bool stays = 4 * source->shape().count() > memory.most_bytes;
          tell(&Early::preview,
               sampled(stays ? Pyramid::preview_of_file(source, kPreviewSide) : Pyramid::preview(*source, kPreviewSide),
                       false));
          while (early->held) {
            progress.check();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }
        return sampled(Pyramid::load(source, memory.most_bytes, progress, large), true);
      });
}

void Loader::cancel() { slot_.cancel(); }

bool Loader::take(std::shared_ptr<const ImageHeader>& header, LoadedPixels& pixels) {
  bool news = false;
  {
    const std::lock_guard lock(early_->mutex);
    if (early_->header) {
      header = std::exchange(early_->header, nullptr);
      news = true;
    }
    if (early_->preview.pixels) {
      pixels = std::exchange(early_->preview, {});
      news = true;
    }
  }
  if (auto whole = slot_.take()) {
    pixels = std::move(*whole);
    news = true;
  }
  return news;
}

}  // namespace reber::gui
