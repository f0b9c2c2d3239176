// SPDX-License-Identifier: BSD-3-Clause
// HTTP/1.0 on a socket of the loopback interface: the answer ends where the connection does.
#include "core/files/samp/local_post.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/base/error.hpp"
#include "core/files/io/interrupted.hpp"

namespace reber::samp {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr int kWaitSeconds = 10;

class Socket {
 public:
  explicit Socket(int family) : fd_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

std::string name_of(const LocalAddress& to) { return fmt::format("SAMP hub at {}:{}", to.host, to.port); }

[[noreturn]] void fail(const LocalAddress& to, const char* what) {
  throw DataError(fmt::format("{}: {}: {}", name_of(to), what, std::strerror(errno)));
}

/// Before each step: no more is waited for than is left.
void wait_until(const Socket& socket, const LocalAddress& to, Deadline deadline) {
  using std::chrono::microseconds;
  constexpr microseconds kStep = std::chrono::seconds(kWaitSeconds);
  const auto left = std::chrono::duration_cast<microseconds>(deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) throw DataError(fmt::format("{}: it takes too long to answer", name_of(to)));
  const microseconds step = std::min(left, kStep);
  const timeval wait{static_cast<time_t>(step.count() / 1'000'000), static_cast<suseconds_t>(step.count() % 1'000'000)};
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

void connect_to(const Socket& socket, const LocalAddress& to, Deadline deadline) {
  if (socket.fd() < 0) fail(to, "no socket");
  wait_until(socket, to, deadline);
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(static_cast<std::uint16_t>(to.port));
  const bool is_six = to.host.find(':') != std::string::npos;
  if (::inet_pton(is_six ? AF_INET6 : AF_INET, to.host.c_str(),
                  is_six ? static_cast<void*>(&six.sin6_addr) : static_cast<void*>(&four.sin_addr)) != 1)
    throw DataError(fmt::format("{}: not an address", name_of(to)));
  // The calls of the socket interface take every family's address by its first member.
  const auto* address = is_six ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (::connect(socket.fd(), address, is_six ? sizeof six : sizeof four) != 0)
    fail(to, "nobody answers; a hub that was killed leaves its file behind");
}

void send_all(const Socket& socket, const LocalAddress& to, std::string_view text, Deadline deadline) {
  while (!text.empty()) {
    wait_until(socket, to, deadline);
    const ssize_t sent = ::send(socket.fd(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (sent <= 0) fail(to, "cannot send");
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string receive_all(const Socket& socket, const LocalAddress& to, Deadline deadline) {
  std::string text;
  char buffer[16384];
  for (;;) {
    wait_until(socket, to, deadline);
    const ssize_t got = ::recv(socket.fd(), buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (got < 0) fail(to, "no answer");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMostBytes)
      throw DataError(fmt::format("{}: its answer is longer than {} bytes", name_of(to), kMostBytes));
  }
}

}  // namespace

std::size_t content_length(std::string_view head) {
  std::string lower(head);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kKey = "\r\ncontent-length:";
  const std::size_t at = lower.find(kKey);
  if (at == std::string::npos) return std::string::npos;
  const std::size_t begin = lower.find_first_not_of(' ', at + kKey.size());
  std::size_t length = std::string::npos;
  if (begin != std::string::npos) std::from_chars(lower.data() + begin, lower.data() + lower.size(), length);
  return length;
}

LocalAddress local_address(const std::string& url) {
  const auto refuse = [&](const char* why) -> DataError {
    return DataError(fmt::format("SAMP hub at '{}': {}; http://127.0.0.1:PORT/PATH was expected", url, why));
  };
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) throw refuse("not an address of HTTP");
  const std::size_t slash = std::min(url.find('/', kScheme.size()), url.size());
  const std::string place = url.substr(kScheme.size(), slash - kScheme.size());
  const std::size_t colon = place.rfind(':');
  LocalAddress out;
  out.path = slash < url.size() ? url.substr(slash) : "/";
  out.host = place.substr(0, colon);
  if (out.host == "localhost") out.host = "127.0.0.1";
  if (out.host.starts_with('[') && out.host.ends_with(']')) out.host = out.host.substr(1, out.host.size() - 2);
  in_addr four{};
  const bool loopback =
      out.host == "::1" || (out.host.starts_with("127.") && ::inet_pton(AF_INET, out.host.c_str(), &four) == 1);
  if (!loopback) throw refuse("files are sent to programs of this machine alone");
  if (colon == std::string::npos) throw refuse("no port");
  const char* const end = place.data() + place.size();
  const auto [stop, error] = std::from_chars(place.data() + colon + 1, end, out.port);
  if (error != std::errc() || stop != end || out.port < 1 || out.port > 65535) throw refuse("no port");
  const auto printing = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  if (!std::ranges::all_of(out.path, printing)) throw refuse("characters that no address has");
  return out;
}

std::string post(const LocalAddress& to, const std::string& body, Deadline deadline) {
  const bool is_six = to.host.find(':') != std::string::npos;
  const Socket socket(is_six ? AF_INET6 : AF_INET);
  connect_to(socket, to, deadline);
  const std::string host = is_six ? "[" + to.host + "]" : to.host;
  send_all(socket, to,
           fmt::format("POST {} HTTP/1.0\r\nHost: {}:{}\r\nUser-Agent: reber\r\nContent-Type: text/xml\r\n"
                       "Content-Length: {}\r\n\r\n{}",
                       to.path, host, to.port, body.size(), body),
           deadline);
  const std::string answer = receive_all(socket, to, deadline);
  const std::size_t head = answer.find("\r\n\r\n");
  const std::size_t blank = answer.find(' ');
  if (!answer.starts_with("HTTP/1.") || head == std::string::npos || blank > head)
    throw DataError(fmt::format("{}: not an answer of HTTP", name_of(to)));
  if (answer.compare(blank, 5, " 200 ") != 0)
    throw DataError(fmt::format("{}: it answers with status {}", name_of(to), answer.substr(blank + 1, 3)));
  const std::string text = answer.substr(head + 4);
  const std::size_t length = content_length(std::string_view(answer).substr(0, head + 2));
  if (length != std::string::npos && text.size() < length)
    throw DataError(fmt::format("{}: its answer ends after {} of {} bytes", name_of(to), text.size(), length));
  return length == std::string::npos ? text : text.substr(0, length);
}

}  // namespace reber::samp
