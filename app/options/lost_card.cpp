// SPDX-License-Identifier: BSD-3-Clause
// The process replaces itself: the only way to be rid of a thread that the driver keeps.
#include "app/options/lost_card.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/options/begin_anew.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/environment.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/seam/compute/lost_card.hpp"

namespace reber::app {
namespace {

char** arguments_of_main = nullptr;

/// A list that has been read from the input is gone; a worker's parent deals the image to another.
bool may_begin_anew() {
  if (arguments_of_main == nullptr || card_lost_before() != nullptr) return false;
  for (char** word = arguments_of_main; *word != nullptr; ++word)
    if (std::strcmp(*word, "-") == 0 || std::strncmp(*word, "--serve", 7) == 0) return false;
  return true;
}

void begin_anew(const char* words) noexcept {
  unlink_open_temporaries();
  if (may_begin_anew() && ::setenv(name_of(Variable::card_lost), words, 1) == 0) begin_process_anew(arguments_of_main);
  std::fprintf(stderr, "reber: error: %s\n", words);
  ::_exit(kDeviceError);
}

}  // namespace

void install_lost_card(char** arguments) noexcept {
  arguments_of_main = arguments;
  on_lost_card(begin_anew);
}

const char* card_lost_before() noexcept { return environment(Variable::card_lost); }

void forget_lost_card() noexcept { (void)::unsetenv(name_of(Variable::card_lost)); }

}  // namespace reber::app
