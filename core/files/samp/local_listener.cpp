// SPDX-License-Identifier: BSD-3-Clause
// HTTP on a socket of the loopback interface: one request for each connection.
#include "core/files/samp/local_listener.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/files/samp/local_post.hpp"

namespace reber::samp {
namespace {

constexpr std::size_t kMostHead = 16384, kMostBody = 1 << 20;
using Clock = std::chrono::steady_clock;

/// Whether the socket has something, or takes something, in time.
bool ready(int socket, short events, Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  pollfd one{socket, events, 0};
  return left > 0 && ::poll(&one, 1, static_cast<int>(left)) > 0;
}

/// Head and body of a post to this path; empty where it is none, too long or too slow.
std::optional<std::string> body_of(int caller, const std::string& path, Clock::time_point end) {
  std::string text;
  std::size_t head = std::string::npos, whole = 0;
  while (head == std::string::npos || text.size() < whole) {
    std::array<char, 16384> part{};
    if (!ready(caller, POLLIN, end)) return std::nullopt;
    const ssize_t got = ::recv(caller, part.data(), part.size(), 0);
    if (got <= 0) return std::nullopt;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (head != std::string::npos) continue;
    head = text.find("\r\n\r\n");
    if (head == std::string::npos && text.size() > kMostHead) return std::nullopt;
    if (head == std::string::npos) continue;
    const std::size_t length = content_length(std::string_view(text).substr(0, head + 2));
    if (!text.starts_with("POST " + path + " HTTP/1.") || length > kMostBody) return std::nullopt;
    whole = head + 4 + length;
  }
  return text.substr(head + 4, whole - head - 4);
}

void answer_with(int caller, const char* status, const std::string& body, Clock::time_point end) {
  const std::string text =
      fmt::format("HTTP/1.0 {}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status,
                  body.size(), body);
  for (std::size_t at = 0; at < text.size() && ready(caller, POLLOUT, end);) {
    const ssize_t sent = ::send(caller, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<std::size_t>(sent);
  }
}

std::string random_path() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw DeviceError("the system gives no random bytes for an address that nobody can guess");
  std::string path = "/";
  for (const unsigned char byte : bytes) path += fmt::format("{:02x}", byte);
  return path;
}

}  // namespace

LocalListener::LocalListener(std::function<Answer(const std::string&)> answer)
    : answer_(std::move(answer)), path_(random_path()) {
  sockaddr_in here{};
  socklen_t size = sizeof here;
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  door_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  // The calls of the socket interface take every family's address by its first member.
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  const bool listens = door_ >= 0 && stop_ >= 0 && ::bind(door_, address, size) == 0 && ::listen(door_, 8) == 0 &&
                       ::getsockname(door_, address, &size) == 0;
  if (listens) thread_ = start_thread([this] { loop(); });
  if (!thread_.joinable()) {
    ::close(door_);
    ::close(stop_);
    throw DeviceError("the system gives no port at which the SAMP hub could call");
  }
  url_ = fmt::format("http://127.0.0.1:{}{}", ntohs(here.sin_port), path_);
}

LocalListener::~LocalListener() {
  const std::uint64_t one = 1;
  (void)!::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(door_);
  ::close(stop_);
}

void LocalListener::loop() {
  for (;;) {
    std::array<pollfd, 2> both{{{door_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    if (::poll(both.data(), both.size(), -1) < 0) continue;
    if (both[1].revents != 0) return;
    const int caller = ::accept4(door_, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller >= 0) serve(caller);
  }
}

void LocalListener::serve(int caller) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(3);
  std::function<void()> after;
  if (const auto body = body_of(caller, path_, end)) {
    try {
      Answer made = answer_(*body);
      answer_with(caller, "200 OK", made.body, end);
      after = std::move(made.after);
    } catch (const std::exception&) {
      answer_with(caller, "500 Internal Server Error", "", end);
    }
  } else {
    answer_with(caller, "400 Bad Request", "", end);
  }
  ::close(caller);
  if (after) after();
}

}  // namespace reber::samp
