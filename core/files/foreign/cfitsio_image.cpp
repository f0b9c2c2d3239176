// SPDX-License-Identifier: BSD-3-Clause
// Nothing was checked beforehand: what CFITSIO makes of a hostile header is up to the cage.
#include "core/files/foreign/cfitsio_image.hpp"

#include <fitsio.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "core/base/error.hpp"
#include "core/files/fits/caged_children.hpp"
#include "core/files/fits/cfitsio_status.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/foreign/foreign_file.hpp"

namespace reber {
namespace {

/// Open, in a child that opens nothing else from here on.
class OpenFile {
 public:
  OpenFile(const std::string& path, const std::function<void()>& opened) {
    int status = 0;
    errno = 0;
    fits_open_diskfile(&file_, path.c_str(), READONLY, &status);
    if (status == FILE_NOT_OPENED && errno != 0) throw fits::NotOpened{errno};
    fits::check_cfitsio(status);
    opened();
  }
  ~OpenFile() {
    int status = 0;
    fits_close_file(file_, &status);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Goes to an HDU, the first with an image of two axes where it is negative.   returns its number
  int go_to(int hdu) {
    int count = 0, status = 0;
    fits_get_num_hdus(file_, &count, &status);
    fits::check_cfitsio(status);
    if (hdu >= count) throw DataError(fmt::format("it has no HDU {}", hdu));
    for (int i = std::max(hdu, 0); i < count; ++i) {
      int type = 0, axes = 0;
      fits_movabs_hdu(file_, i + 1, &type, &status);
      if (status == 0 && (type == IMAGE_HDU || fits_is_compressed_image(file_, &status) != 0))
        fits_get_img_dim(file_, &axes, &status);
      fits::check_cfitsio(status);
      if (axes >= 2) return i;
      if (hdu >= 0) break;
    }
    throw DataError("it has no image there");
  }
  [[nodiscard]] fitsfile* get() const { return file_; }

 private:
  fitsfile* file_ = nullptr;
};

/// As they would stand if the image were not compressed.
void pass_cards(fitsfile* file, CardSink& cards) {
  char* text = nullptr;
  int count = 0, status = 0;
  fits_convert_hdr2str(file, 0, nullptr, 0, &text, &count, &status);
  fits::check_cfitsio(status);
  const std::string all(text);
  fits_free_memory(text, &status);
  for (std::size_t at = 0; at + fits::kCardBytes <= all.size(); at += fits::kCardBytes)
    if (all.compare(at, 8, "END     ") != 0) cards.card(all.substr(at, fits::kCardBytes));
}

class Cfitsio final : public ForeignReader {
 public:
  [[nodiscard]] std::string name() const override {
    float version = 0;
    return fmt::format("CFITSIO {:.2f}", fits_get_version(&version));
  }

  [[nodiscard]] ForeignImage describe(const std::string& path, int hdu, CardSink& cards,
                                      const std::function<void()>& opened) const override {
    OpenFile file(path, opened);
    ForeignImage found;
    found.hdu = file.go_to(hdu);
    int axes = 0, status = 0;
    std::array<LONGLONG, fits::kMaxAxes> size{};
    fits_get_img_paramll(file.get(), fits::kMaxAxes, &found.bitpix, &axes, size.data(), &status);
    fits::check_cfitsio(status);
    if (axes > fits::kMaxAxes)
      throw DataError(fmt::format("NAXIS={}, and {} are read at the most", axes, fits::kMaxAxes));
    found.axes.assign(size.begin(), size.begin() + axes);
    found.kind = fits_is_compressed_image(file.get(), &status) != 0 ? "compressed image" : "image";
    pass_cards(file.get(), cards);
    return found;
  }

  void read(const std::string& path, int hdu, const ForeignBox& box, void* out,
            const std::function<void()>& opened) const override {
    OpenFile file(path, opened);
    file.go_to(hdu);
    std::vector<long> low, high, step(box.first.size(), 1);
    for (std::size_t i = 0; i < box.first.size(); ++i) {
      low.push_back(box.first[i] + 1);
      high.push_back(box.first[i] + box.count[i]);
    }
    int bitpix = 0, status = 0, any = 0;
    fits_get_img_type(file.get(), &bitpix, &status);
    const bool single = bitpix == FLOAT_IMG;
    float float_blank = std::numeric_limits<float>::quiet_NaN();
    double double_blank = std::numeric_limits<double>::quiet_NaN();
    void* const blank = single ? static_cast<void*>(&float_blank) : &double_blank;
    fits_read_subset(file.get(), single ? TFLOAT : TDOUBLE, low.data(), high.data(), step.data(), blank, out, &any,
                     &status);
    fits::check_cfitsio(status);
  }
};

const Cfitsio& library() {
  static const Cfitsio reader;
  return reader;
}

}  // namespace

std::string cfitsio_name() { return library().name(); }

std::shared_ptr<const ImageFile> open_by_cfitsio(const std::string& path, const OpenOptions& options, Planes planes,
                                                 const Progress& progress) {
  ForeignSource source{library(), "", path, fits::open_plain(path)};
  // CFITSIO knows such files by their names alone.
  if (path.ends_with(".Z")) {
    source.bytes = nullptr;
    source.place = std::filesystem::absolute(path).string();
  }
  source.most_pixel_bytes = source.library_bytes = options.max_inflated_bytes;
  return open_foreign(std::move(source), options, planes, progress);
}

}  // namespace reber
