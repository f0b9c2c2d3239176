// SPDX-License-Identifier: BSD-3-Clause
// Catalogue files: every digit kept, every text escaped for where it goes.
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/base/printable.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Catalogue sample() {
  Catalogue catalogue;
  catalogue.frame = "FK5 J2000";
  catalogue.equinox = 2000;
  catalogue.frequency_hz = 1.4e9;
  catalogue.history = {"reber find --threshold 5 <in> & \"out\""};
  catalogue.columns = {
      {{"Source_id", "", "meta.id;meta.main", "Number"}, std::vector<std::int64_t>{0, 1, 2}},
      {{"RA", "deg", "pos.eq.ra;meta.main", "Longitude"}, std::vector<double>{187.12345678901235, 1e-7, kNaN}},
      {{"DEC", "deg", "pos.eq.dec;meta.main", "Latitude"}, std::vector<double>{-12.5, 89.999999999, kNaN}},
      {{"Xposn", "pix", "pos.cartesian.x", "x, from 0"}, std::vector<double>{1, 2, 3.25}},
      {{"Yposn", "pix", "pos.cartesian.y", "y, from 0"}, std::vector<double>{1, 2, 3.5}},
      {{"Maj", "deg", "phys.angSize.smajAxis", "FWHM"}, std::vector<double>{0.0125, kNaN, kNaN}},
      {{"Min", "deg", "phys.angSize.sminAxis", "FWHM"}, std::vector<double>{0.01, kNaN, kNaN}},
      {{"PA", "deg", "pos.posAng", "angle"}, std::vector<double>{25, kNaN, kNaN}},
      {{"Name", "", "meta.id", "text < & >"},
       std::vector<std::string>{"=cmd()|\"x\",", "<b>&{}\x1b[31m", "-01:02:03.4"}}};
  return catalogue;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(CatalogueIo, TheExtensionChoosesTheFormat) {
  const TemporaryFolder folder;
  for (const CatalogueFormat& format : catalogue_formats()) {
    write_catalogue(sample(), folder.file(std::string("c") + format.extension), false);
    EXPECT_FALSE(load(folder.file(std::string("c") + format.extension)).empty());
  }
  try {
    write_catalogue(sample(), folder.file("c.txt"), false);
    FAIL() << "wrote .txt";
  } catch (const InputError& error) {
    for (const CatalogueFormat& format : catalogue_formats())
      EXPECT_NE(std::string(error.what()).find(format.extension), std::string::npos);
  }
  EXPECT_THROW(write_catalogue(sample(), folder.file("c.csv"), false), InputError);
  EXPECT_NO_THROW(write_catalogue(sample(), folder.file("C.CSV"), true));
  EXPECT_THROW(write_catalogue(sample(), folder.file("none/c.csv"), true), DataError);
}

TEST(CatalogueIo, CsvKeepsEveryDigitAndDefusesText) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.csv"), false);
  const auto lines = lines_of(load(folder.file("c.csv")));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "Source_id,RA,DEC,Xposn,Yposn,Maj,Min,PA,Name");
  EXPECT_EQ(lines[1], "0,187.12345678901235,-12.5,1,1,0.0125,0.01,25,\"'=cmd()|\"\"x\"\",\"");
  EXPECT_EQ(lines[2].substr(0, 5), "1,1e-");
  EXPECT_NE(lines[2].find("\"<b>&{}\\x1B[31m\""), std::string::npos);
  EXPECT_EQ(lines[3].substr(0, 10), "2,NaN,NaN,");
  EXPECT_EQ(lines[3].substr(lines[3].size() - 13), "\"-01:02:03.4\"");
  EXPECT_EQ(std::strtod(lines[1].c_str() + 2, nullptr), 187.12345678901235);
}

TEST(CatalogueIo, CsvOfManyRowsIsInOrder) {
  const TemporaryFolder folder;
  constexpr std::int64_t kRows = 40001;
  std::vector<std::int64_t> number;
  std::vector<double> value;
  for (std::int64_t row = 0; row < kRows; ++row) {
    number.push_back(row);
    value.push_back(0.1 * static_cast<double>(row));
  }
  Catalogue catalogue;
  catalogue.columns = {{{"Source_id", "", "meta.id", ""}, number}, {{"Value", "", "", ""}, value}};
  write_catalogue(catalogue, folder.file("many.csv"), false);
  const auto lines = lines_of(load(folder.file("many.csv")));
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kRows) + 1);
  for (std::int64_t row = 0; row < kRows; ++row)
    ASSERT_EQ(lines[static_cast<std::size_t>(row) + 1],
              fmt::format("{},{}", row, value[static_cast<std::size_t>(row)]));
}

