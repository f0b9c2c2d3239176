// SPDX-License-Identifier: BSD-3-Clause
// Who may look: secrets, and what a request must bring.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reber::gui {

/// 128 bits of the system's randomness, as 32 hexadecimal digits.   throws DeviceError where there is none
[[nodiscard]] std::string make_secret();

/// Whether two texts are the same, in a time that does not depend on where they differ.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

/// The host of "host:port", "[::1]:port" or "host".
[[nodiscard]] std::string_view host_of(std::string_view authority);

/// One server's rules. The token opens the page and is exchanged for a cookie, so that it leaves the address.
class Access {
 public:
  /// port: of the cookie's name, since browsers keep cookies of one host together. hosts: names beside this machine's
  /// own under which a proxy passes requests on.
  Access(int port, std::vector<std::string> hosts);

  [[nodiscard]] const std::string& token() const { return token_; }
  /// A Host that is this machine or a proxy that was named: a page of another name that leads here is refused.
  [[nodiscard]] bool known_host(std::string_view host) const;
  /// An Origin of the same host and port as the request, or of a proxy that was named. Empty is refused.
  [[nodiscard]] bool known_origin(std::string_view origin, std::string_view host) const;
  /// The target of a request, such as "/?token=...".
  [[nodiscard]] bool opens(std::string_view target) const;
  /// The header Set-Cookie, and whether a header Cookie holds what it said.
  [[nodiscard]] std::string cookie() const;
  [[nodiscard]] bool has_cookie(std::string_view cookies) const;

 private:
  [[nodiscard]] bool is_proxy(std::string_view host) const;

  std::string name_, token_, secret_;
  std::vector<std::string> hosts_;
};

}  // namespace reber::gui
