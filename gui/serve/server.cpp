// SPDX-License-Identifier: BSD-3-Clause
// The door: who may come in, and who drives.
#include "gui/serve/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "gui/serve/access.hpp"
#include "gui/serve/browser.hpp"
#include "gui/serve/file_exchange.hpp"
#include "gui/serve/visit.hpp"

namespace reber::gui {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using Json = nlohmann::json;

constexpr int kUsualPort = 8642, kPortsTried = 20;
constexpr std::size_t kMostBrowsers = 16, kMostInput = 20000;

std::string text_message(const char* kind, const std::string& text) {
  return Json{{"t", kind}, {"text", text}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

tcp::acceptor listen(asio::io_context& context, int wanted) {
  const int first = wanted > 0 ? wanted : kUsualPort, last = wanted > 0 ? wanted : kUsualPort + kPortsTried - 1;
  for (int port = first; port <= last; ++port) {
    try {
      return {context, tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port))};
    } catch (const boost::system::system_error& error) {
      if (port == last)
        throw InputError(fmt::format("the viewer cannot be served at port {}: {}", port, error.code().message()));
    }
  }
  throw InternalError("no port was tried");
}

}  // namespace

/// All but what is marked as shared belongs to the server's thread.
struct Server::Inside {
  explicit Inside(const ServerOptions& options)
      : news(options.news),
        acceptor(listen(context, options.port)),
        access(acceptor.local_endpoint().port(), options.hosts),
        files(options.folder),
        patience(context) {
    doors.upgrade = [this](beast::tcp_stream stream, const Browser::Request& request) {
      const auto target = request.target();
      std::make_shared<Browser>(std::move(stream), calls, name_in_line({target.data(), target.size()}))
          ->accept(request);
    };
    doors.may_send = [this](std::string_view given) { return driver != nullptr && same_secret(given, key); };
    doors.came = [this](const std::string& path) {
      BrowserMessage message;
      message.kind = BrowserMessage::Kind::uploaded;
      message.text = path;
      put(message);
    };
    calls.came = [this](Browser& browser) { came(browser); };
    calls.left = [this](Browser& browser) { left(browser); };
    calls.said = [this](Browser& browser, const BrowserMessage& message) { said(browser, message); };
    calls.picture = [this] { return picture.width > 0 ? &picture : nullptr; };
    calls.sent = [this](Browser& browser) { note_waiting(browser); };
  }

  void accept() {
    acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) {
        beast::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
        answer_visit(std::move(socket), access, doors);
      }
      accept();
    });
  }

  void came(Browser& browser) {
    if (browsers.size() >= kMostBrowsers) return browser.end();
    // The same page with a line of its own before, which was lost without a word.
    const auto before =
        std::ranges::find_if(browsers, [&browser](const auto& each) { return each->self() == browser.self(); });
    const bool drove = before != browsers.end() && before->get() == driver;
    if (before != browsers.end()) std::shared_ptr(*before)->leave();
    browsers.push_back(browser.shared_from_this());
    watched = true;
    if (!title.empty()) browser.tell(title);
    if (!cursor.empty()) browser.tell(cursor);
    if (picture.width > 0) browser.line().changed(picture, {});
    if (driver == nullptr || drove) driver = &browser;
    tell_who_drives();
    BrowserMessage message;
    message.kind = BrowserMessage::Kind::came;
    put(message);  // a frame for it
  }

  void left(Browser& browser) {
    std::erase_if(browsers, [&browser](const auto& each) { return each.get() == &browser; });
    watched = !browsers.empty();
    if (asking == &browser) asking = nullptr;
    if (driver == &browser) {
      driver = std::exchange(asking, nullptr);
      waits = false;
      let_go();
    }
    tell_who_drives();
  }

  void said(Browser& browser, const BrowserMessage& message) {
    using Kind = BrowserMessage::Kind;
    if (message.kind == Kind::drive) {
      ask(browser);
    } else if (&browser == driver && message.kind == Kind::hand_over) {
      hand_over();
    } else if (&browser == driver && message.kind == Kind::keep) {
      patience.cancel();
      asking = nullptr;
      tell_who_drives();
    } else if (&browser == driver) {
      put(message);
    }
  }

  /// The one that drives is asked, and has a while to refuse by going on: it need not be there any more.
  void ask(Browser& browser) {
    if (&browser == driver) return;
    asking = &browser;
    if (driver == nullptr) return hand_over();
    driver->tell(Json{{"t", "asked"}}.dump());
    patience.expires_after(std::chrono::seconds(10));
    patience.async_wait([this](beast::error_code error) {
      if (!error) hand_over();
    });
  }

  void hand_over() {
    patience.cancel();
    if (asking == nullptr) return;
    driver = std::exchange(asking, nullptr);
    let_go();
    tell_who_drives();
  }

  void let_go() {
    BrowserMessage message;
    message.kind = BrowserMessage::Kind::released;
    put(message);
  }

  void tell_who_drives() {
    if (driver != had_key) key = make_secret();
    had_key = driver;
    for (const auto& browser : std::vector(browsers)) {
      Json status{{"t", "status"},
                  {"drives", browser.get() == driver},
                  {"driven", driver != nullptr},
                  {"browsers", browsers.size()}};
      if (browser.get() == driver) {
        status["key"] = key;
        status["most"] = FileExchange::kMostUpload;
      }
      browser->tell(status.dump());
    }
  }

  void tell_all(const std::string& json) {
    for (const auto& browser : std::vector(browsers)) browser->tell(json);
  }

  void note_waiting(Browser& browser) {
    if (&browser != driver) return;
    const bool now = browser.line().waits();
    if (waits.exchange(now) && !now) news();
  }

  void show(ServedPicture next) {
    const TileMarks tiles = changed_tiles(picture, next);
    picture = std::move(next);
    for (const auto& browser : std::vector(browsers)) {
      browser->line().changed(picture, tiles);
      browser->pump();
    }
    waits = driver != nullptr && driver->line().waits();
    if (!waits) news();
  }

  void put(const BrowserMessage& message) {
    {
      const std::lock_guard lock(mutex);
      if (inbox.size() < kMostInput) inbox.push_back(message);
    }
    news();
  }

  std::function<void()> news;
  asio::io_context context;
  tcp::acceptor acceptor;
  Access access;
  Browser::Calls calls;
  std::vector<std::shared_ptr<Browser>> browsers;
  Browser *driver = nullptr, *asking = nullptr, *had_key = nullptr;
  std::string key;     ///< by which the one that drives may send files
  FileExchange files;  // from any thread
  Doors doors{{}, {}, {}, files};
  asio::steady_timer patience;
  ServedPicture picture;
  std::string title, cursor;

  // Shared with the interface's thread.
  std::atomic<bool> watched{false}, waits{false};
  std::mutex mutex;
  std::vector<BrowserMessage> inbox;
  std::thread thread;
};

