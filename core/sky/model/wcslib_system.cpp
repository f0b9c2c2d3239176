// SPDX-License-Identifier: BSD-3-Clause
// Owners of what WCSLIB allocates.
#include "core/sky/model/wcslib_system.hpp"

#include <fmt/format.h>
#include <wcslib/wcshdr.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/wcslib_call.hpp"

namespace reber::wcslib {

std::unique_lock<std::mutex> parsing_lock() {
  static std::mutex parsing;
  return std::unique_lock(parsing);
}

System::System() {
  prm_.flag = -1;
  wcsini(0, 0, &prm_);
}

System::System(const System& other) : System() {
  if (const int status = copy_axes(other.prm_, {}); status != 0)
    throw InternalError(fmt::format("a copy of sky coordinates has WCSLIB's status {}", status));
}

System::~System() { wcsfree(&prm_); }

int System::copy_axes(const wcsprm& from, std::span<const int> axes) {
  wcsfree(&prm_);
  prm_.flag = -1;
  int count = static_cast<int>(axes.size());
  std::vector<int> wanted(axes.begin(), axes.end());
  int* const chosen = wanted.empty() ? nullptr : wanted.data();
  try {
    const int status =
        call_wcslib(WcslibCall::parses, [&] { return wcssub(1, const_cast<wcsprm*>(&from), &count, chosen, &prm_); });
    return status != 0 ? status : call_wcslib(WcslibCall::parses, [this] { return wcsset(&prm_); });
  } catch (...) {
    prm_.flag = -1;  // half-made: to be left, not to be freed
    throw;
  }
}

ParsedHeader::ParsedHeader(std::string cards) {
  int rejected = 0;
  const int size = static_cast<int>(cards.size() / fits::kCardBytes);
  const int status = call_wcslib(
      WcslibCall::parses, [&] { return wcspih(cards.data(), size, WCSHDR_all, 0, &rejected, &count_, &systems_); });
  if (status != 0) count_ = 0;
}

ParsedHeader::~ParsedHeader() { wcsvfree(&count_, &systems_); }

wcsprm* ParsedHeader::primary() const {
  for (int i = 0; i < count_; ++i) {
    if (systems_[i].alt[0] == ' ' || systems_[i].alt[0] == '\0') return &systems_[i];
  }
  return nullptr;
}

}  // namespace reber::wcslib
