// SPDX-License-Identifier: BSD-3-Clause
// One browser: its WebSocket, and what waits to go there.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "gui/model/browser_message.hpp"
#include "gui/serve/picture_line.hpp"

namespace reber::gui {

class Browser : public std::enable_shared_from_this<Browser> {
 public:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  /// What the server does with it; all on the server's thread.
  struct Calls {
    std::function<void(Browser&)> came, left;
    std::function<void(Browser&, const BrowserMessage&)> said;
    std::function<const ServedPicture*()> picture;  ///< the newest; null before the first
    std::function<void(Browser&)> sent;
  };

  /// self: the page's own name, by which it is known again when its line was lost.
  Browser(boost::beast::tcp_stream stream, const Calls& calls, std::string self);
  /// Answers the request for a WebSocket, and reads from it.
  void accept(const Request& request);
  void tell(std::string json);
  /// Ends it once everything told has gone.
  void end();
  /// Sends what may go.
  void pump();
  void leave();
  [[nodiscard]] PictureLine& line() { return line_; }
  [[nodiscard]] const std::string& self() const { return self_; }

 private:
  void read();
  void write(std::string message, bool text);

  boost::beast::websocket::stream<boost::beast::tcp_stream> stream_;
  boost::asio::steady_timer rest_;
  const Calls& calls_;
  std::string self_;
  boost::beast::flat_buffer input_;
  std::deque<std::string> told_;
  std::string going_;
  bool open_ = false, writing_ = false, ending_ = false;
  PictureLine line_;
};

}  // namespace reber::gui
