// SPDX-License-Identifier: BSD-3-Clause
// execv of the program itself, with words for it in the environment.
#include "app/options/begin_anew.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/options/lost_card.hpp"
#include "app/options/one_card.hpp"
#include "core/base/environment.hpp"
#include "core/base/error.hpp"

namespace reber::app {
namespace {

void close_files_at_exec() noexcept {
  constexpr int kMostFiles = 4096;
  for (int file = STDERR_FILENO + 1; file < kMostFiles; ++file)
    if (const int flags = ::fcntl(file, F_GETFD); flags >= 0) (void)::fcntl(file, F_SETFD, flags | FD_CLOEXEC);
}

}  // namespace

void begin_process_anew(char** arguments) noexcept {
  std::fflush(nullptr);
  close_files_at_exec();
  show_all_cards();
  ::execv("/proc/self/exe", arguments);
}

void begin_viewer_anew(char** arguments, const std::string& session) {
  forget_lost_card();
  if (::setenv(name_of(Variable::view_anew), session.c_str(), 1) == 0) begin_process_anew(arguments);
  throw DataError(
      fmt::format("the viewer cannot begin anew: {}; the next start offers what was open", std::strerror(errno)));
}

std::optional<std::string> viewer_begun_anew() {
  if (const char* const session = environment(Variable::view_anew); session != nullptr) {
    const std::string kept = session;
    ::unsetenv(name_of(Variable::view_anew));
    return kept;
  }
  return card_lost_before() != nullptr ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace reber::app
