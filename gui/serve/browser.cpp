// SPDX-License-Identifier: BSD-3-Clause
// One browser's WebSocket.
#include "gui/serve/browser.hpp"

#include <chrono>

namespace reber::gui {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Browser::Browser(beast::tcp_stream stream, const Calls& calls, std::string self)
    : stream_(std::move(stream)), rest_(stream_.get_executor()), calls_(calls), self_(std::move(self)) {}

void Browser::accept(const Request& request) {
  // No pings: a page at rest costs the line nothing. The system's own keep-alive finds a line that is gone.
  websocket::stream_base::timeout times{};
  times.handshake_timeout = std::chrono::seconds(10);
  times.idle_timeout = websocket::stream_base::none();
  stream_.set_option(times);
  stream_.read_message_max(kMostMessageBytes);
  stream_.auto_fragment(false);
  beast::get_lowest_layer(stream_).expires_never();
  stream_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
    if (error) return;
    self->open_ = true;
    self->calls_.came(*self);
    self->read();
    self->pump();
  });
}

void Browser::read() {
  stream_.async_read(input_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return self->leave();
    const auto bytes = self->input_.data();
    const std::string text(static_cast<const char*>(bytes.data()), bytes.size());
    self->input_.consume(self->input_.size());
    const auto message = self->stream_.got_text() ? parse_browser_message(text) : std::nullopt;
    if (!message) return self->leave();
    if (message->kind == BrowserMessage::Kind::drawn)
      self->line_.drawn(message->frame, seconds());
    else
      self->calls_.said(*self, *message);
    self->pump();
    if (self->open_) self->read();
  });
}

void Browser::leave() {
  if (!open_) return;
  open_ = false;
  rest_.cancel();
  beast::error_code ignored;
  beast::get_lowest_layer(stream_).socket().close(ignored);
  calls_.left(*this);
}

void Browser::tell(std::string json) {
  constexpr std::size_t kMostWaiting = 1000;
  if (!open_) return;
  if (told_.size() >= kMostWaiting) return leave();  // it does not read
  told_.push_back(std::move(json));
  pump();
}

void Browser::end() {
  ending_ = true;
  pump();
}

void Browser::write(std::string message, bool text) {
  writing_ = true;
  going_ = std::move(message);
  stream_.text(text);
  stream_.async_write(boost::asio::buffer(going_), [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->writing_ = false;
    if (error) return self->leave();
    self->calls_.sent(*self);
    self->pump();
  });
}

void Browser::pump() {
  if (!open_ || writing_) return;
  if (!told_.empty()) {
    std::string first = std::move(told_.front());
    told_.pop_front();
    return write(std::move(first), true);
  }
  if (ending_) return leave();
  const ServedPicture* const picture = calls_.picture();
  if (picture == nullptr) return;
  const double now = seconds();
  if (auto frame = line_.next(*picture, now)) return write(std::move(*frame), false);
  const auto due = line_.due(now);
  if (!due) return;
  rest_.expires_after(std::chrono::microseconds(1 + static_cast<std::int64_t>(1e6 * *due)));
  rest_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error) self->pump();
  });
}

}  // namespace reber::gui
