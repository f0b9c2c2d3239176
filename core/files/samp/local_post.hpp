// SPDX-License-Identifier: BSD-3-Clause
// One HTTP request to a server of this machine. The only place of Reber that opens a connection.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

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

/// The value of Content-Length in a head that ends with a line; npos where it has none.
[[nodiscard]] std::size_t content_length(std::string_view head);

using Deadline = std::chrono::steady_clock::time_point;

/// Sends `body` (XML) by POST and gives the body of the answer, of at most 4 MB. Waits 10 s for each step, and for all
/// of them until the deadline.
///   throws DataError where nobody listens, the answer's status is not 200, it ends too early, or time is over;
///   Cancelled
[[nodiscard]] std::string post(const LocalAddress& to, const std::string& body, Deadline deadline);

}  // namespace reber::samp
