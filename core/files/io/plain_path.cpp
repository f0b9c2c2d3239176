// SPDX-License-Identifier: BSD-3-Clause
// Paths by their letters.
#include "core/files/io/plain_path.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace reber {

std::string plain_path(const std::string& path) {
  std::string whole = path;
  if (!path.starts_with('/')) {
    std::error_code error;
    whole = std::filesystem::current_path(error).string() + '/' + path;
    if (error) throw std::filesystem::filesystem_error("the current folder is gone", path, error);
  }
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
