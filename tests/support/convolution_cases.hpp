// SPDX-License-Identifier: BSD-3-Clause
// Published beam and kernel cases: the JSON file of the test data, where it is there.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/support/testing.hpp"

namespace reber::test {

inline std::string convolution_cases_path() { return testing::data_folder() + "/convolution_cases.json"; }

/// The file was written by Python, which puts a bare NaN where JSON has null.
inline void make_nan_null(std::string& text) {
  for (std::size_t at = text.find("NaN"); at != std::string::npos; at = text.find("NaN", at + 3)) {
    const bool value = at > 0 && at + 3 < text.size() && std::string(" [\n:").find(text[at - 1]) != std::string::npos &&
                       std::string(",]}\n").find(text[at + 3]) != std::string::npos;
    if (value) text.replace(at, 3, "null");
  }
}

/// The cases, or nothing where the folder of test data does not exist. A folder without the file throws.
inline std::optional<nlohmann::json> convolution_cases() {
  if (!std::filesystem::is_directory(testing::data_folder())) return std::nullopt;
  std::ifstream file(convolution_cases_path());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  make_nan_null(text);
  return nlohmann::json::parse(text);
}

}  // namespace reber::test

/// Skips the test with a reason where the folder of test data does not exist.
#define REBER_CASES_OR_SKIP(name)                     \
  const auto name = reber::test::convolution_cases(); \
  if (!name) GTEST_SKIP() << "no folder of test data at " << reber::testing::data_folder()