Server::Server(const ServerOptions& options) : inside_(std::make_unique<Inside>(options)) {
  inside_->accept();
  inside_->thread = start_thread([this] { inside_->context.run(); });
  if (!inside_->thread.joinable()) throw DeviceError("the system gives no thread to serve the viewer");
}

Server::~Server() {
  asio::post(inside_->context, [this] {
    inside_->acceptor.close();
    inside_->tell_all(Json{{"t", "ended"}}.dump());
    for (const auto& browser : std::vector(inside_->browsers)) browser->end();
    inside_->patience.expires_after(std::chrono::milliseconds(300));
    inside_->patience.async_wait([this](beast::error_code) { inside_->context.stop(); });
  });
  inside_->thread.join();
}

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", inside_->acceptor.local_endpoint().port(),
                     inside_->access.token());
}

bool Server::watched() const { return inside_->watched; }
bool Server::waits() const { return inside_->waits; }

void Server::show(ServedPicture picture) {
  inside_->waits = true;  // until it is known who is owed what
  asio::post(inside_->context,
             [this, shown = std::make_shared<ServedPicture>(std::move(picture))] { inside_->show(std::move(*shown)); });
}

void Server::set_title(const std::string& title) {
  asio::post(inside_->context, [this, json = text_message("title", title)] {
    inside_->title = json;
    inside_->tell_all(json);
  });
}

void Server::set_cursor(const std::string& name) {
  asio::post(inside_->context, [this, json = text_message("cursor", name)] {
    inside_->cursor = json;
    inside_->tell_all(json);
  });
}

void Server::copy(const std::string& text) {
  asio::post(inside_->context, [this, json = text_message("copy", text)] {
    if (inside_->driver != nullptr) inside_->driver->tell(json);
  });
}

void Server::full_screen() {
  asio::post(inside_->context, [this] {
    if (inside_->driver != nullptr) inside_->driver->tell(Json{{"t", "full screen"}}.dump());
  });
}

void Server::give(const std::string& path) {
  const std::string secret = inside_->files.offer(path);
  asio::post(inside_->context, [this, json = Json{{"t", "fetch"}, {"key", secret}}.dump()] {
    if (inside_->driver != nullptr) inside_->driver->tell(json);
  });
}

void Server::ask_for_file() {
  asio::post(inside_->context, [this] {
    if (inside_->driver != nullptr) inside_->driver->tell(Json{{"t", "send"}}.dump());
  });
}

std::vector<BrowserMessage> Server::take() {
  const std::lock_guard lock(inside_->mutex);
  return std::exchange(inside_->inbox, {});
}

}  // namespace reber::gui
