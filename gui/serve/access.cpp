// SPDX-License-Identifier: BSD-3-Clause
// Who may look.
#include "gui/serve/access.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"

namespace reber::gui {

std::string make_secret() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw DeviceError("the system gives no random bytes for the token of the address");
  std::string made;
  for (const unsigned char byte : bytes) made += fmt::format("{:02x}", byte);
  return made;
}

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(b[i]));
  return difference == 0;
}

std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

Access::Access(int port, std::vector<std::string> hosts)
    : name_(fmt::format("reber-{}", port)), token_(make_secret()), secret_(make_secret()), hosts_(std::move(hosts)) {}

bool Access::is_proxy(std::string_view host) const {
  return std::ranges::any_of(hosts_, [host](const std::string& each) { return each == host; });
}

bool Access::known_host(std::string_view host) const {
  const std::string_view name = host_of(host);
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]" || is_proxy(name);
}

bool Access::known_origin(std::string_view origin, std::string_view host) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view authority = origin.substr(scheme.size());
    return !authority.empty() && (authority == host || is_proxy(host_of(authority)));
  }
  return false;
}

bool Access::opens(std::string_view target) const {
  constexpr std::string_view kBefore = "/?token=";
  return target.starts_with(kBefore) && same_secret(target.substr(kBefore.size()), token_);
}

std::string Access::cookie() const {
  // Without a path the cookie is of the folder that the browser sees, which a proxy may have put before ours.
  return fmt::format("{}={}; HttpOnly; SameSite=Strict", name_, secret_);
}

bool Access::has_cookie(std::string_view cookies) const {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name_ &&
        same_secret(one.substr(equals + 1), secret_))
      return true;
  }
  return false;
}

}  // namespace reber::gui