/// As astropy's Table and QTable write them, with blanks and with commas, and our own.
TEST(CatalogueIo, EcsvTellsUnits) {
  const TemporaryFolder folder;
  save(folder.file("a.ecsv"),
       "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: RA, unit: hourangle, datatype: float64}\n"
       "# - {name: 'S, or so', unit: mJy / beam, datatype: float64, description: 'it''s: {a, b}'}\n"
       "# - name: note\n#   datatype: string\n#   description: a long text that\n#     goes on\n#   meta: !!omap\n"
       "#   - {ucd: meta.note}\n# meta: !!omap\n# - {unit: no}\n# schema: astropy-2.0\n"
       "RA \"S, or so\" note\n1.5 2.25 007\n2.5 \"\" \"a b\"\n");
  const Catalogue table = read_catalogue(folder.file("a.ecsv"));
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[0].info.unit, "hourangle");
  EXPECT_EQ(table.columns[1].info.name, "S, or so");
  EXPECT_EQ(table.columns[1].info.unit, "mJy / beam");
  EXPECT_EQ(table.columns[1].info.text, "it's: {a, b}");
  EXPECT_EQ(table.columns[2].info.text, "a long text that goes on");
  EXPECT_EQ(table.columns[2].info.ucd, "meta.note");
  EXPECT_EQ(std::get<std::vector<std::string>>(table.columns[2].values), (std::vector<std::string>{"007", "a b"}));
  EXPECT_TRUE(std::isnan(std::get<std::vector<double>>(table.columns[1].values)[1]));
  write_catalogue(sample(), folder.file("c.ecsv"), false);
  const Catalogue back = read_catalogue(folder.file("c.ecsv")), before = sample();
  ASSERT_EQ(back.columns.size(), before.columns.size());
  for (std::size_t i = 0; i < back.columns.size(); ++i) {
    EXPECT_EQ(back.columns[i].info.name, before.columns[i].info.name);
    EXPECT_EQ(back.columns[i].info.unit, before.columns[i].info.unit);
    EXPECT_EQ(back.columns[i].info.ucd, before.columns[i].info.ucd);
    EXPECT_EQ(back.columns[i].info.text, before.columns[i].info.text);
  }
}

TEST(CatalogueIo, EcsvIsCsvBehindYaml) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.ecsv"), false);
  write_catalogue(sample(), folder.file("c.csv"), false);
  const std::string text = load(folder.file("c.ecsv"));
  EXPECT_TRUE(text.starts_with("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n"));
  EXPECT_TRUE(text.ends_with("# schema: astropy-2.0\n" + load(folder.file("c.csv"))));
  EXPECT_NE(text.find("# - {name: \"RA\", unit: \"deg\", datatype: float64, description: \"Longitude\", "
                      "meta: {ucd: \"pos.eq.ra;meta.main\"}}\n"),
            text.npos);
  EXPECT_NE(text.find("#   - \"reber find --threshold 5 <in> & \\\"out\\\"\"\n"), text.npos) << text;
  EXPECT_EQ(read_catalogue(folder.file("c.ecsv")).rows(), 3);
  Catalogue old = sample();
  old.frame = "FK4 B1950";
  old.equinox = 1950;
  write_catalogue(old, folder.file("old.ecsv"), false);
  EXPECT_EQ(read_catalogue(folder.file("old.ecsv")).frame, "FK4 B1950");
}

TEST(CatalogueIo, VotableHasInfoBeforeCoosysAsTheSchemaWantsIt) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.xml"), false);
  const std::string text = load(folder.file("c.xml"));
  EXPECT_LT(text.rfind("<INFO"), text.find("<COOSYS"));
  EXPECT_LT(text.find("<COOSYS"), text.find("<TABLE"));
}

