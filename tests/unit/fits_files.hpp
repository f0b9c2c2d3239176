// SPDX-License-Identifier: BSD-3-Clause
// Small FITS files and folders made by tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace reber::testing_files {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "reber-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::int64_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::string path_;
};

inline std::string card(const std::string& text) {
  return text.substr(0, 80) + std::string(80 - std::min<std::size_t>(80, text.size()), ' ');
}

/// Header blocks of the lines, END added.
inline std::string header(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += card(line);
  out += card("END");
  out.resize((out.size() + 2879) / 2880 * 2880, ' ');
  return out;
}

/// Data blocks of big-endian values.
template <class Value>
std::string data_blocks(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) {
    char bytes[sizeof(Value)];
    std::memcpy(bytes, &value, sizeof(Value));
    for (std::size_t i = sizeof(Value); i-- > 0;) out += bytes[i];
  }
  out.resize((out.size() + 2879) / 2880 * 2880, '\0');
  return out;
}

inline void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Cards of a celestial system of 10 arcsec pixels whose reference pixel is (nx, ny) = (5, 5).
inline std::vector<std::string> sky_cards() {
  return {
      "CTYPE1  = 'RA---SIN'", "CRPIX1  = 5.0", "CRVAL1  = 187.5", "CDELT1  = -0.00277777777777778", "CUNIT1  = 'deg'",
      "CTYPE2  = 'DEC--SIN'", "CRPIX2  = 5.0", "CRVAL2  = 12.0",  "CDELT2  = 0.00277777777777778",  "CUNIT2  = 'deg'",
      "RADESYS = 'ICRS'"};
}

inline std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace reber::testing_files
