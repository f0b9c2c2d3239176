// SPDX-License-Identifier: BSD-3-Clause
// Who asks for what, and the answer.
#include "gui/serve/visit.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "gui/serve/page.hpp"

namespace reber::gui {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;

constexpr std::string_view kLine = "/line?", kUpload = "/upload?", kFile = "/file?";

constexpr std::uint64_t kMostBodyBytes = FileExchange::kMostUpload;

struct Answer {
  http::status status = http::status::ok;
  std::string body, cookie, location;
  std::string attachment;  ///< of a file: its header; empty of pages
};

/// One request for the page; a WebSocket goes on as a Browser.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(tcp::socket socket, const Access& access, const Doors& doors)
      : stream_(std::move(socket)), access_(access), doors_(doors) {}

  void begin() {
    constexpr std::uint32_t kMostHeaderBytes = 16384;
    parser_.header_limit(kMostHeaderBytes);
    parser_.body_limit(kMostBodyBytes);
    stream_.expires_after(std::chrono::seconds(10));
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (error == http::error::body_limit) self->send(too_large());
                              if (!error) self->answer();
                            });
  }

 private:
  void answer() {
    const Browser::Request& request = parser_.get();
    if (websocket::is_upgrade(request) && is_line(request) && may_look(request) && same_origin(request))
      return doors_.upgrade(std::move(stream_), request);
    if (is_upload(request)) return take_upload();
    send(answer_to(request));
  }

  /// Its body is read only of those who may send one.
  [[nodiscard]] bool is_upload(const Browser::Request& request) const {
    const std::string_view target(request.target().data(), request.target().size());
    return request.method() == http::verb::post && target.starts_with(kUpload) && may_look(request) &&
           same_origin(request) && doors_.may_send(query_value(target, "key"));
  }

  void take_upload() {
    stream_.expires_after(std::chrono::minutes(10));
    upload_.emplace(std::move(parser_));
    upload_->body_limit(kMostBodyBytes);
    http::async_read(stream_, buffer_, *upload_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error == http::error::body_limit) return self->send(too_large());
      if (!error) self->send(self->stored());
    });
  }

  [[nodiscard]] static Answer too_large() {
    return {http::status::payload_too_large, "The file is too large.", "", "", ""};
  }

  [[nodiscard]] Answer stored() const {
    const auto& request = upload_->get();
    const std::string_view target(request.target().data(), request.target().size());
    const auto name = percent_decoded(query_value(target, "name"));
    try {
      if (!name) throw InputError("the name of the file cannot be read");
      const std::string path = doors_.files.store(*name, request.body());
      doors_.came(path);
      return {http::status::ok, path, "", "", ""};
    } catch (const Error& failure) {
      return {http::status::conflict, failure.what(), "", "", ""};
    }
  }

  [[nodiscard]] Answer file_of(std::string_view target) const {
    try {
      if (auto file = doors_.files.fetch(query_value(target, "key")))
        return {http::status::ok, std::move(file->bytes), "", "", attachment_of(file->name)};
    } catch (const Error&) {
      // It is gone since it was offered.
    }
    return {http::status::not_found, refusal("There is no such file."), "", "", ""};
  }

  [[nodiscard]] static bool is_line(const Browser::Request& request) {
    return std::string_view(request.target().data(), request.target().size()).starts_with(kLine);
  }
  [[nodiscard]] static std::string_view field(const Browser::Request& request, http::field name) {
    const auto value = request[name];
    return {value.data(), value.size()};
  }
  [[nodiscard]] bool may_look(const Browser::Request& request) const {
    return access_.known_host(field(request, http::field::host)) &&
           access_.has_cookie(field(request, http::field::cookie));
  }
  [[nodiscard]] bool same_origin(const Browser::Request& request) const {
    return access_.known_origin(field(request, http::field::origin), field(request, http::field::host));
  }

  [[nodiscard]] Answer answer_to(const Browser::Request& request) const {
    if (request.method() != http::verb::get)
      return {http::status::method_not_allowed, refusal("Only GET is answered."), "", "", ""};
    if (!access_.known_host(field(request, http::field::host))) {
      return {http::status::forbidden,
              refusal("This name is not known here. <code>--proxy-host NAME</code> permits the name of a proxy."), "",
              "", ""};
    }
    const std::string target(request.target());
    if (access_.opens(target)) return {http::status::see_other, "", access_.cookie(), "./", ""};
    if (target.starts_with(kFile) && may_look(request)) return file_of(target);
    if (target != "/" && !target.starts_with("/?"))
      return {http::status::not_found, refusal("There is no such page."), "", "", ""};
    if (target != "/" || !may_look(request)) {
      return {http::status::forbidden,
              refusal("Open the address that <code>reber view --browser</code> printed, with its token."), "", "", ""};
    }
    return {http::status::ok, page(), "", "", ""};
  }

  void send(Answer answer) {
    response_.result(answer.status);
    response_.version(11);
    response_.keep_alive(false);
    const bool page = answer.body.starts_with("<!DOCTYPE");
    if (!answer.attachment.empty()) response_.set(http::field::content_disposition, answer.attachment);
    response_.set(http::field::content_type, !answer.attachment.empty() ? "application/octet-stream"
                                             : page                     ? "text/html; charset=utf-8"
                                                                        : "text/plain; charset=utf-8");
    response_.set(http::field::cache_control, "no-store");
    response_.set("Content-Security-Policy", page_policy());
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("X-Content-Type-Options", "nosniff");
    if (!answer.cookie.empty()) response_.set(http::field::set_cookie, answer.cookie);
    if (!answer.location.empty()) response_.set(http::field::location, answer.location);
    response_.body() = std::move(answer.body);
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code, std::size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  const Access& access_;
  const Doors& doors_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  std::optional<http::request_parser<http::string_body>> upload_;
  http::response<http::string_body> response_;
};

}  // namespace

void answer_visit(tcp::socket socket, const Access& access, const Doors& doors) {
  std::make_shared<Visit>(std::move(socket), access, doors)->begin();
}

std::string name_in_line(std::string_view target) { return std::string(target.substr(kLine.size())); }

}  // namespace reber::gui
