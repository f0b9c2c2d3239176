// SPDX-License-Identifier: BSD-3-Clause
// tests/support/sky_reference.csv, and the headers of the files that it names.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "tests/support/source_file.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {

/// Rows of one kind, in words.
inline std::vector<std::vector<std::string>> sky_rows(const std::string& kind) {
  std::vector<std::vector<std::string>> out;
  std::ifstream file(source_file("tests/support/sky_reference.csv"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; std::getline(words, word, ',');) {
      if (const auto comma = word.find("%2C"); comma != std::string::npos)
        word = word.substr(0, comma) + "," + word.substr(comma + 3);
      row.push_back(word);
    }
    if (!row.empty() && row[0] == kind) out.push_back(row);
  }
  EXPECT_FALSE(out.empty()) << "no rows of " << kind << " in tests/support/sky_reference.csv";
  return out;
}

inline const ImageHeader& sky_header(const std::string& file) {
  static std::map<std::string, ImageHeader> opened;
  auto found = opened.find(file);
  if (found == opened.end()) {
    OpenOptions options;
    options.plane = 0;
    found = opened.emplace(file, ImagePlane::open(data_folder() + "/" + file, options).header()).first;
  }
  return found->second;
}

}  // namespace reber::testing
