// SPDX-License-Identifier: BSD-3-Clause
// One HTTP request to a server of this machine. The only place of Reber that opens a connection.
#pragma once

#include <string>

namespace reber::samp {

/// An address on this machine.
struct LocalAddress {
  std::string host;  ///< 127.x.x.x, or ::1 without brackets
  int port = 0;
  std::string path;  ///< begins with /
};

/// Takes "http://127.0.0.1:21012/xmlrpc" apart; localhost is 127.0.0.1. No name is looked up.
///   throws DataError for any other machine, scheme or form
[[nodiscard]] LocalAddress local_address(const std::string& url);

/// Sends `body` (XML) by POST and gives the body of the answer, of at most 4 MB. Waits 10 s for each step.
///   throws DataError where nobody listens, the answer's status is not 200, or it ends too early
[[nodiscard]] std::string post(const LocalAddress& to, const std::string& body);

}  // namespace reber::samp