TEST(CatalogueIo, VotableIsEscapedAndSaysFrameUnitsAndUcds) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.vot"), false);
  const std::string text = load(folder.file("c.vot"));
  for (const char* part :
       {"<VOTABLE version=\"1.4\"", "<COOSYS ID=\"sky\" system=\"eq_FK5\" equinox=\"J2000\"/>",
        "unit=\"deg\" ucd=\"pos.eq.ra;meta.main\" ref=\"sky\"", "&lt;in&gt; &amp; &quot;out&quot;",
        "<TD>&lt;b&gt;&amp;{}\\x1B[31m</TD>", "<TD>187.12345678901235</TD>", "<TD>NaN</TD>", "text &lt; &amp; &gt;"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(CatalogueIo, VotableHasPowersAsVounitWritesThem) {
  const TemporaryFolder folder;
  Catalogue area;
  area.columns = {{{"Area", "deg2", "", ""}, std::vector<double>{1}},
                  {{"Noise", "Jy/beam", "", ""}, std::vector<double>{1}}};
  write_catalogue(area, folder.file("c.vot"), false);
  const std::string text = load(folder.file("c.vot"));
  EXPECT_NE(text.find("unit=\"deg**2\""), std::string::npos) << text;
  EXPECT_NE(text.find("unit=\"Jy/beam\""), std::string::npos) << text;
}

TEST(CatalogueIo, RegionsHaveFwhmDiametersAndPixelsWhereThereIsNoSky) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.reg"), false);
  const std::string text = load(folder.file("c.reg"));
  EXPECT_NE(text.find("fk5; ellipse(187.123456789,-12.500000000,22.50000\",18.00000\",115.0000) # text={0}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("fk5; point(0.000000100,89.999999999) # text={1}"), std::string::npos) << text;
  EXPECT_NE(text.find("image; point(4.2500,4.5000) # text={2}"), std::string::npos) << text;
  Catalogue elsewhere = sample();
  elsewhere.frame = "FK5 J1991.25";
  elsewhere.equinox = 1991.25;
  write_catalogue(elsewhere, folder.file("d.reg"), false);
  EXPECT_NE(load(folder.file("d.reg")).find("icrs; ellipse(187.23"), std::string::npos) << load(folder.file("d.reg"));
  elsewhere.frame = "GAPPT";
  write_catalogue(elsewhere, folder.file("e.reg"), false);
  EXPECT_NE(load(folder.file("e.reg")).find("image; point(2.0000,2.0000)"), std::string::npos);
}

TEST(CatalogueIo, CasaRegionsHaveThePositionAngleItself) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.crtf"), false);
  const auto lines = lines_of(load(folder.file("c.crtf")));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].rfind("#CRTFv0", 0), 0U);
  EXPECT_EQ(lines[2],
            "ellipse [[187.123456789deg, -12.500000000deg], [22.50000arcsec, 18.00000arcsec], 25.0000deg] coord=J2000, "
            "label='0'");
  EXPECT_EQ(lines[3], "symbol [[0.000000100deg, 89.999999999deg], +] coord=J2000, label='1'");
  EXPECT_EQ(lines[4], "symbol [[3.2500pix, 3.5000pix], +], label='2'");
}

TEST(CatalogueIo, OutlinesAndNamesComeBeforeEllipsesAndNumbers) {
  const TemporaryFolder folder;
  Catalogue catalogue = sample();
  catalogue.columns.push_back({{"s_region", "", "", ""},
                               std::vector<std::string>{"POLYGON ICRS 187 -12.5 187.5 -12.5 187.25 -12",
                                                        "CIRCLE ICRS 1 2 3", "POLYGON ICRS 1 2"}});
  catalogue.columns.push_back({{"Source_name", "", "", ""}, std::vector<std::string>{"J1 {a}'b'", "J2", "J3"}});
  write_catalogue(catalogue, folder.file("c.reg"), false);
  const std::string ds9 = load(folder.file("c.reg"));
  EXPECT_NE(ds9.find("fk5; polygon(187,-12.5,187.5,-12.5,187.25,-12) # text={J1 _a_"), std::string::npos) << ds9;
  EXPECT_NE(ds9.find("fk5; point(0.000000100,89.999999999) # text={J2}"), std::string::npos) << ds9;
  write_catalogue(catalogue, folder.file("c.crtf"), false);
  const std::string casa = load(folder.file("c.crtf"));
  EXPECT_NE(casa.find("poly [[187deg, -12.5deg], [187.5deg, -12.5deg], [187.25deg, -12deg]] coord=J2000, "
                      "label='J1 {a}_b_'"),
            std::string::npos)
      << casa;
}

