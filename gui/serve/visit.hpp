// SPDX-License-Identifier: BSD-3-Clause
// One request to the served viewer: the page, a file from or for a browser, or the beginning of a WebSocket.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "gui/serve/access.hpp"
#include "gui/serve/browser.hpp"
#include "gui/serve/file_exchange.hpp"

namespace reber::gui {

/// What visits may do beside looking.
struct Doors {
  std::function<void(boost::beast::tcp_stream, const Browser::Request&)> upgrade;
  std::function<bool(std::string_view key)> may_send;  ///< the key of the one that drives
  std::function<void(const std::string& path)> came;   ///< a file was written
  FileExchange& files;
};

/// Answers what comes next over a socket, on its thread. access, doors: outlive it
void answer_visit(boost::asio::ip::tcp::socket socket, const Access& access, const Doors& doors);
/// The page's own name, in the target of a request for its WebSocket.
[[nodiscard]] std::string name_in_line(std::string_view target);

}  // namespace reber::gui
