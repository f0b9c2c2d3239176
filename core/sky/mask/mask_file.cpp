// SPDX-License-Identifier: BSD-3-Clause
// Through the readers and writers of images, so that every layout they know is one that masks may have.
#include "core/sky/mask/mask_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/sky/mask/region_mask.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

/// The first plane where there are several.
ImagePlane open_first(const std::string& path, const Progress& progress) {
  try {
    return ImagePlane::open(path, {}, progress);
  } catch (const InputError&) {
    OpenOptions first;
    first.plane = 0;
    return ImagePlane::open(path, first, progress);
  }
}

std::vector<float> floats_of(const PixelSource& source) {
  const Shape shape = source.shape();
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.nx * bytes_of(source.format().type)));
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    source.read_rows(y, 1, raw.data());
    decode_floats(raw.data(), shape.nx, source.format(), pixels.data() + y * shape.nx);
  }
  return pixels;
}

/// An image, or a list of regions? Folders are images of CASA's.
bool is_image(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return true;
  std::string name = path;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* ending : {".fits", ".fit", ".fts", ".fz", ".gz", ".bz2"})
    if (name.ends_with(ending)) return true;
  return fits::read_start(path, 6) == "SIMPLE";
}

/// The header with axes of length 1 up to the fourth.
ImageHeader with_four_axes(ImageHeader header) {
  const auto has = [&](const char* name) {
    return std::ranges::any_of(header.cards, [&](const std::string& card) {
      return card.starts_with("CTYPE") && card.find(name) != std::string::npos;
    });
  };
  const double frequency = header.wcs.frequency_hz();
  bool stokes = has("STOKES"), spectral = has("FREQ");
  while (header.axes.size() < 4) {
    header.axes.push_back(1);
    const std::size_t axis = header.axes.size();
    const bool second = stokes && !spectral;
    const auto add = [&](const char* key, double value) {
      header.cards.push_back(fits::make_card(fmt::format("{}{}", key, axis), value));
    };
    header.cards.push_back(fits::make_text_card(fmt::format("CTYPE{}", axis), second ? "FREQ" : "STOKES"));
    add("CRPIX", 1);
    add("CDELT", 1);
    add("CRVAL", second && std::isfinite(frequency) ? frequency : 1);
    if (second) header.cards.push_back(fits::make_text_card(fmt::format("CUNIT{}", axis), "Hz"));
    (second ? spectral : stokes) = true;
  }
  return header;
}

}  // namespace

MaskFile read_mask(const std::string& path, const Progress& progress) {
  const ImagePlane image = open_first(path, progress);
  const std::vector<float> pixels = floats_of(*image.pixels(progress));
  MaskFile file{image.header(), Mask(image.header().shape), true};
  for (const float value : pixels) {
    if (!std::isfinite(value)) continue;
    if (std::abs(value) >= 2147483648.0f)
      throw DataError(fmt::format("{}: {} is no number of an island", printable(path), value));
    file.whole = file.whole && value == std::floor(value) && value >= 0;
  }
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (std::isfinite(pixels[i]) && pixels[i] != 0)
      file.mask.pixels[i] = file.whole ? static_cast<std::int32_t>(pixels[i]) : 1;
  return file;
}

Mask mask_for(const std::string& path, const ImageHeader& image, const std::function<void(const std::string&)>& warn,
              const Progress& progress) {
  if (!is_image(path)) return mask_of(read_regions(path, image.wcs, warn, progress), image.shape, warn, progress);
  MaskFile file = read_mask(path, progress);
  if (file.mask.shape != image.shape)
    throw InputError(fmt::format("{}: the mask is {} x {} pixels, the image {} x {}; they must be of one size",
                                 printable(path), file.mask.shape.nx, file.mask.shape.ny, image.shape.nx,
                                 image.shape.ny));
  return std::move(file.mask);
}

Mask mask_on(const MaskFile& from, const ImageHeader& image, const Progress& progress) {
  for (const ImageHeader* header : {&from.header, &image})
    if (!header->wcs.celestial())
      throw InputError(
          fmt::format("{}: no sky positions to put a mask by: {}", printable(header->path), header->wcs.why_not()));
  Mask mask(image.shape);
  ThreadPool pool(image.shape.count() > (1 << 16) ? 0 : 1);
  // WCSLIB writes into its structures.
  const std::vector<Wcs> to_sky(static_cast<std::size_t>(pool.threads()), image.wcs);
  const std::vector<Wcs> to_pixel(static_cast<std::size_t>(pool.threads()), from.header.wcs);
  const Shape shape = from.mask.shape;
  pool.for_each_worker(image.shape.ny, [&](std::int64_t y, int worker) {
    progress.check();
    for (std::int64_t x = 0; x < image.shape.nx; ++x) {
      const auto k = static_cast<std::size_t>(worker);
      const auto sky = to_sky[k].to_sky(static_cast<double>(x), static_cast<double>(y));
      const auto place = sky ? to_pixel[k].to_pixel(*sky) : std::nullopt;
      if (!place || !(std::abs(place->x) < 1e15) || !(std::abs(place->y) < 1e15)) continue;
      const std::int64_t at_x = std::llround(place->x), at_y = std::llround(place->y);
      const bool there = at_x >= 0 && at_y >= 0 && at_x < shape.nx && at_y < shape.ny;
      if (there && from.mask.at(at_y, at_x) != 0) mask.pixels[static_cast<std::size_t>(y * image.shape.nx + x)] = 1;
    }
  });
  return mask;
}

void write_plane_like(const std::vector<float>& pixels, const MaskOutput& output, const std::string& path,
                      const Progress& progress) {
  OutputHeader header;
  header.unit = output.unit;
  header.history = output.history;
  const std::int64_t nx = output.like.shape.nx;
  const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    std::copy_n(pixels.begin() + y0 * nx, ny * nx, out);
  };
  if (output.axes == MaskAxes::two || (output.axes == MaskAxes::keep && output.like.axes.size() == 2)) {
    header.like = &output.like;
    write_fits(path, output.like.shape, header, rows, output.overwrite, progress);
    return;
  }
  const ImageHeader like = output.axes == MaskAxes::four ? with_four_axes(output.like) : output.like;
  header.like = &like;
  CubeWriter writer(path, header, {}, output.overwrite);
  for (std::int64_t plane = 0; plane < like.planes; ++plane) writer.write_plane(plane, rows, progress);
  writer.finish();
}

void write_mask(const Mask& mask, const MaskOutput& output, const std::string& path, const Progress& progress) {
  constexpr std::int32_t kMost = 1 << 24;
  if (mask.largest() > kMost)
    throw InputError(
        fmt::format("{} islands are more than a mask of floats can number: make it binary", mask.largest()));
  std::vector<float> pixels(mask.pixels.size());
  std::ranges::transform(mask.pixels, pixels.begin(), [](std::int32_t pixel) { return static_cast<float>(pixel); });
  write_plane_like(pixels, output, path, progress);
}

}  // namespace reber
