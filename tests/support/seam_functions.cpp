// SPDX-License-Identifier: BSD-3-Clause
// Reads core/seam/compute/backend.hpp.
#include "tests/support/seam_functions.hpp"

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/source_file.hpp"

namespace reber::testing {
namespace {

/// The first line of the comment that the text ends with; empty where it ends with none.
std::string comment_before(const std::string& text) {
  std::istringstream lines(text);
  std::string first;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool comment = line.starts_with("  ///"), other = line.starts_with("  // ");
    if (comment && !inside) first = line.substr(6);
    if (line.find_first_not_of(' ') == std::string::npos) continue;  // what stands before the function on its line
    inside = comment || (other && inside);
    if (!inside && !line.ends_with("[[nodiscard]] ")) first.clear();
  }
  return first;
}

}  // namespace

std::vector<SeamFunction> seam_functions() {
  std::ifstream file(source_file("core/seam/compute/backend.hpp"));
  std::stringstream text;
  text << file.rdbuf();
  const std::string whole = text.str();
  const std::string body = whole.substr(whole.find("\nclass Backend {"));
  const std::regex function(R"(virtual\s+[^~;(]*?(\w+)\(([^;]*?)\)\s*(?:const\s*)?(=\s*0;|\{|;))");
  const std::regex job(R"(const Job& (/\*)?job(\*/)? = \{\}$)");
  std::vector<SeamFunction> found;
  for (std::sregex_iterator at(body.begin(), body.end(), function), end; at != end; ++at)
    found.push_back({(*at)[1], std::regex_search((*at)[2].str(), job), (*at)[3].str().starts_with('='),
                     comment_before(at->prefix())});
  return found;
}

}  // namespace reber::testing
