// SPDX-License-Identifier: BSD-3-Clause
// Paths by their letters.
#include "core/files/io/plain_path.hpp"

#include <algorithm>
#include <filesystem>

namespace reber {

std::string plain_path(const std::string& path) {
  const std::string whole = path.starts_with('/') ? path : std::filesystem::current_path().string() + '/' + path;
  std::string plain;
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = std::min(whole.find('/', begin), whole.size());
    const std::string part = whole.substr(begin, end - begin);
    begin = end + 1;
    if (part == "..")
      plain.erase(plain.empty() ? 0 : plain.rfind('/'));
    else if (!part.empty() && part != ".")
      plain.append(1, '/').append(part);
  }
  return plain.empty() ? "/" : plain;
}

}  // namespace reber
