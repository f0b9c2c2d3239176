// SPDX-License-Identifier: BSD-3-Clause
// The served viewer's door: one page and one WebSocket, on this machine alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/browser_message.hpp"
#include "gui/serve/served_picture.hpp"

namespace reber::gui {

struct ServerOptions {
  int port = 0;                    ///< 0: 8642, or the first free one of those that follow
  std::vector<std::string> hosts;  ///< of proxies that pass requests on, beside this machine's own names
  std::string folder;              ///< for files that browsers send; empty: none is taken
  std::function<void()> news;      ///< called from the server's thread when take() has something
};

/// Listens at 127.0.0.1, on a thread of its own. Who knows the token may look; the first drives, until it hands over or
/// leaves. What a browser sends is checked and bounded; what cannot be read ends its connection alone.
class Server {
 public:
  /// throws InputError where the port is taken
  explicit Server(const ServerOptions& options);
  /// Tells the browsers that the viewer has ended.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The page's, with the token.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] bool watched() const;  ///< somebody looks
  /// The one that drives has not yet been sent what was shown last.
  [[nodiscard]] bool waits() const;
  void show(ServedPicture picture);
  /// What the browser shows beside the picture; kept for those that come later.
  void set_title(const std::string& title);
  void set_cursor(const std::string& name);  ///< of CSS
  void copy(const std::string& text);        ///< to the clipboard of the one that drives
  void full_screen();
  /// The driving browser fetches the file.   throws as FileExchange::offer
  void give(const std::string& path);
  void ask_for_file();  ///< of the one that drives
  /// What the driving browser said since the last call.
  [[nodiscard]] std::vector<BrowserMessage> take();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace reber::gui
