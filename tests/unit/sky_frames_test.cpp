// SPDX-License-Identifier: BSD-3-Clause
// Names of frames, what is refused, angles that turn with them, and frames of tables.
#include "core/sky/model/sky_frames.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "core/sky/model/sky_list.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using Frame = SkySystem::Frame;
using testing_files::load;
using testing_files::TemporaryFolder;

TEST(SkyFrames, NamesOfManyPrograms) {
  const SkySystem icrs{}, j2000{Frame::fk5, 2000}, b1950{Frame::fk4, 1950};
  EXPECT_EQ(system_named("ICRS"), icrs);
  EXPECT_EQ(system_named("icrs"), icrs);
  for (const char* name : {"FK5", "fk5", "FK5 J2000", "FK5 J2000.0", "J2000", "j2000", "eq_FK5", "FK5/J2000"})
    EXPECT_EQ(system_named(name), j2000) << name;
  for (const char* name : {"FK4", "FK4 B1950", "B1950", "b1950", "eq_FK4", "FK4 1950"})
    EXPECT_EQ(system_named(name), b1950) << name;
  EXPECT_EQ(system_named("FK4-NO-E"), (SkySystem{Frame::fk4, 1950, false}));
  EXPECT_EQ(system_named("FK4-NO-E B1975"), (SkySystem{Frame::fk4, 1975, false}));
  EXPECT_EQ(system_named("FK5 J2025.5"), (SkySystem{Frame::fk5, 2025.5}));
  EXPECT_EQ(system_named("FK5", 2025.5), (SkySystem{Frame::fk5, 2025.5}));
  EXPECT_EQ(system_named("FK5 J2015", 2025.5), (SkySystem{Frame::fk5, 2015}));
  for (const char* name : {"Galactic", "GALACTIC", "gal"})
    EXPECT_EQ(system_named(name), (SkySystem{Frame::galactic, 2000}));
  EXPECT_EQ(system_named("Ecliptic J2015"), (SkySystem{Frame::ecliptic, 2015}));
  EXPECT_EQ(system_named("ecl_FK5"), (SkySystem{Frame::ecliptic, 2000}));
  // An equinox alone, by the FITS standard.
  EXPECT_EQ(system_named("", 1950), b1950);
  EXPECT_EQ(system_named("", 2000), j2000);
  for (const char* name :
       {"", "GAPPT", "FK3", "FK5 B1950", "FK4 J2000", "supergalactic", "ITRS", "Ecliptic of FK4 B1950", "B", "J12"})
    EXPECT_FALSE(system_named(name).has_value()) << name;
  for (const SkySystem& system : {icrs, b1950, SkySystem{Frame::fk5, 2024.123}, SkySystem{Frame::fk4, 1979.9, false},
                                  SkySystem{Frame::galactic, 2000}, SkySystem{Frame::ecliptic, 1990}})
    EXPECT_EQ(system_named(name_of(system)), system) << name_of(system);
}

TEST(SkyFrames, PositionAnglesTurnWithTheFrame) {
  // North of B1950 seen in J2000, by astropy 5.2: position_angle of a step to the north.
  const SkyConverter convert(SkySystem{Frame::fk4, 1950}, SkySystem{Frame::fk5, 2000});
  for (const double lat : {-80.0, -30.0, 0.0, 52.0, 89.0}) {
    const SkyPosition here{200, lat}, step{200, lat + 1e-3};
    const SkyPosition a = convert(here), b = convert(step);
    const double east = std::remainder(b.lon_deg - a.lon_deg, 360) * std::cos(a.lat_deg * M_PI / 180);
    EXPECT_NEAR(convert.turn_deg(here), std::atan2(east, b.lat_deg - a.lat_deg) * 180 / M_PI, 0.02) << lat;
  }
  EXPECT_EQ(SkyConverter().turn_deg({10, 20}), 0);
}

/// One source at (200, 52) in a frame.
Catalogue table_in(const std::string& frame, double equinox) {
  Catalogue table;
  table.frame = frame;
  table.equinox = equinox;
  table.frequency_hz = std::numeric_limits<double>::quiet_NaN();
  table.columns = {{{"RA", "deg", "pos.eq.ra;meta.main", ""}, std::vector<double>{200}},
                   {{"DEC", "deg", "pos.eq.dec;meta.main", ""}, std::vector<double>{52}},
                   {{"Maj", "deg", "", ""}, std::vector<double>{0.01}},
                   {{"Min", "deg", "", ""}, std::vector<double>{0.005}},
                   {{"PA", "deg", "", ""}, std::vector<double>{30}}};
  return table;
}

