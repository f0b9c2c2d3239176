// SPDX-License-Identifier: BSD-3-Clause
// The viewer's readouts against WCSLIB alone: the header as CFITSIO hands it over, nothing of ours between.
#include <fitsio.h>
#include <gtest/gtest.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/image/readout.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/sky_rows.hpp"

namespace reber::gui {
namespace {

/// The first image of a file that has a celestial system.
class WcslibSystem {
 public:
  explicit WcslibSystem(const std::string& path) {
    int status = 0, hdus = 0;
    fitsfile* file = nullptr;
    if (fits_open_diskfile(&file, path.c_str(), READONLY, &status) != 0) return;
    fits_get_num_hdus(file, &hdus, &status);
    for (int hdu = 1; hdu <= hdus && !found(); ++hdu) {
      int kind = 0;
      status = 0;
      if (fits_movabs_hdu(file, hdu, &kind, &status) == 0 && kind == IMAGE_HDU) take(file);
    }
    status = 0;
    fits_close_file(file, &status);
  }
  ~WcslibSystem() { wcsvfree(&count_, &all_); }
  WcslibSystem(const WcslibSystem&) = delete;
  WcslibSystem& operator=(const WcslibSystem&) = delete;

  [[nodiscard]] bool found() const { return all_ != nullptr; }

  /// Degrees, of a 0-based place on the plane of the two celestial axes; planes of other axes are their first.
  [[nodiscard]] std::optional<SkyPosition> operator()(double x, double y) const {
    std::vector<double> pixel(static_cast<std::size_t>(all_->naxis), 1.0), world(pixel.size()), middle(pixel.size());
    pixel[static_cast<std::size_t>(std::min(all_->lng, all_->lat))] = x + 1;
    pixel[static_cast<std::size_t>(std::max(all_->lng, all_->lat))] = y + 1;
    double phi = 0, theta = 0;
    int outcome = 0;
    if (wcsp2s(all_, 1, all_->naxis, pixel.data(), middle.data(), &phi, &theta, world.data(), &outcome) != 0)
      return std::nullopt;
    return SkyPosition{world[static_cast<std::size_t>(all_->lng)], world[static_cast<std::size_t>(all_->lat)]};
  }

 private:
  void take(fitsfile* file) {
    int status = 0, cards = 0, rejected = 0;
    char* header = nullptr;
    if (fits_convert_hdr2str(file, 1, nullptr, 0, &header, &cards, &status) != 0) return;
    wcspih(header, cards, WCSHDR_all, 0, &rejected, &count_, &all_);
    status = 0;
    fits_free_memory(header, &status);
    if (all_ == nullptr) return;
    // Units such as HZ are put right, as WCSLIB's manual advises.
    std::array<int, NWCSFIX> outcome{};
    wcsfix(7, nullptr, all_, outcome.data());
    if (wcsset(all_) != 0 || all_->lng < 0 || all_->lat < 0) wcsvfree(&count_, &all_);
  }

  int count_ = 0;
  wcsprm* all_ = nullptr;
};

TEST(GuiSky, PixelsHaveWcslibsPositionsToTheLastShownDigit) {
  if (!testing::have_data()) GTEST_SKIP() << testing::no_data();
  int files = 0;
  std::string last;
  std::unique_ptr<WcslibSystem> system;
  for (const auto& row : testing::sky_rows("pixel")) {
    if (row[1] != last) {
      last = row[1];
      system = std::make_unique<WcslibSystem>(testing::data_folder() + "/" + row[1]);
      EXPECT_TRUE(system->found()) << row[1];
      ++files;
    }
    if (!system->found()) continue;
    const double x = std::stod(row[2]), y = std::stod(row[3]);
    const auto expected = (*system)(x, y);
    ASSERT_TRUE(expected.has_value()) << row[1];
    const ImageHeader& header = testing::sky_header(row[1]);
    for (const bool sexagesimal : {true, false}) {
      const CoordinateStyle style{*system_of(header.wcs), sexagesimal, false};
      const Readout readout = make_readout(header, {x, y}, true, 1, std::nullopt, style);
      const auto text = position_text(*expected, style, pixel_step_deg(header.wcs, x, y));
      EXPECT_EQ(readout.lon, text[0]) << row[1] << " " << x << " " << y;
      EXPECT_EQ(readout.lat, text[1]) << row[1] << " " << x << " " << y;
    }
  }
  EXPECT_GE(files, 79);
  RecordProperty("files", files);
}

}  // namespace
}  // namespace reber::gui
