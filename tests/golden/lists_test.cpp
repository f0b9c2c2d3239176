// SPDX-License-Identifier: BSD-3-Clause
// Reading and matching of lists, and a check of the matching itself.
#include "tests/golden/lists.hpp"

#include <fitsio.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace reber::testing {
namespace {

std::vector<double> fits_column(fitsfile* file, const std::vector<std::string>& names, long rows) {
  for (const std::string& name : names) {
    int status = 0, column = 0;
    std::string editable = name;
    fits_get_colnum(file, CASEINSEN, editable.data(), &column, &status);
    if (status != 0) continue;
    std::vector<double> values(static_cast<std::size_t>(rows));
    fits_read_col(file, TDOUBLE, column, 1, 1, rows, nullptr, values.data(), nullptr, &status);
    if (status == 0) return values;
  }
  throw std::runtime_error(fmt::format("no column {}", names[0]));
}

std::vector<ListedSource> read_fits_list(const std::string& path) {
  fitsfile* file = nullptr;
  int status = 0, kind = 0;
  long rows = 0;
  fits_open_diskfile(&file, path.c_str(), READONLY, &status);
  fits_movabs_hdu(file, 2, &kind, &status);
  fits_get_num_rows(file, &rows, &status);
  if (status != 0) throw std::runtime_error("cannot read " + path);
  const auto ra = fits_column(file, {"RA"}, rows), dec = fits_column(file, {"DEC"}, rows);
  const auto flux = fits_column(file, {"Total_flux", "int_flux"}, rows);
  fits_close_file(file, &status);
  std::vector<ListedSource> list;
  for (std::size_t i = 0; i < ra.size(); ++i) list.push_back({ra[i], dec[i], flux[i]});
  return list;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<ListedSource> read_csv_list(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = cells(line);
  const auto index = [&](const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) throw std::runtime_error("no column " + name + " in " + path);
    return static_cast<std::size_t>(at - names.begin());
  };
  const std::size_t ra = index("ra"), dec = index("dec"), flux = index("int_flux");
  std::vector<ListedSource> list;
  while (std::getline(file, line)) {
    const auto row = cells(line);
    list.push_back({std::stod(row[ra]), std::stod(row[dec]), std::stod(row[flux])});
  }
  return list;
}

double separation_deg(double ra1, double dec1, double ra2, double dec2) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double dra = (ra1 - ra2) * std::cos(0.5 * (dec1 + dec2) * kRadians);
  return std::hypot(std::remainder(dra, 360.0), dec1 - dec2);
}

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

std::vector<ListedSource> read_list(const std::string& path) {
  return path.ends_with(".csv") ? read_csv_list(path) : read_fits_list(path);
}

ListMatch match_list(std::vector<ListedSource> listed, const std::vector<Source>& ours, const Beam& beam) {
  std::ranges::sort(listed, std::greater{}, &ListedSource::total_jy);
  std::vector<bool> used(ours.size(), false);
  std::vector<double> ratios, offsets;
  for (const ListedSource& wanted : listed) {
    std::size_t best = ours.size();
    double nearest = beam.major_deg;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double apart = separation_deg(wanted.ra_deg, wanted.dec_deg, ours[i].ra, ours[i].dec);
      if (!used[i] && apart <= nearest) {
        nearest = apart;
        best = i;
      }
    }
    if (best == ours.size()) continue;
    used[best] = true;
    ratios.push_back(ours[best].total / wanted.total_jy);
    offsets.push_back(nearest * 3600);
  }
  return {ratios.size(), static_cast<double>(ratios.size()) / static_cast<double>(listed.size()), median(ratios),
          median(offsets)};
}

TEST(ListMatching, uses_each_source_once_and_respects_the_beam) {
  Source one, two;
  one.ra = 10.0, one.dec = -30, one.total = 2;
  two.ra = 10.1, two.dec = -30, two.total = 1;
  const Beam beam{0.01, 0.01, 0};
  const ListMatch match = match_list({{10.001, -30, 1}, {10.0, -30.001, 0.5}, {10.1, -30, 1}}, {one, two}, beam);
  EXPECT_EQ(match.matched, 2u);
  EXPECT_NEAR(match.fraction, 2.0 / 3, 1e-12);
}

}  // namespace reber::testing
