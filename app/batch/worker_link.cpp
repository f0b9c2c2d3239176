// SPDX-License-Identifier: BSD-3-Clause
// Sockets and posix_spawn.
#include "app/batch/worker_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

#include "core/base/error.hpp"
#include "core/files/io/interrupted.hpp"

namespace reber::app {
namespace {

struct SpawnActions {
  SpawnActions() {
    if (::posix_spawn_file_actions_init(&of) != 0) throw std::bad_alloc();
  }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&of); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t of{};
};

}  // namespace

LineLink::~LineLink() { ::close(descriptor_); }

bool LineLink::send(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t now = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

std::optional<std::string> LineLink::receive(const std::function<void()>& wait) {
  constexpr int kPatienceMs = 50;
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, kPatienceMs) <= 0) {
      wait();
      continue;
    }
    char piece[1 << 16];
    const ssize_t got = ::recv(descriptor_, piece, sizeof piece, 0);
    if (got < 0 && errno == EINTR) {
      check_interrupted();
      continue;
    }
    if (got <= 0) return std::nullopt;
    read_.append(piece, static_cast<std::size_t>(got));
  }
}

pid_t start_this_program(const std::vector<std::string>& words, const std::vector<int>& descriptors, int output) {
  SpawnActions actions;
  int failed = ::posix_spawn_file_actions_addopen(&actions.of, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (output >= 0) failed |= ::posix_spawn_file_actions_adddup2(&actions.of, output, STDOUT_FILENO);
  for (std::size_t i = 0; i < descriptors.size(); ++i)
    failed |= ::posix_spawn_file_actions_adddup2(&actions.of, descriptors[i], 3 + static_cast<int>(i));
  if (failed != 0) throw std::bad_alloc();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error = ::posix_spawn(&process, "/proc/self/exe", &actions.of, nullptr, arguments.data(), environ);
  if (error != 0) throw DeviceError(fmt::format("cannot start a worker process: {}", std::strerror(error)));
  return process;
}

std::vector<std::string> own_command_line(const std::string& word) {
  std::vector<std::string> words;
  std::ifstream file;
  file.exceptions(std::ios::badbit);
  file.open("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) words.push_back(argument);
  const auto command = std::ranges::find(words, "run");
  words.insert(command == words.end() ? command : command + 1, word);
  return words;
}

}  // namespace reber::app