TEST(SkyFrames, TablesKeepTheirFrameThroughEveryFormat) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [frame, equinox] : std::vector<std::pair<std::string, double>>{{"ICRS", none},
                                                                                  {"FK5 J2025.5", 2025.5},
                                                                                  {"FK5 J1975", 1975},
                                                                                  {"FK4 B1950", 1950},
                                                                                  {"FK4 B1979.9", 1979.9},
                                                                                  {"FK4-NO-E B1950", 1950},
                                                                                  {"Galactic", none},
                                                                                  {"Ecliptic", 2000},
                                                                                  {"Ecliptic J2015", 2015}})
    for (const char* ending : {".csv", ".fits", ".vot", ".srl"}) {
      const TemporaryFolder folder;
      const std::string path = folder.file(std::string("a") + ending);
      write_catalogue(table_in(frame, equinox), path, false);
      const SkyList list = sky_list(read_catalogue(path));
      EXPECT_EQ(list.system, system_named(frame, equinox)) << frame << ending << " is read as " << list.frame;
    }
}

TEST(SkyFrames, CsvOfIcrsAndJ2000HasNoComment) {
  const TemporaryFolder folder;
  write_catalogue(table_in("ICRS", 2000), folder.file("i.csv"), false);
  write_catalogue(table_in("FK5 J2000", 2000), folder.file("j.csv"), false);
  write_catalogue(table_in("FK4 B1950", 1950), folder.file("b.csv"), false);
  EXPECT_EQ(load(folder.file("i.csv")).substr(0, 3), "RA,");
  EXPECT_EQ(load(folder.file("j.csv")).substr(0, 3), "RA,");
  EXPECT_EQ(load(folder.file("b.csv")).substr(0, 22), "# frame: FK4 B1950\nRA,");
}

SkyList list_of(const TemporaryFolder& folder, const std::string& text) {
  testing_files::save(folder.file("t"), text);
  return sky_list(read_catalogue(folder.file("t")));
}

TEST(SkyFrames, OtherProgramsTablesSayTheirFrame) {
  const TemporaryFolder folder;
  const std::string rows = "RA DEC\n10 20\n";
  EXPECT_TRUE(list_of(folder, "RA,DEC\n10,20\n").frame_assumed);
  EXPECT_EQ(list_of(folder, "# Equinox : 1950.0 \n" + rows).system, (SkySystem{Frame::fk4, 1950}));
  EXPECT_EQ(list_of(folder, "#Coosys\tB1950:\teq_FK4 B1950\n" + rows).system, (SkySystem{Frame::fk4, 1950}));
  EXPECT_EQ(list_of(folder, "RAB1950,DEB1950\n10,20\n").system, (SkySystem{Frame::fk4, 1950}));
  const auto votable = [](const std::string& systems, const std::string& ref) {
    return "<VOTABLE><RESOURCE>" + systems +
           "<TABLE><FIELD name=\"ra\" datatype=\"double\" ucd=\"pos.eq.ra\" unit=\"deg\"" + ref +
           "/><FIELD name=\"dec\" datatype=\"double\" ucd=\"pos.eq.dec\" "
           "unit=\"deg\"/><DATA><TABLEDATA><TR><TD>10</TD><TD>20</TD>"
           "</TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>";
  };
  const std::string two =
      "<COOSYS ID=\"g\" system=\"galactic\"/><COOSYS ID=\"s\" system=\"eq_FK4\" equinox=\"B1975\"/>";
  EXPECT_EQ(list_of(folder, votable(two, " ref=\"s\"")).system, (SkySystem{Frame::fk4, 1975}));
  EXPECT_EQ(list_of(folder, votable("<COOSYS system=\"FK5\" equinox=\"2015.5\"/>", "")).system,
            (SkySystem{Frame::fk5, 2015.5}));
  const SkyList apparent = list_of(folder, votable("<COOSYS system=\"geo_app\"/>", ""));
  EXPECT_FALSE(apparent.system.has_value());
  EXPECT_THROW((void)in_system(apparent, SkySystem{}), InputError);
}

TEST(SkyFrames, RegionFilesOfAnEquinoxWithoutAWordAreIcrs) {
  const TemporaryFolder folder;
  for (const auto& [frame, equinox, ending, words] :
       std::vector<std::tuple<std::string, double, std::string, std::string>>{
           {"FK4 B1950", 1950, ".reg", "fk4; ellipse(200.000000000,52.000000000"},
           {"FK5 J2025.5", 2025.5, ".reg", "icrs; ellipse(199.735"},
           {"FK5 J2025.5", 2025.5, ".crtf", "coord=ICRS"}}) {
    write_catalogue(table_in(frame, equinox), folder.file("a" + ending), true);
    EXPECT_NE(load(folder.file("a" + ending)).find(words), std::string::npos) << load(folder.file("a" + ending));
  }
}

}  // namespace
}  // namespace reber
