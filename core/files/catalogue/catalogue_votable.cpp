// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as VOTable 1.4.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/catalogue/row_text.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

/// The standard's name of the frame; empty where it has none, and for FK4 without E-terms.
std::string coosys_of(const std::string& frame) {
  const std::string system = frame.substr(0, frame.find(' '));
  if (system == "ICRS") return "ICRS";
  if (system == "FK5") return "eq_FK5";
  if (system == "FK4") return "eq_FK4";
  if (system == "Galactic") return "galactic";
  if (system == "Ecliptic") return "ecl_FK5";
  return {};
}

/// The unit as VOUnit writes it: powers behind two stars, where FITS has the number alone.
std::string vounit(const std::string& unit) {
  std::string out;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto digit = [&unit](std::size_t at) { return at < unit.size() && unit[at] >= '0' && unit[at] <= '9'; };
    const bool power = digit(i) || (unit[i] == '-' && digit(i + 1));
    if (i > 0 && power && letter(unit[i - 1])) out += "**";
    out += unit[i] == ' ' ? '.' : unit[i];
  }
  return out;
}

const char* type_of(const Column& column) {
  if (std::holds_alternative<std::vector<double>>(column.values)) return "datatype=\"double\"";
  if (std::holds_alternative<std::vector<std::int64_t>>(column.values)) return "datatype=\"long\"";
  return "datatype=\"char\" arraysize=\"*\"";
}

using Text = RowText::Text;

void add(std::string_view part, Text& text) { text.append(part.data(), part.data() + part.size()); }

void add_cell(double value, Text& text) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
  else
    add(std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf", text);
}
void add_cell(std::int64_t value, Text& text) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value); }
void add_cell(const std::string& value, Text& text) { add(printable_in_markup(value), text); }

Text lines(const Catalogue& catalogue, std::int64_t first, std::int64_t last) {
  Text text;
  for (std::int64_t row = first; row < last; ++row) {
    add("<TR>", text);
    for (const Column& column : catalogue.columns) {
      add("<TD>", text);
      std::visit([&](const auto& values) { add_cell(values[static_cast<std::size_t>(row)], text); }, column.values);
      add("</TD>", text);
    }
    add("</TR>\n", text);
  }
  return text;
}

std::string head(const Catalogue& catalogue) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n<RESOURCE type=\"results\">\n";
  const std::string system = coosys_of(catalogue.frame);
  // The schema wants INFO before COOSYS.
  if (system.empty() && !catalogue.frame.empty())
    out += fmt::format("<INFO name=\"frame\" value=\"{}\"/>\n", printable_in_markup(catalogue.frame));
  for (const std::string& line : catalogue.history)
    out += fmt::format("<INFO name=\"history\" value=\"{}\"/>\n", printable_in_markup(line));
  if (!system.empty()) {
    const auto known = system_named(catalogue.frame, catalogue.equinox);
    const bool stated = std::isfinite(catalogue.equinox) && known && std::isfinite(known->year());
    const std::string equinox =
        stated ? fmt::format(" equinox=\"{}{:.10g}\"", system == "eq_FK4" ? 'B' : 'J', known->year()) : "";
    out += fmt::format("<COOSYS ID=\"sky\" system=\"{}\"{}/>\n", system, equinox);
  }
  out += "<TABLE name=\"sources\">\n";
  if (std::isfinite(catalogue.frequency_hz)) {
    out += fmt::format("<PARAM name=\"frequency\" datatype=\"double\" unit=\"Hz\" ucd=\"em.freq\" value=\"{}\"/>\n",
                       number_text(catalogue.frequency_hz));
  }
  for (const Column& column : catalogue.columns) {
    out += fmt::format("<FIELD name=\"{}\" {}", printable_in_markup(column.info.name), type_of(column));
    if (!column.info.unit.empty()) out += fmt::format(" unit=\"{}\"", printable_in_markup(vounit(column.info.unit)));
    if (!column.info.ucd.empty()) out += fmt::format(" ucd=\"{}\"", printable_in_markup(column.info.ucd));
    const bool position = column.info.ucd.rfind("pos.eq.", 0) == 0 || column.info.ucd.rfind("pos.galactic.", 0) == 0 ||
                          column.info.ucd.rfind("pos.ecliptic.", 0) == 0;
    if (position && !system.empty()) out += " ref=\"sky\"";
    out += fmt::format("><DESCRIPTION>{}</DESCRIPTION></FIELD>\n", printable_in_markup(column.info.text));
  }
  return out + "<DATA><TABLEDATA>\n";
}

}  // namespace

void write_catalogue_votable(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  RowText text(file);
  text.write(head(catalogue));
  text.write_rows(catalogue.rows(),
                  [&](std::int64_t first, std::int64_t last) { return lines(catalogue, first, last); });
  text.write("</TABLEDATA></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n");
  file.commit(text.written());
}

}  // namespace reber
