// SPDX-License-Identifier: BSD-3-Clause
// Makes a CASA image of a FITS file, by casacore:   casa_maker FITS IMAGE float|double|complex
#include <casacore/casa/Arrays/Array.h>
#include <casacore/casa/Arrays/ArrayMath.h>
#include <casacore/images/Images/ImageFITSConverter.h>
#include <casacore/images/Images/PagedImage.h>
#include <casacore/images/Regions/RegionHandler.h>

#include <iostream>
#include <memory>
#include <string>

namespace {

namespace cc = casacore;

template <class T>
void make_of(const cc::ImageInterface<float>& from, const std::string& path) {
  cc::PagedImage<T> image(cc::TiledShape(from.shape()), from.coordinates(), path);
  cc::Array<T> pixels(from.shape());
  const cc::Array<float> floats = from.get();
  auto to = pixels.begin();
  for (const float value : floats) *to = T(value), ++to;
  image.put(pixels);
  image.setUnits(from.units());
  image.setImageInfo(from.imageInfo());
  image.setMiscInfo(from.miscInfo());
  if (!from.isMasked()) return;
  image.makeMask("good", true, true);
  image.pixelMask().put(from.getMask());
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const std::string kind = words[3];
  try {
    cc::ImageInterface<float>* made = nullptr;
    cc::String error;
    const std::string whole = kind == "float" ? words[2] : "";
    if (!cc::ImageFITSConverter::FITSToImage(made, error, whole, words[1])) throw std::runtime_error(error);
    const std::unique_ptr<cc::ImageInterface<float>> image(made);
    if (kind == "double") make_of<double>(*image, words[2]);
    if (kind == "complex") make_of<cc::Complex>(*image, words[2]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
