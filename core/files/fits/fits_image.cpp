// SPDX-License-Identifier: BSD-3-Clause
// One plane of a FITS file.
#include "core/files/fits/fits_image.hpp"

#include <mutex>

#include "core/files/fits/fits_file.hpp"

namespace reber {

struct FitsImage::State {
  std::shared_ptr<const fits::FitsFile> file;
  ImageHeader header;
  mutable std::mutex decoding;
  mutable std::weak_ptr<const fits::DecodedPlane> decoded;
};

FitsImage::FitsImage() : state_(std::make_unique<State>()) {}
FitsImage::~FitsImage() = default;
FitsImage::FitsImage(FitsImage&&) noexcept = default;
FitsImage& FitsImage::operator=(FitsImage&&) noexcept = default;

FitsImage FitsImage::open(const std::string& path, const OpenOptions& options, const Progress& progress) {
  FitsImage image;
  image.state_->file = fits::FitsFile::open(path, options, fits::Planes::one, progress);
  image.state_->header = image.state_->file->header(options.plane.value_or(0));
  return image;
}

const ImageHeader& FitsImage::header() const { return state_->header; }

std::unique_ptr<PixelSource> FitsImage::pixels(const Progress& progress) const {
  const State& state = *state_;
  if (!state.file->compressed() || state.file->decodes_rows()) return state.file->pixels(state.header.plane, progress);
  const std::lock_guard<std::mutex> lock(state.decoding);
  auto plane = state.decoded.lock();
  if (!plane) state.decoded = plane = state.file->decode(state.header.plane, progress);
  return fits::decoded_source(std::move(plane));
}

bool FitsImage::in_memory() const {
  return (state_->file->compressed() && !state_->file->decodes_rows()) || state_->file->in_memory();
}

std::unique_ptr<fits::FileSums> FitsImage::sums() const { return state_->file->sums(); }

}  // namespace reber