TEST(CatalogueIo, KarmaAnnotationsCountAnglesFromNorth) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.ann"), false);
  const std::string text = load(folder.file("c.ann"));
  EXPECT_NE(text.find("\nPA SKY\n"), std::string::npos);
  EXPECT_NE(text.find("\nELLIPSE W 187.123456789 -12.500000000 0.006250000 0.005000000 25.0000\nTEXT W 187.123456789 "
                      "-12.500000000 0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("CROSS P 3.2500 3.5000 3 3\nTEXT P 3.2500 3.5000 2\n"), std::string::npos) << text;
}

TEST(CatalogueIo, SqliteKeepsEveryDigitAndDescribesItsColumns) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.sqlite"), false);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(folder.file("c.sqlite").c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto ask = [&](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    std::string answer;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* bytes = sqlite3_column_text(statement, 0);
      const std::string cell = bytes != nullptr ? reinterpret_cast<const char*>(bytes) : "null";
      answer = answer.empty() ? cell : fmt::format("{}|{}", answer, cell);
    }
    sqlite3_finalize(statement);
    return answer;
  };
  EXPECT_EQ(ask("SELECT count(*) FROM sources"), "3");
  EXPECT_EQ(ask("SELECT RA = 187.12345678901235 FROM sources WHERE Source_id = 0"), "1");
  EXPECT_EQ(ask("SELECT typeof(RA) FROM sources"), "real|real|null");
  EXPECT_EQ(ask("SELECT unit FROM columns WHERE name = 'Maj'"), "deg");
  EXPECT_EQ(ask("SELECT Name FROM sources WHERE Source_id = 1"), "<b>&{}\\x1B[31m");
  EXPECT_EQ(
      ask("SELECT line FROM history"),
      "reber find --threshold 5 <in> & \"out\"|frame of the positions: FK5 J2000|reference frequency: 1400000000 Hz");
  sqlite3_close(database);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(CatalogueIo, FitsTableHoldsTheBitsOfEveryCell) {
  const TemporaryFolder folder;
  write_catalogue(sample(), folder.file("c.fits"), false);
  const std::string bytes = load(folder.file("c.fits"));
  EXPECT_EQ(bytes.size() % 2880, 0U);
  for (const char* part : {"TTYPE2  = 'RA      '", "TFORM2  = '1D      '", "TUNIT2  = 'deg     '",
                           "TUCD2   = 'pos.eq.ra;meta.main'", "TCOMM1  = 'Number  '", "RADESYS = 'FK5     '",
                           "EQUINOX =               2000.0", "TFORM9  = '11A     '", "HISTORY reber find"}) {
    EXPECT_NE(bytes.find(part), std::string::npos) << part;
  }
  // Each row: one K, seven D and eleven characters; RA of the first row follows the number.
  const std::size_t data = bytes.size() - 2880;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | static_cast<unsigned char>(bytes[data + 8 + i]);
  double ra = 0;
  std::memcpy(&ra, &word, 8);
  EXPECT_EQ(ra, 187.12345678901235);
}

TEST(CatalogueIo, AnEmptyCatalogueIsStillAFile) {
  const TemporaryFolder folder;
  Catalogue empty = sample();
  for (Column& column : empty.columns) std::visit([](auto& values) { values.clear(); }, column.values);
  for (const CatalogueFormat& format : catalogue_formats())
    EXPECT_NO_THROW(write_catalogue(empty, folder.file(std::string("e") + format.extension), false));
  EXPECT_EQ(lines_of(load(folder.file("e.csv"))).size(), 1U);
}

TEST(CatalogueIo, ColumnsOfDifferentLengthAreOurBug) {
  const TemporaryFolder folder;
  Catalogue bad = sample();
  std::get<std::vector<double>>(bad.columns[1].values).pop_back();
  EXPECT_THROW(write_catalogue(bad, folder.file("c.csv"), false), InternalError);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1B[31mb\\x0A");
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xFF\\xC3");
  // Halves of surrogates, long forms, numbers beyond Unicode, and what is no character: not one may stand in XML.
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");
  EXPECT_EQ(printable("\xF0\x80\x80\x80"), "\\xF0\\x80\\x80\\x80");
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xEF\xBF\xBE"), "\\xEF\\xBF\\xBE");
  EXPECT_EQ(printable("\xEF\xBF\xBD \xF0\x9F\x98\x80"), "\xEF\xBF\xBD \xF0\x9F\x98\x80");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xC2\\x9B31m");
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "evil"),
            "\\xE2\\x80\\xAE"
            "evil");
  EXPECT_EQ(printable(std::string("\0x", 2)), "\\x00x");
  // Signs of three and four bytes, one too long a way to write a slash, and one that is cut.
  EXPECT_EQ(printable("\xE2\x98\x89\xF0\x9F\x94\xAD"), "\xE2\x98\x89\xF0\x9F\x94\xAD");
  EXPECT_EQ(printable("\xE0\x80\xAF"), "\\xE0\\x80\\xAF");
  EXPECT_EQ(printable("\xF0\x9F\x94"), "\\xF0\\x9F\\x94");
}

}  // namespace
}  // namespace reber
