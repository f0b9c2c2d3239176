// SPDX-License-Identifier: BSD-3-Clause
// The viewer on a card that is none: it fails as often as a file says, and after a fault it is of no more use to this
// process. Once it has begun anew it plays another script.
//   fake_card IMAGE SETTINGS FAULT FIRST.steps SECOND.steps     FAULT: a file with "memory" or "broken", removed when
//   it
//                                                               strikes
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/options/begin_anew.hpp"
#include "core/seam/compute/card_error.hpp"
#include "gui/viewer.hpp"
#include "kernels/backends.hpp"

namespace {

using reber::CardError;

std::unique_ptr<reber::Backend> open_card(const std::string& fault) {
  static bool broken = false;
  std::string word;
  std::ifstream(fault) >> word;
  std::filesystem::remove(fault);
  if (word == "memory") throw CardError(CardError::Kind::memory, "cudaMalloc failed with cudaErrorMemoryAllocation");
  broken = broken || word == "broken";
  if (broken) throw CardError(CardError::Kind::broken, "cudaStreamQuery failed with cudaErrorIllegalAddress");
  return reber::make_backend("cpu", {}, reber::LogSink());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  reber::gui::ViewerOptions options;
  options.files = {arguments[1]};
  options.settings = arguments[2];
  options.scale = 1;
  options.open_early = false;  // it would meet the fault before anyone asks for work
  options.request.background.emplace();
  options.request.detect.emplace();
  options.backends = {"auto", "cpu"};
  options.resume = reber::app::viewer_begun_anew();
  options.script = arguments[options.resume ? 5 : 4];
  options.make_backend = [fault = std::string(arguments[3])](const std::string&) { return open_card(fault); };
  options.take_over = [](const std::string& failure) {
    reber::BackendOptions other;
    other.in_place_of = "the card, which failed: " + failure;
    return reber::make_backend("cpu", other, reber::LogSink());
  };
  options.say = [](const std::string& text) { std::printf("%s\n", text.c_str()); };
  options.begin_anew = [arguments](const std::string& session) { reber::app::begin_viewer_anew(arguments, session); };
  return reber::gui::run_viewer(options);
}
