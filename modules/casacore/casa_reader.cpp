// SPDX-License-Identifier: BSD-3-Clause
// CASA's images by casacore. Coordinates, beam and observation become FITS keywords by casacore's own conversion.
#include "modules/casacore/casa_reader.hpp"

#include <casacore/casa/Arrays/Array.h>
#include <casacore/casa/Arrays/Matrix.h>
#include <casacore/casa/Arrays/Slicer.h>
#include <casacore/casa/Arrays/Vector.h>
#include <casacore/casa/Containers/Record.h>
#include <casacore/casa/version.h>
#include <casacore/coordinates/Coordinates/CoordinateSystem.h>
#include <casacore/images/Images/ImageInfo.h>
#include <casacore/images/Images/PagedImage.h>
#include <casacore/tables/Tables/Table.h>
#include <casacore/tables/Tables/TableDesc.h>
#include <casacore/tables/Tables/TableLock.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <stdexcept>

namespace reber {
namespace {

namespace cc = casacore;

constexpr const char* kColumn = "map";  // of the pixels

/// Without locks: an image that is only read needs none, and its folder may be one that nobody may write to.
cc::Table open_table(const std::string& path) {
  const cc::Table table(path, cc::TableLock(cc::TableLock::NoLocking), cc::Table::Old);
  if (!table.tableDesc().isColumn(kColumn) || table.nrow() < 1)
    throw std::runtime_error("a CASA table that holds no image");
  return table;
}

cc::DataType pixel_type(const cc::Table& table) {
  const cc::DataType type = table.tableDesc().columnDesc(kColumn).dataType();
  if (type == cc::TpComplex || type == cc::TpDComplex)
    throw std::runtime_error(
        "its pixels are complex numbers: write their real part or amplitude as an image of its own first");
  if (type != cc::TpFloat && type != cc::TpDouble)
    throw std::runtime_error("its pixels are neither floats nor doubles");
  return type;
}

std::string upper(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

/// One value of a record as a card.
void put(CardSink& cards, const std::string& keyword, double value) { cards.number(keyword, value); }
void put(CardSink& cards, const std::string& keyword, cc::Int value) { cards.integer(keyword, value); }
void put(CardSink& cards, const std::string& keyword, cc::Bool value) { cards.logical(keyword, value); }
void put(CardSink& cards, const std::string& keyword, const cc::String& value) {
  const std::size_t end = value.find_last_not_of(' ');
  cards.text(keyword, end == std::string::npos ? "" : value.substr(0, end + 1));
}

/// A vector is numbered from 1, a matrix by row and column.
template <class T>
void put_all(CardSink& cards, const std::string& keyword, const cc::Array<T>& values) {
  if (values.ndim() == 2) {
    const cc::Matrix<T> matrix(values);
    for (std::size_t i = 0; i < matrix.nrow(); ++i)
      for (std::size_t j = 0; j < matrix.ncolumn(); ++j)
        put(cards, keyword + std::to_string(i + 1) + "_" + std::to_string(j + 1), matrix(i, j));
    return;
  }
  std::size_t i = 0;
  for (const T& value : values) put(cards, keyword + std::to_string(++i), value);
}

void put_record(CardSink& cards, const cc::Record& record) {
  for (cc::uInt i = 0; i < record.nfields(); ++i) {
    const std::string keyword = upper(record.name(i));
    switch (record.type(i)) {
      case cc::TpDouble:
      case cc::TpFloat:
        put(cards, keyword, record.asDouble(i));
        break;
      case cc::TpInt:
        put(cards, keyword, record.asInt(i));
        break;
      case cc::TpBool:
        put(cards, keyword, record.asBool(i));
        break;
      case cc::TpString:
        put(cards, keyword, record.asString(i));
        break;
      case cc::TpArrayDouble:
        put_all(cards, keyword, record.asArrayDouble(i));
        break;
      case cc::TpArrayInt:
        put_all(cards, keyword, record.asArrayInt(i));
        break;
      case cc::TpArrayString:
        put_all(cards, keyword, record.asArrayString(i));
        break;
      default:
        break;
    }
  }
}

std::vector<ForeignBeam> beams_of(const cc::ImageInfo& info) {
  std::vector<ForeignBeam> beams;
  if (!info.hasMultipleBeams()) return beams;
  for (cc::uInt channel = 0; channel < info.nChannels(); ++channel)
    for (cc::uInt stokes = 0; stokes < info.nStokes(); ++stokes) {
      const cc::GaussianBeam beam = info.restoringBeam(static_cast<cc::Int>(channel), static_cast<cc::Int>(stokes));
      beams.push_back({channel, stokes, beam.getMajor("deg"), beam.getMinor("deg"), beam.getPA("deg", false)});
    }
  return beams;
}

template <class T>
ForeignImage describe_as(cc::Table& table, CardSink& cards) {
  const cc::PagedImage<T> image(table);
  cc::IPosition shape = image.shape();
  cc::Record record;
  // Frequencies, as CASA exports them, in place of velocities.
  if (!image.coordinates().toFITSHeader(record, shape, true, 'c', true, false, false))
    throw std::runtime_error("casacore has no FITS header for its coordinates");
  cc::String error;
  if (!image.imageInfo().toFITS(error, record)) throw std::runtime_error("its beam has no FITS form: " + error);
  put(cards, "BUNIT", image.units().getName());
  put_record(cards, record);
  // Keywords of a FITS file that casacore had no other place for; its sums are no longer right.
  cc::Record more(image.miscInfo());
  for (const char* sum : {"checksum", "datasum"})
    if (more.isDefined(sum)) more.removeField(sum);
  for (cc::uInt i = 0; i < record.nfields(); ++i)
    if (more.isDefined(record.name(i))) more.removeField(record.name(i));
  put_record(cards, more);
  ForeignImage found;
  found.kind = "CASA image";
  found.bitpix = std::is_same<T, cc::Double>::value ? -64 : -32;
  found.axes.assign(shape.begin(), shape.end());  // with those that FITS needs and the image lacks
  found.beams = beams_of(image.imageInfo());
  return found;
}

template <class T>
void read_as(cc::Table& table, const ForeignBox& box, void* out) {
  cc::PagedImage<T> image(table);
  const std::size_t axes = image.ndim();
  if (axes > box.first.size()) throw std::runtime_error("it has other axes than before");
  cc::IPosition first(axes), count(axes);
  for (std::size_t i = 0; i < axes; ++i) first(i) = box.first[i], count(i) = box.count[i];
  const cc::Slicer where(first, count);
  T* const pixels = static_cast<T*>(out);
  cc::Array<T> values(count, pixels, cc::SHARE);
  image.getSlice(values, where);
  if (values.data() != pixels) std::copy(values.begin(), values.end(), pixels);
  if (!image.isMasked()) return;
  cc::Array<cc::Bool> mask;
  image.getMaskSlice(mask, where);
  T* pixel = pixels;
  for (const cc::Bool good : mask) {
    if (!good) *pixel = std::numeric_limits<T>::quiet_NaN();
    ++pixel;
  }
}

class CasaReader final : public ForeignReader {
 public:
  [[nodiscard]] std::string name() const override { return std::string("casacore ") + cc::getVersion(); }

  [[nodiscard]] ForeignImage describe(const std::string& path, int, CardSink& cards,
                                      const std::function<void()>&) const override {
    cc::Table table = open_table(path);
    return pixel_type(table) == cc::TpFloat ? describe_as<cc::Float>(table, cards)
                                            : describe_as<cc::Double>(table, cards);
  }
  void read(const std::string& path, int, const ForeignBox& box, void* out,
            const std::function<void()>&) const override {
    cc::Table table = open_table(path);
    return pixel_type(table) == cc::TpFloat ? read_as<cc::Float>(table, box, out)
                                            : read_as<cc::Double>(table, box, out);
  }
};

}  // namespace
}  // namespace reber

const reber::ForeignReader* reber_reader() {
  static const reber::CasaReader reader;
  return &reader;
}
