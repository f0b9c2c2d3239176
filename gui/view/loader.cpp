// SPDX-License-Identifier: BSD-3-Clause
// Brings the pixels of a document to the screen.
#include "gui/view/loader.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/first_limits.hpp"

namespace reber::gui {
namespace {

/// A cube without a chosen plane shows its first.
ImagePlane open_image(const std::string& path, const OpenOptions& options, const Progress& progress) {
  OpenOptions first = options;
  if (!first.plane) first.plane = 0;
  return ImagePlane::open(path, first, progress);
}

LoadedPixels sampled(std::shared_ptr<const Pyramid> pixels, bool whole) {
  std::vector<float> sample = sorted_sample(*pixels);
  return {std::move(pixels), std::move(sample), whole};
}

}  // namespace

Loader::Loader(std::function<void()> changed)
    : changed_(changed), early_(std::make_shared<Early>()), slot_(std::move(changed)) {}

void Loader::start(const std::string& path, const OpenOptions& open, const LoadMemory& memory, bool hold) {
  std::uint64_t load = 0;
  {
    const std::lock_guard lock(early_->mutex);
    load = ++early_->load;
    early_->held = hold;
    early_->header.reset();
    early_->preview = {};
  }
  slot_.start([path, open, memory, load, early = early_, changed = changed_](const Progress& progress) {
    const auto tell = [&](auto member, auto value) {
      {
        const std::lock_guard lock(early->mutex);
        if (early->load != load) return;
        (*early).*member = std::move(value);
      }
      changed();
    };
    constexpr std::int64_t kPreviewSide = 1024;
    const ImagePlane image = open_image(path, open, progress);
    tell(&Early::header, std::make_shared<const ImageHeader>(image.header()));
    const Pyramid::Large large{memory.cache, memory.cache.place_of(path, image.header().hdu, image.header().plane), {}};
    const auto source = image.pixels(progress);
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
